package io.github.files2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Files that are no plain ones: they are written as they are. */
final class SpecialFilesTest {
  private static final WritePlan PLAN = WriteOptions.DEFAULT.writePlan();

  @TempDir Path folder;

  @BeforeAll
  static void needsLinux() {
    Needs.linux();
  }

  @ParameterizedTest
  @EnumSource(LaneUnderTest.class)
  void write_procFile_takesTheText(LaneUnderTest lane) throws IOException {
    Path file = Path.of("/proc/self/comm");
    String before = Files.readString(file).strip();
    try {
      lane.backend().writeText(file, "f2-" + lane, PLAN);
      assertThat(file).hasContent("f2-" + lane);
    } finally {
      Files.writeString(file, before);
    }
  }

  @ParameterizedTest
  @EnumSource(LaneUnderTest.class)
  void write_procSysFile_takesTheText(LaneUnderTest lane) throws IOException {
    Needs.root();
    // This one takes effect for new processes only after another knob is turned too.
    Path file = Path.of("/proc/sys/vm/overcommit_ratio");
    Needs.that(Files.isWritable(file), "needs a writable /proc/sys");
    String before = read(file);
    try {
      lane.backend().writeText(file, "57", PLAN);
      assertThat(read(file)).isEqualTo("57");
    } finally {
      Files.writeString(file, before);
    }
  }

  @ParameterizedTest
  @EnumSource(LaneUnderTest.class)
  void write_procSysFileRefusesTheText_throwsItsErrno(LaneUnderTest lane) throws IOException {
    Needs.root();
    Path file = Path.of("/proc/sys/vm/overcommit_ratio");
    String before = read(file);
    assertThatThrownBy(() -> lane.backend().writeText(file, "no number", PLAN))
        .isExactlyInstanceOf(FileSystemException.class)
        .hasMessageContaining(file.toString())
        .hasMessageContaining("write: EINVAL");
    assertThat(read(file)).isEqualTo(before);
  }

  /** Such files are only whole when read at once, which Java does not do. */
  private static String read(Path file) {
    return Mount.run("cat", file.toString()).strip();
  }

  @ParameterizedTest
  @EnumSource(LaneUnderTest.class)
  void write_sysfsFile_takesTheText(LaneUnderTest lane) throws IOException {
    Needs.root();
    // 4,096 bytes by fstat, though it holds a few: only the type may count.
    Path file = Path.of("/sys/kernel/mm/transparent_hugepage/enabled");
    Needs.that(Files.isWritable(file), "needs a writable /sys with huge pages");
    String before = Files.readString(file).replaceFirst("(?s).*\\[(.*)].*", "$1");
    try {
      lane.backend().writeText(file, "never", PLAN);
      assertThat(Files.readString(file)).contains("[never]");
    } finally {
      Files.writeString(file, before);
    }
  }

  @ParameterizedTest
  @EnumSource(LaneUnderTest.class)
  void write_devFull_throwsEnospcAndNoCount(LaneUnderTest lane) {
    for (int byteCount : new int[] {1, 200_000, 3_000_000}) {
      assertThatThrownBy(
              () ->
                  lane.backend()
                      .writeText(Path.of("/dev/full"), MountedFilesTest.text(byteCount, 'f'), PLAN))
          .isExactlyInstanceOf(FileSystemException.class)
          .hasMessageContaining("/dev/full")
          .hasMessageContaining("write: ENOSPC");
    }
  }

  @ParameterizedTest
  @EnumSource(LaneUnderTest.class)
  void write_devNullWithEachFlush_takesAll(LaneUnderTest lane) throws IOException {
    for (Flush flush : Flush.values()) {
      WritePlan plan = WriteOptions.DEFAULT.flush(flush).writePlan();
      assertThat(lane.backend().writeText(Path.of("/dev/null"), "text", plan)).isEqualTo(4);
      byte[] bytes = new byte[3_000_000];
      assertThat(lane.backend().writeBytes(Path.of("/dev/null"), ByteBuffer.wrap(bytes), plan))
          .isEqualTo(bytes.length);
    }
  }

  @ParameterizedTest
  @EnumSource(LaneUnderTest.class)
  void write_fifo_reachesTheReader(LaneUnderTest lane) throws Exception {
    for (int byteCount : new int[] {10, 60_000, 900_000, 3_000_000}) {
      Path fifo = fifo("fifo" + byteCount);
      Path copy = folder.resolve("copy" + byteCount);
      Process reader = readerOf(fifo, copy);
      String text = MountedFilesTest.text(byteCount, 'p');
      lane.backend().writeText(fifo, text, WriteOptions.DEFAULT.flush(true).writePlan());
      assertThat(reader.waitFor(20, TimeUnit.SECONDS)).isTrue();
      assertThat(Files.readString(copy).equals(text)).as("%d bytes", byteCount).isTrue();
    }
  }

  private Path fifo(String name) {
    Path fifo = folder.resolve(name);
    Mount.run("mkfifo", fifo.toString());
    return fifo;
  }

  private static Process readerOf(Path fifo, Path copy) throws IOException {
    return new ProcessBuilder("cat", fifo.toString()).redirectOutput(copy.toFile()).start();
  }

  @ParameterizedTest
  @EnumSource(LaneUnderTest.class)
  void append_fifo_reachesTheReader(LaneUnderTest lane) throws Exception {
    Path fifo = fifo("fifo");
    Path copy = folder.resolve("copy");
    Process reader = readerOf(fifo, copy);
    lane.backend().writeText(fifo, "a record", WriteOptions.DEFAULT.appendPlan());
    assertThat(reader.waitFor(20, TimeUnit.SECONDS)).isTrue();
    assertThat(copy).hasContent("a record");
  }

  @ParameterizedTest
  @EnumSource(LaneUnderTest.class)
  void write_fifoWhoseReaderLeaves_throwsEpipeWithTheCount(LaneUnderTest lane) throws Exception {
    Path fifo = fifo("fifo");
    Process reader =
        new ProcessBuilder("dd", "if=" + fifo, "of=/dev/null", "bs=1", "count=1")
            .redirectErrorStream(true)
            .start();
    String text = MountedFilesTest.text(3_000_000, 'p');
    assertThatThrownBy(() -> lane.backend().writeText(fifo, text, PLAN))
        .isInstanceOf(FileSystemException.class)
        .hasMessageContaining(fifo.toString())
        .hasMessageContaining("write: EPIPE");
    assertThat(reader.waitFor(20, TimeUnit.SECONDS)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"shim", "libc", "nio"})
  void write_beyondTheSizeLimit_keepsTheRules(String lane) {
    // The limit binds the whole process, so the cases run in one of their own.
    String out = new ChildProgram(SizeLimitProgram.class, lane, folder.toString()).run().ok();
    // Where the lane reserves, the old file survives this limit too.
    String grown =
        lane.equals("nio")
            ? "grow: PartialWriteException write: EFBIG 1000000, file 1000000"
            : "grow: FileSystemException fallocate: EFBIG 0, file 500000";
    assertThat(out.lines())
        .contains(
            grown,
            "create: PartialWriteException write: EFBIG 1000000, file 1000000",
            "truncate: PartialWriteException write: EFBIG 1000000, file 1000000",
            "append: PartialWriteException write: EFBIG 500000, file 1000000");
  }
}
