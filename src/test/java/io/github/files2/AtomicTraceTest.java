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
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which system calls whole-file writes make, and in which order. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class AtomicTraceTest {
  /**
   * What a program in C has to call to keep the promises of a durable atomic write: of a new file,
   * and of one that replaces another. Without durability the two fsync are left out.
   */
  private static final List<String> NEW_FLOOR =
      List.of(
          "openat",
          "statx",
          "openat",
          "flock",
          "write",
          "fsync",
          "renameat",
          "close",
          "fsync",
          "close");

  private static final List<String> REPLACING_FLOOR =
      List.of(
          "openat",
          "statx",
          "openat",
          "flock",
          "write",
          "fchown",
          "listxattr",
          "flistxattr",
          "fchmod",
          "fsync",
          "renameat",
          "close",
          "fsync",
          "close");

  private final Map<String, TracedJvm> jvms = new TreeMap<>();
  private Mount mount;
  private Path folder;
  private Path file;

  @BeforeAll
  void mount() throws IOException {
    mount = Mount.of("tmpfs");
    folder = Files.createDirectory(mount.root().resolve("folder"));
    file = folder.resolve("file");
  }

  private TracedJvm jvm(String lane) throws IOException {
    TracedJvm jvm = jvms.get(lane);
    if (jvm == null) {
      jvm = new TracedJvm(mount.root(), lane);
      // Not the file of the test, which may have been prepared already.
      Path other = mount.root().resolve("warm-up");
      jvm.warmUp(other, "atomic=");
      jvm.warmUp(other, ""); // what the file system promises is asked once
      jvms.put(lane, jvm);
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

  /** Returns the calls without the syncs, and without the folder that would be synced. */
  private static List<String> withoutSyncs(List<String> calls) {
    return calls.subList(1, calls.size() - 1).stream()
        .filter(call -> !call.equals("fsync"))
        .toList();
  }

  private Traced traced(String lane, String wish) throws IOException {
    Traced traced = jvm(lane).runInFolder(file, wish);
    assertThat(traced.answer()).as("%s", traced.calls()).isEqualTo("wrote 100");
    try (Stream<Path> files = Files.list(folder)) {
      assertThat(files).containsExactly(file);
    }
    return traced;
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " flush=FULL", " flush=DATA"})
  void shim_durable_makesTheCallsOfTheFloor(String flush) throws IOException {
    Files.deleteIfExists(file);
    assertThat(traced("shim", "atomic=" + flush).names()).isEqualTo(NEW_FLOOR);
    assertThat(traced("shim", "atomic=" + flush).names()).isEqualTo(REPLACING_FLOOR);
  }

  @ParameterizedTest
  @ValueSource(strings = {"text", "array", "direct"})
  void shim_notDurable_makesTheCallsOfTheFloorWithoutSyncs(String data) throws IOException {
    String wish = "atomic= flush=NONE data=" + data;
    Files.deleteIfExists(file);
    // Where the new file lies is not known: over a network its close might fail.
    List<String> closingFirst = new ArrayList<>(withoutSyncs(NEW_FLOOR));
    closingFirst.addAll(closingFirst.indexOf("renameat"), List.of("fcntl", "close"));
    assertThat(traced("shim", wish).names()).isEqualTo(closingFirst);
    assertThat(traced("shim", wish).names()).isEqualTo(withoutSyncs(REPLACING_FLOOR));
  }

  @ParameterizedTest
  @CsvSource({"shim, text", "shim, readonly", "libc, text", "libc, array", "nio, text"})
  void durable_syncsBeforeItRenamesAndTheFolderAfterwards(String lane, String data)
      throws IOException {
    Files.writeString(file, "old");
    List<Call> calls = traced(lane, "atomic= data=" + data).calls();
    List<String> names = calls.stream().map(Call::name).toList();
    int write = names.lastIndexOf("write");
    int fileSync = names.indexOf("fsync");
    int rename = names.indexOf(lane.equals("nio") ? "rename" : "renameat");
    int folderSync = names.lastIndexOf("fsync");
    assertThat(List.of(-1, write, fileSync, rename, folderSync))
        .as("%s", names)
        .isSorted()
        .doesNotHaveDuplicates();
    assertThat(names).filteredOn("fsync"::equals).hasSize(2);
    assertThat(calls.get(fileSync).arguments()).contains(TempName.PREFIX);
    assertThat(calls.get(folderSync).arguments()).contains("<" + folder + ">");
    assertThat(names).doesNotContain("ftruncate", "umask");
  }

  @ParameterizedTest
  @ValueSource(strings = {"shim", "libc"})
  void native_lockIsHeldUntilAfterTheRename(String lane) throws IOException {
    Files.writeString(file, "old");
    for (String flush : new String[] {"", " flush=NONE"}) {
      List<Call> calls = traced(lane, "atomic=" + flush).calls();
      List<String> names = calls.stream().map(Call::name).toList();
      int rename = names.indexOf("renameat");
      assertThat(names.indexOf("flock")).isBetween(0, names.indexOf("write"));
      assertThat(names.subList(rename, names.size())).contains("close");
      if (names.contains("fcntl")) {
        assertThat(calls.get(names.indexOf("fcntl")).arguments()).contains("F_DUPFD_CLOEXEC");
        // The descriptor that was written is closed before, its twin after.
        assertThat(names.subList(names.indexOf("fcntl"), rename)).containsOnlyOnce("close");
      } else {
        assertThat(names.subList(names.indexOf("write"), rename)).doesNotContain("close");
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "shim, fsync:error=EIO:when=1, fsync: EIO",
    "libc, fsync:error=EIO:when=1, fsync: EIO",
    "nio, fsync:error=EIO:when=1, fsync: EIO",
    "shim, write:error=EIO:when=1, write: EIO",
    "libc, write:error=EIO:when=1, write: EIO",
    "nio, write:error=EIO:when=1, write: EIO",
    "shim, renameat:error=EXDEV, rename: EXDEV",
    "libc, renameat:error=EXDEV, rename: EXDEV",
    "shim, fchmod:error=EIO, fchmod: EIO",
    "libc, fchmod:error=EIO, fchmod: EIO"
  })
  void failureBeforeTheRename_keepsTheOldFileAndLeavesNoOther(
      String lane, String injection, String expected) throws IOException {
    Files.writeString(file, "old");
    Traced traced = jvm(lane).runInjectingAnywhere(file, "atomic=", injection);
    assertThat(traced.answer()).contains("atomic write: " + expected, "the file is as it was");
    assertThat(file).hasContent("old");
    try (Stream<Path> files = Files.list(folder)) {
      assertThat(files).containsExactly(file);
    }
  }

  /** As over a network, where what was not synced may not even fit. */
  @ParameterizedTest
  @ValueSource(strings = {"shim", "libc"})
  void closeThatFailsBeforeTheRename_leavesNothing(String lane) throws IOException {
    Files.deleteIfExists(file);
    Traced traced =
        jvm(lane).runInjectingAnywhere(file, "atomic= flush=NONE", "close:error=EDQUOT:when=1");
    assertThat(traced.answer()).contains("atomic write: close: EDQUOT");
    assertThat(folder).isEmptyDirectory();
  }

  @ParameterizedTest
  @ValueSource(strings = {"shim", "libc"})
  void folderThatCantBeSynced_isTold(String lane) throws IOException {
    Files.writeString(file, "old");
    Traced failed = jvm(lane).runInjectingAnywhere(file, "atomic=", "fsync:error=EIO:when=2");
    assertThat(failed.answer()).contains("fsync of the folder: EIO", "the new content is in place");
    for (String ignored : new String[] {"EINVAL", "EOPNOTSUPP"}) {
      String injection = "fsync:error=" + ignored + ":when=2";
      assertThat(jvm(lane).runInjectingAnywhere(file, "atomic=", injection).answer())
          .isEqualTo("wrote 100");
    }
  }

  /** What is published has to be durable, whatever else goes wrong. */
  @ParameterizedTest
  @CsvSource({"shim, unlinkat, 1", "libc, unlinkat, 1", "nio, unlink, 1+"})
  void linkThatCantBeRemoved_isToldAndTheFolderSynced(String lane, String call, String when)
      throws IOException {
    Files.deleteIfExists(file);
    Traced traced =
        jvm(lane)
            .runInFolder(
                file,
                "atomic= flags=wx",
                "renameat2:error=ENOSYS",
                call + ":error=EIO:when=" + when);
    assertThat(traced.answer()).contains("tidying up: EIO", "the new content is in place");
    assertThat(traced.all("fsync")).hasSize(2);
    try (Stream<Path> files = Files.list(folder)) {
      for (Path each : (Iterable<Path>) files::iterator) {
        Files.delete(each);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"shim, renameat2", "libc, renameat2"})
  void exclusive_kernelWithoutNoReplace_linksInstead(String lane, String call) throws IOException {
    for (String error : new String[] {"ENOSYS", "EINVAL", "EPERM"}) {
      Files.deleteIfExists(file);
      String injection = call + ":error=" + error;
      assertThat(jvm(lane).runInjectingAnywhere(file, "atomic= flags=wx", injection).answer())
          .isEqualTo("wrote 100");
      assertThat(jvm(lane).runInjectingAnywhere(file, "atomic= flags=wx", injection).answer())
          .contains("FileAlreadyExistsException", "EEXIST");
      try (Stream<Path> files = Files.list(folder)) {
        assertThat(files).containsExactly(file);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"shim", "libc"})
  void fileSystemWithoutOwnersAndModes_isNoFailureWhereNothingChanges(String lane)
      throws IOException {
    Files.writeString(file, "old");
    Mount.run("chmod", "0600", file.toString());
    // npm/write-file-atomic#58: exFAT and CIFS refuse both.
    Traced traced =
        jvm(lane).runInjectingAnywhere(file, "atomic=", "fchown:error=EPERM", "fchmod:error=EPERM");
    assertThat(traced.answer()).isEqualTo("wrote 100");
    Mount.run("chmod", "0644", file.toString());
    traced = jvm(lane).runInjectingAnywhere(file, "atomic=", "fchmod:error=EPERM");
    assertThat(traced.answer()).contains("fchmod: EPERM", "the file is as it was");
  }

  // --- onlyIfChanged

  @ParameterizedTest
  @ValueSource(strings = {"text", "array", "direct"})
  void shim_unchanged_opensOnceToRead(String data) throws IOException {
    String wish = "size=12000 data=" + data;
    jvm("shim").warmUp(file, wish);
    Traced traced = jvm("shim").run(file, wish + " onlyIfChanged=");
    assertThat(traced.answer()).isEqualTo("wrote 0");
    assertThat(traced.names()).containsExactly("statx", "openat", "read", "close");
    assertThat(traced.only("openat").arguments()).contains("O_RDONLY");
  }

  @ParameterizedTest
  @ValueSource(strings = {"libc", "nio"})
  void otherLane_unchanged_neverOpensToWrite(String lane) throws IOException {
    jvm(lane).warmUp(file, "size=12000");
    Traced traced = jvm(lane).run(file, "size=12000 onlyIfChanged=");
    assertThat(traced.answer()).isEqualTo("wrote 0");
    assertThat(traced.only("openat").arguments()).contains("O_RDONLY");
    assertThat(traced.all("write", "ftruncate", "fsync")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"shim", "libc", "nio"})
  void otherSize_isWrittenWithoutReading(String lane) throws IOException {
    Files.writeString(file, "o".repeat(400));
    Traced traced = jvm(lane).run(file, "onlyIfChanged=");
    assertThat(traced.answer()).isEqualTo("wrote 100");
    assertThat(traced.all("read", "pread64").stream().filter(call -> !call.result().equals("0")))
        .hasSizeLessThanOrEqualTo(lane.equals("shim") ? 0 : 1);
  }
}
