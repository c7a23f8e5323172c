package io.github.files2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileSystem;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.Map;
import java.util.TreeMap;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How a {@link MemoryFile} gets back to its file: options, changes by others, failures. */
final class MemoryWriteBackTest extends EachLaneTest {
  private static final WriteOptions ATOMIC = WriteOptions.DEFAULT.atomic(true);
  private static final FileTime LONG_AGO = FileTime.fromMillis(1_000_000_000_000L);

  private static Object inode(Path file) throws IOException {
    return Files.getAttribute(file, "unix:ino");
  }

  private void assertOnlyTheFile() {
    assertThat(folder).isDirectoryNotContaining(path -> !path.equals(file()));
  }

  // --- Options

  @ParameterizedTest
  @CsvSource({
    "w, 0",
    "w, 1",
    "w, 5000",
    "w, 131072",
    "w, 3000000",
    "a, 1",
    "a, 131072",
    "a, 1048576",
    "a, 3000000",
    "r+, 1",
    "r+, 3000000"
  })
  void writeBack_eachSize_isWhole(String flags, int byteCount) throws IOException {
    String text = "0123456789abc".repeat(byteCount / 13 + 1).substring(0, byteCount);
    fileOf("the old text");
    try (MemoryFile file = MemoryFile.open(file(), flags)) {
      file.write(text);
    }
    String expected =
        switch (flags) {
          case "a" -> "the old text" + text;
          case "r+" -> text + "the old text".substring(Math.min(byteCount, 12));
          default -> text;
        };
    assertThat(Files.readString(file()).equals(expected)).isTrue();
  }

  @Test
  void flush_thenMoreWrites_writesBackEachTime() throws IOException {
    fileOf("old");
    WriteOptions flushed = WriteOptions.DEFAULT.flush(true);
    try (MemoryFile file = MemoryFile.open(file(), "w", flushed)) {
      file.write("one");
      file.flush();
      assertThat(file()).hasContent("one");
      file.write(" two");
      assertThat(file()).hasContent("one");
      file.flush();
      file.truncate(5);
    }
    assertThat(file()).hasContent("one t");
  }

  @Test
  void flush_unchanged_writesNothing() throws IOException {
    try (MemoryFile file = MemoryFile.open(file(), "w+")) {
      file.write("text");
      file.flush();
      Files.writeString(file(), "by another");
      file.read(ByteBuffer.allocate(1));
      file.position(0).truncate(100);
      file.flush();
    }
    assertThat(file()).hasContent("by another");
  }

  @ParameterizedTest
  @ValueSource(strings = {"r+", "w"})
  void atomic_replacesTheInodeEachTimeAndLeavesNoOtherFile(String flags) throws IOException {
    Needs.linux();
    fileOf("old");
    Object before = inode(file());
    MemoryFile file = MemoryFile.open(file(), flags, ATOMIC);
    file.write("new");
    file.flush();
    Object between = inode(file());
    assertThat(between).isNotEqualTo(before);
    file.write("er");
    file.close();
    assertThat(inode(file())).isNotEqualTo(between);
    assertThat(file()).hasContent("newer");
    assertOnlyTheFile();
  }

  @Test
  void atomic_x_isCreatedAtOnceAndReplaced() throws IOException {
    try (MemoryFile file = MemoryFile.open(file(), "wx", ATOMIC)) {
      assertThat(file()).isEmptyFile();
      assertOnlyTheFile();
      file.write("new");
    }
    assertThat(file()).hasContent("new");
    assertOnlyTheFile();
  }

  @Test
  void atomic_throughALink_keepsTheLink() throws IOException {
    fileOf("old");
    Path link = Files.createSymbolicLink(folder.resolve("link"), file());
    try (MemoryFile file = MemoryFile.open(link, "r+", ATOMIC)) {
      file.write("new");
    }
    assertThat(link).isSymbolicLink();
    assertThat(file()).hasContent("new");
  }

  @ParameterizedTest
  @ValueSource(strings = {"w", "wx", "a"})
  void mode_newFile_isItsMode(String flags) throws IOException {
    Needs.linux();
    try (MemoryFile file = MemoryFile.open(file(), flags, WriteOptions.DEFAULT.mode(0600))) {
      file.write("text");
    }
    assertThat((Integer) Files.getAttribute(file(), "unix:mode") & 0777).isEqualTo(0600);
  }

  @ParameterizedTest
  @ValueSource(strings = {"w", "r+"})
  void onlyIfChanged_sameBytes_leavesTheFileAlone(String flags) throws IOException {
    String text = "0123456789".repeat(40_000);
    fileOf(text);
    Files.setLastModifiedTime(file(), LONG_AGO);
    WriteOptions options = WriteOptions.DEFAULT.onlyIfChanged(true);
    try (MemoryFile file = MemoryFile.open(file(), flags, options)) {
      file.write(text);
    }
    assertThat(Files.getLastModifiedTime(file())).isEqualTo(LONG_AGO);
    try (MemoryFile file = MemoryFile.open(file(), flags, options)) {
      file.position(399_999).write("!");
      file.position(0).write(text.substring(0, 399_999));
    }
    assertThat(Files.getLastModifiedTime(file())).isGreaterThan(LONG_AGO);
    assertThat(Files.readString(file()).equals(text.substring(0, 399_999) + "!")).isTrue();
  }

  @Test
  void interruptedThread_isWrittenBackAndTheFlagStays() throws IOException {
    fileOf("old");
    Thread.currentThread().interrupt();
    try (MemoryFile file = MemoryFile.open(file(), "r+", WriteOptions.DEFAULT.flush(true))) {
      file.write("n");
    } finally {
      assertThat(Thread.interrupted()).isTrue();
    }
    assertThat(file()).hasContent("nld");
  }

  @Test
  void foreignFileSystem_isWrittenBackToo() throws IOException {
    try (FileSystem fileSystem = Jimfs.newFileSystem(Configuration.unix())) {
      Path foreign = fileSystem.getPath("/work/file");
      try (MemoryFile file = MemoryFile.open(foreign, "wx")) {
        file.write("x".repeat(300_000));
      }
      try (MemoryFile file = MemoryFile.open(foreign, "a+", WriteOptions.DEFAULT)) {
        file.write("y");
      }
      assertThat(Files.readString(foreign).equals("x".repeat(300_000) + "y")).isTrue();
      MemoryFile file = MemoryFile.open(foreign, "r+");
      file.write("z");
      Files.delete(foreign);
      assertRefused(file::close);
    }
  }

  @Test
  void pipe_getsTheBytes() throws Exception {
    Needs.linux();
    Path pipe = folder.resolve("pipe");
    Mount.run("mkfifo", pipe.toString());
    Process reader = new ProcessBuilder("cat", pipe.toString()).start();
    try (MemoryFile file = MemoryFile.open(pipe, "w")) {
      file.write("text");
    }
    assertThat(reader.getInputStream().readAllBytes()).asString().isEqualTo("text");
    assertThat(reader.waitFor()).isZero();
  }

  // --- Changes by another

  private static void assertRefused(ThrowingCallable call) {
    assertThatThrownBy(call)
        .isExactlyInstanceOf(FileSystemException.class)
        .hasMessageContainingAll("changed by another", "nothing was written");
  }

  /** What another may do to a file, and what the file is afterwards. */
  private enum Change {
    GROWS {
      @Override
      void make(Path file) throws IOException {
        Files.writeString(file, " and more", StandardOpenOption.APPEND);
      }
    },
    TOUCHES {
      @Override
      void make(Path file) throws IOException {
        Files.setLastModifiedTime(file, LONG_AGO);
      }
    },
    REPLACES {
      @Override
      void make(Path file) throws IOException {
        FileTime modified = Files.getLastModifiedTime(file);
        Path other = file.resolveSibling("other");
        Files.copy(file, other);
        Files.setLastModifiedTime(other, modified);
        Mount.run("mv", other.toString(), file.toString());
      }
    },
    DELETES {
      @Override
      void make(Path file) throws IOException {
        Files.delete(file);
      }
    };

    abstract void make(Path file) throws IOException;
  }

  private static Map<Path, String> contents(Path folder) throws IOException {
    Map<Path, String> contents = new TreeMap<>();
    try (var files = Files.newDirectoryStream(folder)) {
      for (Path file : files) {
        contents.put(file, Files.readString(file));
      }
    }
    return contents;
  }

  @ParameterizedTest
  @CsvSource({
    "GROWS, r+", "TOUCHES, r+", "REPLACES, r+", "DELETES, r+",
    "GROWS, w", "TOUCHES, w", "REPLACES, w+", "DELETES, w"
  })
  void changedByAnother_isNotOverwritten(String change, String flags) throws IOException {
    Needs.linux();
    for (WriteOptions options : new WriteOptions[] {WriteOptions.DEFAULT, ATOMIC}) {
      fileOf("old content");
      MemoryFile file = MemoryFile.open(file(), flags, options);
      file.write("mine");
      Change.valueOf(change).make(file());
      Map<Path, String> before = contents(folder);
      assertRefused(file::flush);
      assertThat(file.isOpen()).isTrue();
      assertThat(file.position()).isEqualTo(4);
      assertRefused(file::flush);
      assertRefused(file::close);
      assertThat(file.isOpen()).isFalse();
      file.close();
      assertThat(contents(folder)).isEqualTo(before);
    }
  }

  @Test
  void createdByAnother_isNotOverwritten() throws IOException {
    MemoryFile file = MemoryFile.open(file(), "w");
    file.write("mine");
    fileOf("by another");
    assertRefused(file::flush);
    Files.delete(file());
    file.close();
    assertThat(file()).hasContent("mine");
  }

  @Test
  void changedByAnotherAfterAFlush_isNotOverwritten() throws IOException {
    MemoryFile file = MemoryFile.open(file(), "w");
    file.write("mine");
    file.flush();
    Files.writeString(file(), "longer by another");
    file.write("more");
    assertRefused(file::close);
    assertThat(file()).hasContent("longer by another");
  }

  // --- Failures

  /** rust-lang/rust#63410, JuliaLang/julia#35326, apache/beam#9175 */
  @Test
  void errorOfTheWriteBackOnClose_reachesTheCaller() throws IOException {
    Needs.linux();
    for (String flags : new String[] {"w", "a"}) {
      MemoryFile file = MemoryFile.open(Path.of("/dev/full"), flags);
      file.outputStream().write(new byte[10_000]);
      assertThatThrownBy(file::close)
          .isInstanceOf(FileSystemException.class)
          .hasMessageContaining("ENOSPC");
      assertThat(file.isOpen()).isFalse();
      MemoryFile streamed = MemoryFile.open(Path.of("/dev/full"), flags);
      var out = streamed.outputStream();
      out.write(1);
      assertThatThrownBy(out::close).hasMessageContaining("ENOSPC");
      out.close();
    }
  }

  @Test
  void flush_fails_leavesTheFileOpenAndChanged() throws IOException {
    Needs.linux();
    MemoryFile file = MemoryFile.open(Path.of("/dev/full"), "w+");
    file.write("text");
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(file::flush).hasMessageContaining("ENOSPC");
      assertThat(file.isOpen()).isTrue();
    }
    ByteBuffer target = ByteBuffer.allocate(10);
    assertThat(file.position(0).read(target)).isEqualTo(4);
    file.discard();
  }

  private static void makeRoom(Mount mount) throws IOException {
    try (var files = Files.newDirectoryStream(mount.root(), "fill*")) {
      for (Path file : files) {
        Files.delete(file);
      }
    }
  }

  /** What a failed write has left of the file is no change by another. */
  @ParameterizedTest
  @ValueSource(strings = {"w", "r+"})
  void flush_diskIsFullAndThenNot_succeedsAtTheNextTry(String flags) throws IOException {
    try (Mount mount = Mount.of("tmpfs")) {
      Path full = Files.writeString(mount.root().resolve("file"), "old");
      WriteOptions options = WriteOptions.DEFAULT.overwrite(Overwrite.TRUNCATE);
      MemoryFile file = MemoryFile.open(full, flags, options);
      String text = "n".repeat(1_000_000);
      file.write(text);
      mount.fill(256 * 1024);
      assertThatThrownBy(file::flush)
          .isInstanceOf(PartialWriteException.class)
          .hasMessageContaining("ENOSPC");
      makeRoom(mount);
      file.close();
      assertThat(Files.readString(full).equals(text)).isTrue();
    }
  }

  /** What another writes after our write has failed is not overwritten by the next try. */
  @ParameterizedTest
  @ValueSource(strings = {"w", "r+"})
  void flush_diskIsFullAndThenAnotherWrites_isRefused(String flags) throws IOException {
    try (Mount mount = Mount.of("tmpfs")) {
      Path full = Files.writeString(mount.root().resolve("file"), "old");
      MemoryFile file = MemoryFile.open(full, flags);
      file.write("n".repeat(1_000_000));
      mount.fill(256 * 1024);
      assertThatThrownBy(file::flush).hasMessageContaining("ENOSPC");
      makeRoom(mount);
      Files.writeString(full, "by another");
      assertRefused(file::flush);
      assertRefused(file::close);
      assertThat(full).hasContent("by another");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"a", "a+"})
  void append_diskIsFullAndThenNot_writesNoByteTwice(String flags) throws IOException {
    try (Mount mount = Mount.of("tmpfs")) {
      Path full = Files.writeString(mount.root().resolve("file"), "old");
      MemoryFile file = MemoryFile.open(full, flags);
      String text = "0123456789".repeat(100_000);
      file.write(text);
      mount.fill(256 * 1024);
      assertThatThrownBy(file::flush)
          .isInstanceOf(PartialWriteException.class)
          .hasMessageContaining("ENOSPC");
      makeRoom(mount);
      file.write("end");
      file.close();
      assertThat(Files.readString(full).equals("old" + text + "end")).isTrue();
    }
  }

  /** What fails behind the last byte is no reason to append them all once more. */
  @ParameterizedTest
  @CsvSource({"fsync, 100", "close, 100", "write, 42", "open, 0"})
  void appendedBefore_isWhatTheFailureTells(String operation, long count) {
    long written = operation.equals("write") ? 42 : 0;
    IOException failure = Errno.exception(operation, 5, "file", written);
    assertThat(MemoryTarget.appendedBefore(failure, 100)).isEqualTo(count);
  }

  @ParameterizedTest
  @ValueSource(strings = {"w", "r+"})
  void atomic_closeFails_leavesTheOldFileAndNoOther(String flags) throws IOException {
    try (Mount mount = Mount.of("tmpfs")) {
      Path full = Files.writeString(mount.root().resolve("file"), "old");
      MemoryFile file = MemoryFile.open(full, flags, ATOMIC);
      file.write("n".repeat(1_000_000));
      mount.fill(256 * 1024);
      assertThatThrownBy(file::close).hasMessageContaining("ENOSPC");
      assertThat(file.isOpen()).isFalse();
      assertThat(full).hasContent("old");
      assertThat(mount.root())
          .isDirectoryNotContaining(path -> TempName.matches(path.getFileName().toString()));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"w", "r+", "a"})
  void readOnlyFileSystem_isRefusedAtTheOpen(String flags) throws IOException {
    try (Mount mount = Mount.of("tmpfs")) {
      Path file = Files.writeString(mount.root().resolve("file"), "old");
      mount.makeReadOnly();
      assertThatThrownBy(() -> MemoryFile.open(file, flags))
          .isInstanceOf(FileSystemException.class)
          .hasMessageContaining("EROFS");
      MemoryFile.open(file, "r").close();
    }
  }
}
