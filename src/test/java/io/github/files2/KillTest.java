package io.github.files2;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.jna.Native;
import com.sun.jna.Platform;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Processes that write a file atomically are killed at any moment. Who reads it meanwhile sees one
 * whole version at any time, and afterwards nothing is there but that and the leftovers that the
 * contract tells of.
 */
final class KillTest {
  /** For each lane: a start of a JVM is what takes the time. Hundreds more are in kill_test.c. */
  private static final int KILLS = Boolean.getBoolean("files2.full") ? 400 : 30;

  /** From the begin of a child's writing to its end, at most. */
  private static final int MOST_MICROS = 12_000;

  @TempDir(factory = InMemory.class)
  Path folder;

  @Test
  void atomicWriter_killedAtAnyMoment_leavesOneWholeVersion() throws Exception {
    long seed = Long.getLong("files2.seed", System.nanoTime());
    System.out.println("KillTest: -Dfiles2.seed=" + seed);
    List<Callable<Integer>> tasks = new ArrayList<>();
    for (LaneUnderTest lane : LaneUnderTest.values()) {
      lane.backend();
      tasks.add(() -> killMany(lane.propertyName(), new Random(seed)));
    }
    int leftovers = 0;
    ExecutorService executor = Executors.newFixedThreadPool(2);
    try {
      for (Future<Integer> task : executor.invokeAll(tasks)) {
        leftovers += task.get();
      }
    } finally {
      executor.shutdownNow();
    }
    // Else no kill came in the middle of a write.
    assertThat(leftovers).isPositive();
  }

  /** Returns how many leftovers there were. */
  private int killMany(String lane, Random random) throws Exception {
    Path here = Files.createDirectory(folder.resolve(lane));
    Path file = here.resolve("file");
    String[] options = optionsWithJna(folder.resolve("jna-" + lane));
    Files.writeString(file, Version.text(0));
    int last = 0;
    try (VersionsReader reader = new VersionsReader(file)) {
      for (int kill = 0; kill < KILLS; kill++) {
        VersionsChild child = new VersionsChild(lane, file, last + 1, options);
        try (child) {
          child.begin();
          LockSupport.parkNanos(random.nextInt(MOST_MICROS) * 1000L);
          assertThat(child.isAlive()).as("%s: a writer that ended by itself", lane).isTrue();
        }
        int found = Version.of(Files.readAllBytes(file));
        assertThat(found).as("%s: not what was written", lane).isGreaterThanOrEqualTo(last);
        assertThat(found).isBetween(child.written(), child.written() + 1);
        last = found;
      }
      assertThat(reader.seen()).as("%s: versions that the reader saw", lane).isPositive();
    }
    Files.delete(here.resolve("other"));
    return removeLeftovers(here, file);
  }

  /** Checks that there is nothing but the file and what {@code removeLeftovers} takes away. */
  private static int removeLeftovers(Path folder, Path file) throws IOException {
    int count = 0;
    try (Stream<Path> files = Files.list(folder)) {
      for (Path left : (Iterable<Path>) files::iterator) {
        if (!left.equals(file)) {
          assertThat(TempName.matches(left.getFileName().toString())).as("%s", left).isTrue();
          Files.setLastModifiedTime(left, FileTime.fromMillis(0));
          count++;
        }
      }
    }
    assertThat(Files2.removeLeftovers(folder)).isEqualTo(count);
    assertThat(folder).isDirectoryNotContaining(path -> !path.equals(file));
    return count;
  }

  /** Unpacks JNA's library once, where each start would, and a kill would leave it. */
  private static String[] optionsWithJna(Path folder) throws IOException {
    Files.createDirectory(folder);
    String name = System.mapLibraryName("jnidispatch");
    String resource = "/com/sun/jna/" + Platform.RESOURCE_PREFIX + "/" + name;
    try (InputStream in = Native.class.getResourceAsStream(resource)) {
      Files.copy(in, folder.resolve(name));
    }
    return new String[] {"-Djna.boot.library.path=" + folder, "-Djna.tmpdir=" + folder};
  }

  /** Reads the file all the time. */
  private static final class VersionsReader implements AutoCloseable {
    private final Path file;
    private final Thread thread = new Thread(this::read);
    private volatile boolean ends;
    private volatile Throwable failure;
    private int last;
    private int seen;

    VersionsReader(Path file) {
      this.file = file;
      thread.start();
    }

    private void read() {
      try {
        while (!ends) {
          int version = Version.of(Files.readAllBytes(file));
          if (version < last) {
            throw new AssertionError(version + " after " + last);
          }
          seen += version > last ? 1 : 0;
          last = version;
          Thread.sleep(0, 200_000); // the machine is the writers', too
        }
      } catch (NoSuchFileException e) {
        failure = new AssertionError("there was no file", e);
      } catch (IOException | InterruptedException | AssertionError e) {
        failure = e;
      }
    }

    /** Returns how many versions were seen. */
    int seen() {
      return seen;
    }

    @Override
    public void close() {
      ends = true;
      try {
        thread.join();
      } catch (InterruptedException e) {
        throw new AssertionError("interrupted", e);
      }
      assertThat(failure).isNull();
    }
  }
}
