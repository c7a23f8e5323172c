package io.github.files2;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.files2.TracedJvm.Call;
import io.github.files2.TracedJvm.Traced;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What is on the disk if the power fails during or after a write: every state that {@link
 * DiskModel} allows after each system call that the lanes were seen to make. The first tests show
 * that the check finds what is wrong.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class PowerLossTest {
  /** More than two blocks, and a part of one. */
  private static final byte[] NEW = filled('a', 10_000);

  private static final byte[] OLD = filled('o', 14_000);
  private static final byte[] NONE = null;

  private final Map<String, TracedJvm> jvms = new TreeMap<>();
  private Path folder;
  private Path file;

  private static byte[] filled(char letter, int count) {
    byte[] bytes = new byte[count];
    Arrays.fill(bytes, (byte) letter);
    return bytes;
  }

  @BeforeAll
  void makeFolder() throws IOException {
    folder = new InMemory().createTempDirectory(null, null).toRealPath();
    file = folder.resolve("file");
  }

  @AfterAll
  void close() throws IOException {
    for (TracedJvm jvm : jvms.values()) {
      jvm.close();
    }
    Files.deleteIfExists(file);
    Files.delete(folder);
  }

  // --- The check

  /** A disk with an old file, and a step of a write. */
  private interface Step {
    void on(DiskModel disk);
  }

  private static final Step CREATE = disk -> disk.create("temp");
  private static final Step WRITE = disk -> disk.write(disk.find("temp"), 0, NEW);
  private static final Step SYNC = disk -> disk.sync(disk.find("temp"));
  private static final Step RENAME = disk -> disk.rename("temp", "file");
  private static final Step SYNC_RENAMED = disk -> disk.sync(disk.find("file"));
  private static final Step SYNC_FOLDER = DiskModel::syncFolder;

  /** Returns what is wrong, "" for nothing: a state that is neither, or is old at the end. */
  private static String breach(Step... steps) {
    DiskModel disk = new DiskModel();
    disk.addDurable("file", OLD);
    for (Step step : steps) {
      step.on(disk);
      if (!isEachOneOf(disk, OLD, NEW)) {
        return "mixed";
      }
    }
    return isEachOneOf(disk, NEW) ? "" : "not durable";
  }

  private static boolean isEachOneOf(DiskModel disk, byte[]... allowed) {
    return disk.afterPowerLoss("file").stream()
        .allMatch(found -> Arrays.stream(allowed).anyMatch(one -> Arrays.equals(one, found)));
  }

  @Test
  void check_rightOrder_findsNothing() {
    assertThat(breach(CREATE, WRITE, SYNC, RENAME, SYNC_FOLDER)).isEmpty();
  }

  @Test
  void check_wrongOrders_findsThem() {
    assertThat(breach(CREATE, WRITE, RENAME, SYNC_FOLDER)).as("no fsync").isEqualTo("mixed");
    assertThat(breach(CREATE, SYNC, WRITE, RENAME, SYNC_FOLDER))
        .as("fsync before the write")
        .isEqualTo("mixed");
    assertThat(breach(CREATE, WRITE, RENAME, SYNC_RENAMED, SYNC_FOLDER))
        .as("fsync after the rename")
        .isEqualTo("mixed");
    assertThat(breach(CREATE, WRITE, SYNC, RENAME))
        .as("no fsync of the folder")
        .isEqualTo("not durable");
    assertThat(breach(CREATE, WRITE, SYNC, SYNC_FOLDER, RENAME))
        .as("fsync of the folder before the rename")
        .isEqualTo("not durable");
  }

  @Test
  void check_writesInPlace_findsThem() {
    Step truncate = disk -> disk.truncate(disk.find("file"), 0);
    Step write = disk -> disk.write(disk.find("file"), 0, NEW);
    Step cut = disk -> disk.truncate(disk.find("file"), NEW.length);
    assertThat(breach(truncate, write, SYNC_RENAMED)).isEqualTo("mixed");
    assertThat(breach(write, cut, SYNC_RENAMED)).isEqualTo("mixed");
    // What O_SYNC does: the write is on the disk, and the cut that follows is not.
    DiskModel disk = new DiskModel();
    disk.addDurable("file", OLD);
    write.on(disk);
    SYNC_RENAMED.on(disk);
    cut.on(disk);
    assertThat(isEachOneOf(disk, NEW)).isFalse();
    SYNC_RENAMED.on(disk);
    assertThat(isEachOneOf(disk, NEW)).isTrue();
  }

  @Test
  void check_halfOfTheBlocks_isAState() {
    DiskModel disk = new DiskModel();
    disk.addDurable("file", OLD);
    disk.write(disk.find("file"), 0, NEW);
    byte[] half = OLD.clone();
    System.arraycopy(NEW, 4096, half, 4096, 4096);
    assertThat(disk.afterPowerLoss("file")).anyMatch(found -> Arrays.equals(found, half));
    assertThat(disk.afterPowerLoss("file")).hasSize(2 * 8);
  }

  // --- The lanes

  /** What is there before. */
  private enum Before {
    NOTHING,
    SHORTER,
    LONGER;

    byte[] content() {
      return this == NOTHING ? NONE : this == SHORTER ? filled('o', 5000) : OLD;
    }
  }

  /** Returns the calls of a write, which must have succeeded. */
  private List<Call> calls(String lane, Before before, String wish) throws IOException {
    TracedJvm jvm = jvms.get(lane);
    if (jvm == null) {
      jvm = new TracedJvm(folder.getParent(), lane);
      jvms.put(lane, jvm);
      jvm.warmUp(file, "atomic=");
      jvm.warmUp(file, "");
    }
    Files.deleteIfExists(file);
    if (before != Before.NOTHING) {
      Files.write(file, before.content());
    }
    Traced traced = jvm.runInFolder(file, "size=" + NEW.length + " " + wish);
    assertThat(traced.answer()).isEqualTo("wrote " + NEW.length);
    return traced.calls();
  }

  /** Returns the disk after the calls; {@code breaches} gets what was wrong in between. */
  private DiskModel replayed(List<Call> calls, Before before, List<String> breaches) {
    DiskModel disk = new DiskModel();
    if (before != Before.NOTHING) {
      disk.addDurable("file", before.content());
    }
    CallReplay replay = new CallReplay(disk, folder, NEW);
    for (Call call : calls) {
      replay.replay(call);
      if (!isEachOneOf(disk, before.content(), NEW)) {
        breaches.add("after " + call);
      }
    }
    return disk;
  }

  @ParameterizedTest
  @CsvSource({
    "shim, atomic=",
    "shim, atomic= flush=DATA",
    "libc, atomic=",
    "libc, atomic= flush=DATA",
    "nio, atomic=",
    "nio, atomic= flush=FULL"
  })
  void atomicWrite_powerFailsAtAnyMoment_leavesTheOldOrTheNew(String lane, String wish)
      throws IOException {
    for (Before before : Before.values()) {
      checkAtomic(lane, before, wish);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"shim", "libc", "nio"})
  void atomicWrite_exclusive_leavesNothingOrTheNew(String lane) throws IOException {
    checkAtomic(lane, Before.NOTHING, "atomic= flags=wx");
  }

  private void checkAtomic(String lane, Before before, String wish) throws IOException {
    List<String> breaches = new ArrayList<>();
    List<Call> calls = calls(lane, before, wish);
    DiskModel disk = replayed(calls, before, breaches);
    assertThat(breaches).isEmpty();
    assertThat(isEachOneOf(disk, NEW)).as("durable: %s", calls).isTrue();
  }

  /** As the contract says: then it is for readers only. */
  @ParameterizedTest
  @ValueSource(strings = {"shim", "libc", "nio"})
  void atomicWrite_notFlushed_mayLoseBoth(String lane) throws IOException {
    List<String> breaches = new ArrayList<>();
    replayed(calls(lane, Before.LONGER, "atomic= flush=NONE"), Before.LONGER, breaches);
    assertThat(breaches).isNotEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "shim, flush=FULL",
    "shim, flush=DATA",
    "shim, flush=FULL overwrite=TRUNCATE",
    "shim, flush=FULL onlyIfChanged=",
    "shim, flush=FULL target=fd",
    "shim, flush=DATA target=descriptor",
    "'shim', 'target=nio options=CREATE,TRUNCATE_EXISTING,WRITE,SYNC'",
    "'shim', 'target=nio options=CREATE,TRUNCATE_EXISTING,WRITE,DSYNC'",
    "libc, flush=FULL",
    "libc, flush=DATA",
    "libc, flush=FULL target=fd",
    "'libc', 'target=nio options=CREATE,TRUNCATE_EXISTING,WRITE,SYNC'",
    "nio, flush=FULL",
    "nio, flush=DATA",
    "'nio', 'target=nio options=CREATE,TRUNCATE_EXISTING,WRITE,DSYNC'"
  })
  void flushedWrite_powerFailsAfterwards_leavesTheNew(String lane, String wish) throws IOException {
    for (Before before : Before.values()) {
      List<Call> calls = calls(lane, before, wish);
      DiskModel disk = replayed(calls, before, new ArrayList<>());
      // The name of a new file is durable only with its folder, which is not synced.
      boolean isOnDisk =
          before == Before.NOTHING ? isEachOneOf(disk, NONE, NEW) : isEachOneOf(disk, NEW);
      assertThat(isOnDisk).as("%s: %s", before, calls).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"shim", "libc", "nio"})
  void write_notFlushed_mayBeLost(String lane) throws IOException {
    List<Call> calls = calls(lane, Before.LONGER, "");
    assertThat(isEachOneOf(replayed(calls, Before.LONGER, new ArrayList<>()), NEW)).isFalse();
  }
}
