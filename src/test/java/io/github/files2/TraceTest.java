package io.github.files2;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.files2.TracedJvm.Call;
import io.github.files2.TracedJvm.Traced;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which system calls a write makes: what only strace can see. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class TraceTest {
  private static final String[] ENCODINGS = {
    "utf8",
    "utf-8",
    "utf16le",
    "utf-16le",
    "ucs2",
    "ucs-2",
    "latin1",
    "binary",
    "ascii",
    "hex",
    "base64",
    "base64url"
  };

  private static final int MIB = 1024 * 1024;

  private final Map<String, TracedJvm> jvms = new TreeMap<>();
  private Mount mount;
  private Path file;

  @BeforeAll
  void mount() {
    mount = Mount.of("tmpfs"); // known to report fresh sizes, whatever the temp folder is on
    file = mount.root().resolve("file");
  }

  private TracedJvm jvm(String lane, String... jvmOptions) throws IOException {
    String key = lane + List.of(jvmOptions);
    TracedJvm jvm = jvms.get(key);
    if (jvm == null) {
      jvm = new TracedJvm(mount.root(), lane, jvmOptions);
      // Not the file of the test, which may have been prepared already.
      jvm.warmUp(mount.root().resolve("warm-up"), "");
      jvms.put(key, jvm);
    }
    return jvm;
  }

  @AfterAll
  void close() throws IOException {
    try {
      for (TracedJvm jvm : jvms.values()) {
        jvm.close();
      }
    } finally {
      if (mount != null) {
        mount.close();
      }
    }
  }

  /** Runs a case over an old file of a size. */
  private Traced over(int oldSize, String lane, String wish) throws IOException {
    Files.writeString(file, MountedFilesTest.text(oldSize, 'o'));
    return jvm(lane).run(file, wish);
  }

  private static void assertWrote(Traced traced) {
    assertThat(traced.answer()).as("%s", traced.calls()).startsWith("wrote ");
  }

  // --- Flush

  @ParameterizedTest
  @CsvSource({
    "shim, FULL",
    "shim, DATA",
    "libc, FULL",
    "libc, DATA",
    "nio, FULL",
    "nio, DATA",
  })
  void flush_everyEncodingDataAndTarget_syncsOnceAfterTheLastByte(String lane, String flush)
      throws IOException {
    for (String target : new String[] {"path", "fd", "descriptor"}) {
      // A descriptor of the JVM can only be synced in full without the shim.
      boolean isFull =
          flush.equals("FULL") || (target.equals("descriptor") && !lane.equals("shim"));
      for (String wish : everyData()) {
        Traced traced = over(200, lane, wish + " target=" + target + " flush=" + flush);
        assertWrote(traced);
        assertSyncedOnce(traced, isFull ? "fsync" : "fdatasync", lane + " " + target + " " + wish);
      }
    }
  }

  private static List<String> everyData() {
    List<String> wishes = new ArrayList<>();
    for (String encoding : ENCODINGS) {
      wishes.add("data=text unit=61 encoding=" + encoding);
    }
    wishes.add("data=text unit=\u044f"); // two bytes each
    wishes.add("data=text size=300000");
    wishes.add("data=array");
    wishes.add("data=array size=300000");
    wishes.add("data=direct");
    wishes.add("data=readonly");
    return wishes;
  }

  private static void assertSyncedOnce(Traced traced, String sync, String what) {
    List<String> names = traced.names();
    assertThat(traced.all("fsync", "fdatasync")).as("%s: %s", what, names).hasSize(1);
    int at = names.indexOf(sync);
    assertThat(at).as("%s: %s", what, names).isGreaterThan(names.lastIndexOf("write"));
    assertThat(at).as("%s: %s", what, names).isGreaterThan(names.lastIndexOf("ftruncate"));
    assertThat(at).as("%s: %s", what, names).isLessThan(names.lastIndexOf("close"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"shim", "libc"})
  void flush_shorterText_cutsBeforeItSyncs(String lane) throws IOException {
    Traced traced = over(200, lane, "flush=FULL");
    // The second look is for another writer that has cut the file meanwhile.
    assertThat(traced.names())
        .containsExactly("openat", "statx", "write", "statx", "ftruncate", "fsync", "close");
  }

  @ParameterizedTest
  @ValueSource(strings = {"shim", "libc", "nio"})
  void flush_emptyText_syncsOnce(String lane) throws IOException {
    Traced traced = over(200, lane, "size=0 flush=FULL");
    assertWrote(traced);
    assertThat(traced.all("fsync", "fdatasync")).hasSize(1);
    assertThat(traced.all("write")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"shim", "libc", "nio"})
  void write_withoutFlush_syncsNever(String lane) throws IOException {
    for (String target : new String[] {"path", "fd", "descriptor"}) {
      for (String wish : everyData()) {
        Traced traced = over(200, lane, wish + " target=" + target);
        assertWrote(traced);
        assertThat(traced.all("fsync", "fdatasync", "sync_file_range")).as(wish).isEmpty();
      }
    }
  }

  // --- Few calls

  @ParameterizedTest
  @ValueSource(strings = {"shim", "libc"})
  void write_smallTextOfTheOldSize_isFourCalls(String lane) throws IOException {
    for (String wish : new String[] {"", "data=array", "data=direct", "unit=\u044f size=50"}) {
      Traced traced = over(100, lane, wish);
      assertThat(traced.names()).as(wish).containsExactly("openat", "statx", "write", "close");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"shim", "libc"})
  void write_newFile_isFourCalls(String lane) throws IOException {
    Files.deleteIfExists(file);
    Traced traced = jvm(lane).run(file, "");
    assertThat(traced.names()).containsExactly("openat", "statx", "write", "close");
  }

  @ParameterizedTest
  @ValueSource(strings = {"shim", "libc"})
  void append_smallText_isThreeCalls(String lane) throws IOException {
    Traced traced = over(100, lane, "flags=a");
    assertThat(traced.names()).containsExactly("openat", "write", "close");
  }

  @ParameterizedTest
  @ValueSource(strings = {"shim", "libc", "nio"})
  void append_upToOneMebibyte_isOneWrite(String lane) throws IOException {
    List<String> wishes = new ArrayList<>();
    for (int byteCount : new int[] {1, 131_072, 131_073, MIB}) {
      wishes.add("size=" + byteCount);
      wishes.add("data=array size=" + byteCount);
      wishes.add("data=direct size=" + byteCount);
    }
    wishes.add("unit=\u044f size=" + MIB / 2);
    wishes.add("unit=\u4e2d size=" + MIB / 3);
    wishes.add("unit=\u00e9 size=" + MIB / 2);
    wishes.add("unit=YWJj encoding=base64 size=" + MIB / 3 * 4);
    wishes.add("unit=61 encoding=hex size=" + 2 * MIB);
    wishes.add("encoding=utf16le size=" + MIB / 2);
    for (String target : new String[] {"path", "fd", "descriptor", "appender"}) {
      for (String wish : wishes) {
        if (target.equals("appender") && wish.startsWith("data=")) {
          continue; // it takes text
        }
        Traced traced = over(100, lane, wish + " flags=a target=" + target);
        assertWrote(traced);
        Call write = traced.only("write");
        assertThat(traced.answer()).as(wish + " " + target).isEqualTo("wrote " + write.result());
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"shim", "libc", "nio"})
  void write_specialFileUpToOneMebibyte_isOneWrite(String lane) throws IOException {
    Path special = Path.of("/dev/null");
    for (String target : new String[] {"path", "fd", "descriptor"}) {
      for (String wish :
          new String[] {"size=" + MIB, "data=array size=" + MIB, "unit=\u044f size=" + MIB / 2}) {
        Traced traced = jvm(lane).run(special, wish + " target=" + target);
        assertWrote(traced);
        assertThat(traced.only("write").result()).isEqualTo(String.valueOf(MIB));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"shim", "libc"})
  void write_longText_goesOutInChunks(String lane) throws IOException {
    // A chunk of the shim is large for long text.
    int chunkBytes = lane.equals("shim") ? MIB : Chunk.BYTES;
    int size = 2 * chunkBytes + 50_000;
    Traced traced = over(size, lane, "size=" + size);
    assertThat(traced.all("write")).hasSizeBetween(2, 4);
  }

  // --- How the file is opened

  @ParameterizedTest
  @ValueSource(strings = {"shim", "libc"})
  void open_everyTarget_isClosedOnExec(String lane) throws IOException {
    for (String wish :
        new String[] {
          "", "flags=a", "target=fd", "size=0", "target=lines", "flags=a target=appender"
        }) {
      Traced traced = over(100, lane, wish);
      assertThat(traced.only("openat").arguments()).as(wish).contains("O_CLOEXEC");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"shim", "libc"})
  void write_inPlace_neverOpensWithTrunc(String lane) throws IOException {
    for (String wish :
        new String[] {
          "size=1",
          "size=300000",
          "data=array",
          "flags=w+",
          "target=lines",
          "target=nio options=WRITE,CREATE,TRUNCATE_EXISTING"
        }) {
      Traced traced = over(100, lane, wish);
      assertWrote(traced);
      assertThat(traced.only("openat").arguments()).as(wish).doesNotContain("O_TRUNC");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"shim", "libc"})
  void write_whereInPlaceWouldBeWrong_opensWithTrunc(String lane) throws IOException {
    for (String wish :
        new String[] {
          "size=0",
          "overwrite=TRUNCATE",
          "target=lazy-lines",
          "target=nio options=WRITE,CREATE,TRUNCATE_EXISTING,SYNC",
          "target=nio options=WRITE,TRUNCATE_EXISTING,DSYNC"
        }) {
      Traced traced = over(200, lane, wish);
      assertWrote(traced);
      assertThat(traced.only("openat").arguments()).as(wish).contains("O_TRUNC");
      assertThat(traced.all("ftruncate")).as(wish).isEmpty();
    }
  }

  @ParameterizedTest
  @CsvSource({"shim, rs+", "shim, as", "libc, rs+", "libc, as"})
  void write_syncFlag_opensWithSyncAndNeverCuts(String lane, String flag) throws IOException {
    Traced traced = over(200, lane, "flags=" + flag);
    assertWrote(traced);
    assertThat(traced.only("openat").arguments()).contains("O_SYNC").doesNotContain("O_TRUNC");
    assertThat(traced.all("ftruncate")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"shim", "libc"})
  void write_overwriteProperty_decidesWhereTheOptionsDoNot(String lane) throws IOException {
    TracedJvm jvm = jvm(lane, "-Dfiles2.overwrite=truncate");
    Files.writeString(file, MountedFilesTest.text(200, 'o'));
    assertThat(jvm.run(file, "").only("openat").arguments()).contains("O_TRUNC");
    assertThat(jvm.run(file, "overwrite=IN_PLACE").only("openat").arguments())
        .doesNotContain("O_TRUNC");
  }

  @ParameterizedTest
  @ValueSource(strings = {"shim", "libc"})
  void write_fileSystemThatMayTellOldSizes_truncatesFirst(String lane) throws IOException {
    try (Mount fuse = Mount.of("fuse")) {
      Path other = Files.writeString(fuse.root().resolve("file"), MountedFilesTest.text(200, 'o'));
      Traced traced = jvm(lane).run(other, "");
      assertWrote(traced);
      assertThat(traced.only("openat").arguments()).doesNotContain("O_TRUNC");
      assertThat(traced.only("ftruncate").arguments()).endsWith(", 0");
      assertThat(traced.names().indexOf("ftruncate")).isLessThan(traced.names().indexOf("write"));
      assertThat(other).hasContent("a".repeat(100));
    }
  }

  // --- Reserving

  @ParameterizedTest
  @ValueSource(strings = {"shim", "libc"})
  void write_longerText_reservesTheGrowthBeforeTheFirstByte(String lane) throws IOException {
    Traced traced = over(100, lane, "unit=\u044f size=100000");
    assertWrote(traced);
    assertThat(traced.only("fallocate").arguments())
        .contains("FALLOC_FL_KEEP_SIZE")
        .endsWith(", 4096, 195904"); // the first block is the old file's
    assertThat(traced.names().indexOf("fallocate")).isLessThan(traced.names().indexOf("write"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"shim", "libc"})
  void write_longerTextWithinTheLastBlock_reservesNothing(String lane) throws IOException {
    assertThat(over(100, lane, "size=4096").all("fallocate")).isEmpty();
    assertThat(over(100, lane, "size=4097").only("fallocate").arguments()).endsWith(", 4096, 1");
  }

  @ParameterizedTest
  @ValueSource(strings = {"shim", "libc"})
  void write_equalOrShorterText_reservesNothing(String lane) throws IOException {
    for (String wish : new String[] {"size=200000", "size=1", "unit=\u044f size=100000"}) {
      assertThat(over(200_000, lane, wish).all("fallocate")).as(wish).isEmpty();
    }
  }

  // --- Failures, made by strace

  /** Runs a case whose calls fail; whatever happens, no descriptor may stay. */
  private Traced failing(int oldSize, String lane, String wish, String... injections)
      throws IOException {
    Files.writeString(file, MountedFilesTest.text(oldSize, 'o'));
    long before = jvm(lane).openCount(file);
    Traced traced = jvm(lane).runInjecting(file, wish, injections);
    assertThat(traced.all("close")).as("%s", traced.calls()).hasSize(1);
    if (traced.only("close").result().equals("0")) { // one that strace made fail closes nothing
      assertThat(jvm(lane).openCount(file)).as("descriptors").isEqualTo(before);
    }
    return traced;
  }

  @ParameterizedTest
  @CsvSource({
    "shim, fsync, FULL",
    "shim, fdatasync, DATA",
    "libc, fsync, FULL",
    "libc, fdatasync, DATA",
  })
  void sync_fails_isThrownAndNeverRetried(String lane, String call, String flush)
      throws IOException {
    Traced traced = failing(200, lane, "flush=" + flush, call + ":error=EIO");
    assertThat(traced.answer()).startsWith("FileSystemException " + file + ": ").contains("EIO");
    assertThat(traced.all("fsync", "fdatasync")).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"shim", "libc"})
  void sync_refusedByARegularFile_isThrown(String lane) throws IOException {
    Traced traced = failing(200, lane, "flush=FULL", "fsync:error=EINVAL");
    assertThat(traced.answer()).startsWith("FileSystemException ").contains("fsync: EINVAL");
  }

  @ParameterizedTest
  @ValueSource(strings = {"shim", "libc"})
  void sync_failsOnADescriptor_isThrownOnce(String lane) throws IOException {
    Traced traced = failing(200, lane, "target=fd flush=FULL", "fsync:error=EIO");
    assertThat(traced.answer()).startsWith("FileSystemException fd ").contains("fsync: EIO");
    traced.only("fsync");
  }

  @ParameterizedTest
  @ValueSource(strings = {"shim", "libc"})
  void close_fails_isThrownAndNeverRetried(String lane) throws IOException {
    Traced traced = failing(200, lane, "", "close:error=EDQUOT");
    assertThat(traced.answer()).startsWith("FileSystemException ").contains("close: EDQUOT");
  }

  @ParameterizedTest
  @ValueSource(strings = {"shim", "libc"})
  void close_interrupted_isSuccess(String lane) throws IOException {
    assertWrote(failing(200, lane, "", "close:error=EINTR"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"shim", "libc"})
  void close_failsAfterTheSync_isSuppressed(String lane) throws IOException {
    Traced traced = failing(200, lane, "flush=FULL", "fsync:error=EIO", "close:error=EDQUOT");
    assertThat(traced.answer()).contains("fsync: EIO").containsPattern("suppressed .*EDQUOT");
  }

  @ParameterizedTest
  @CsvSource({
    "shim, openat, ''", "shim, write, ''", "shim, ftruncate, ''", "shim, fsync, flush=FULL",
    "shim, fdatasync, flush=DATA", "libc, openat, ''", "libc, write, ''", "libc, ftruncate, ''",
    "libc, fsync, flush=FULL", "libc, fdatasync, flush=DATA",
  })
  void call_interrupted_isRetried(String lane, String call, String wish) throws IOException {
    Traced traced = failing(200, lane, wish, call + ":error=EINTR:when=1");
    assertWrote(traced);
    assertThat(traced.all(call)).hasSize(2);
    assertThat(file).hasContent("a".repeat(100));
  }

  @ParameterizedTest
  @ValueSource(strings = {"shim", "libc"})
  void reserve_interrupted_isRetried(String lane) throws IOException {
    Traced traced = failing(50, lane, "size=10000", "fallocate:error=EINTR:when=1");
    assertWrote(traced);
    assertThat(traced.all("fallocate")).hasSize(2);
  }

  @ParameterizedTest
  @CsvSource({
    "shim, EDQUOT",
    "shim, ENOSPC",
    "shim, EFBIG",
    "libc, EDQUOT",
    "libc, ENOSPC",
    "libc, EFBIG"
  })
  void reserve_refused_isThrownAndKeepsTheOldFile(String lane, String errno) throws IOException {
    Traced traced = failing(50, lane, "size=10000", "fallocate:error=" + errno);
    assertThat(traced.answer()).startsWith("FileSystemException ").contains("fallocate: " + errno);
    assertThat(traced.all("write")).isEmpty();
    assertThat(file).hasContent(MountedFilesTest.text(50, 'o'));
  }

  @ParameterizedTest
  @CsvSource({"shim, EOPNOTSUPP", "shim, ENOSYS", "libc, EOPNOTSUPP", "libc, ENOSYS"})
  void reserve_notSupported_goesOn(String lane, String errno) throws IOException {
    assertWrote(failing(50, lane, "size=10000", "fallocate:error=" + errno));
    assertThat(file).hasContent("a".repeat(10_000));
  }

  @ParameterizedTest
  @ValueSource(strings = {"shim", "libc"})
  void write_comesBackShort_goesOnAtTheNextByte(String lane) throws IOException {
    Traced traced = failing(200, lane, "", "write:retval=5:when=1");
    assertThat(traced.answer()).isEqualTo("wrote 100");
    assertThat(traced.all("write")).hasSize(2);
    assertThat(traced.all("write").get(1).arguments()).endsWith(", 95");
  }

  @ParameterizedTest
  @ValueSource(strings = {"shim", "libc"})
  void write_takesNothing_isAnErrorAndNoSpin(String lane) throws IOException {
    Traced traced = failing(200, lane, "", "write:retval=0");
    assertThat(traced.answer()).startsWith("FileSystemException ").contains("no byte was taken");
    traced.only("write");
    assertThat(file).hasContent(MountedFilesTest.text(200, 'o'));
  }

  @ParameterizedTest
  @ValueSource(strings = {"shim", "libc"})
  void write_failsAtOnce_keepsTheOldFile(String lane) throws IOException {
    Traced traced = failing(200, lane, "", "write:error=EIO");
    assertThat(traced.answer()).startsWith("FileSystemException ").contains("write: EIO");
    assertThat(file).hasContent(MountedFilesTest.text(200, 'o'));
  }

  @ParameterizedTest
  @CsvSource({"shim, text", "shim, array", "libc, text", "libc, array"})
  void write_failsMidway_cutsAndTellsTheCount(String lane, String data) throws IOException {
    Traced traced = failing(1_400_000, lane, "size=1350000 data=" + data, "write:error=EIO:when=2");
    String count = traced.all("write").get(0).result();
    assertThat(traced.answer())
        .startsWith("PartialWriteException " + file + ": write: EIO")
        .endsWith(" count " + count);
    assertThat(traced.only("ftruncate").arguments()).endsWith(", " + count);
    assertThat(Files.size(file)).isEqualTo(Long.parseLong(count));
  }

  @ParameterizedTest
  @ValueSource(strings = {"shim", "libc"})
  void write_failsMidwayWithoutTruncating_leavesTheSize(String lane) throws IOException {
    for (String flags : new String[] {"r+", "a"}) {
      // More than one mebibyte, which an append cuts too.
      Traced traced =
          failing(400_000, lane, "size=1400000 flags=" + flags, "write:error=EIO:when=2");
      assertThat(traced.answer()).startsWith("PartialWriteException ");
      assertThat(traced.all("ftruncate", "fallocate")).as(flags).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"shim", "libc"})
  void truncate_fails_isThrown(String lane) throws IOException {
    Traced traced = failing(200, lane, "flush=FULL", "ftruncate:error=EIO");
    assertThat(traced.answer()).startsWith("FileSystemException ").contains("ftruncate: EIO");
  }

  @ParameterizedTest
  @ValueSource(strings = {"shim", "libc"})
  void truncate_failsAfterAFailedWrite_isSuppressed(String lane) throws IOException {
    Traced traced =
        failing(
            1_400_000, lane, "size=1350000", "write:error=EIO:when=2", "ftruncate:error=ENOSPC");
    assertThat(traced.answer())
        .startsWith("PartialWriteException ")
        .containsPattern("suppressed .*ftruncate: ENOSPC");
  }

  @ParameterizedTest
  @ValueSource(strings = {"shim", "libc"})
  void look_fails_isThrownBeforeAnyByte(String lane) throws IOException {
    Traced traced = failing(200, lane, "", "statx:error=EIO");
    assertThat(traced.answer()).startsWith("FileSystemException ").contains("statx: EIO");
    assertThat(traced.all("write", "ftruncate")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "shim, EMFILE",
    "shim, ENFILE",
    "shim, ENOSPC",
    "libc, EMFILE",
    "libc, ENFILE",
    "libc, ENOSPC",
    "nio, EMFILE",
    "nio, ENFILE",
    "nio, ENOSPC",
  })
  void open_fails_namesTheErrnoAndThePath(String lane, String errno) throws IOException {
    Files.writeString(file, "old");
    Traced traced = jvm(lane).runInjecting(file, "", "openat:error=" + errno);
    assertThat(traced.answer())
        .startsWith("FileSystemException " + file + ": open(")
        .contains(errno);
    assertThat(file).hasContent("old");
  }

  @ParameterizedTest
  @CsvSource({"fsync, EIO", "write, ENOSPC", "write, EIO"})
  void call_failsOnNio_isThrownWithItsErrno(String call, String errno) throws IOException {
    Files.writeString(file, "old");
    long before = jvm("nio").openCount(file);
    Traced traced = jvm("nio").runInjecting(file, "flush=FULL", call + ":error=" + errno);
    assertThat(traced.answer()).startsWith("FileSystemException ").contains(call + ": " + errno);
    assertThat(jvm("nio").openCount(file)).isEqualTo(before);
  }
}
