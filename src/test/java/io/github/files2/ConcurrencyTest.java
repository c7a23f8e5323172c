package io.github.files2;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.FileInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Several writers at once, of one process and of many, and interrupts at any moment. */
final class ConcurrencyTest {
  private static final int PROCESSES = 3;
  private static final int WRITES = 400;

  @TempDir(factory = InMemory.class)
  Path folder;

  @ParameterizedTest
  @EnumSource
  void append_fromManyProcesses_keepsRecordsWhole(LaneUnderTest lane) throws Exception {
    appendFromManyProcesses(lane, "append");
  }

  @ParameterizedTest
  @EnumSource
  void appender_inEachOfManyProcesses_keepsRecordsWhole(LaneUnderTest lane) throws Exception {
    appendFromManyProcesses(lane, "appender");
  }

  private void appendFromManyProcesses(LaneUnderTest lane, String job) throws Exception {
    lane.backend();
    Path file = folder.resolve("file");
    List<Process> processes = new ArrayList<>();
    for (int i = 0; i < PROCESSES; i++) {
      ChildProgram program =
          new ChildProgram(ConcurrencyProgram.class, job, file.toString(), "" + 10 * i)
              .with("-Dfiles2.backend=" + lane.propertyName());
      Path out = folder.resolve("out" + i);
      processes.add(
          new ProcessBuilder(program.words())
              .redirectErrorStream(true)
              .redirectOutput(out.toFile())
              .start());
    }
    for (int i = 0; i < PROCESSES; i++) {
      assertThat(processes.get(i).waitFor(120, TimeUnit.SECONDS)).isTrue();
      assertThat(folder.resolve("out" + i)).hasContent("appended");
    }
    List<String> records = Files.readAllLines(file);
    int count = PROCESSES * ConcurrencyProgram.THREADS * ConcurrencyProgram.RECORDS;
    assertThat(records).hasSize(count);
    for (String record : records) {
      assertThat(ConcurrencyProgram.RECORD_BYTES).contains(record.length() + 1);
      assertThat(record.chars().allMatch(unit -> unit == record.charAt(0))).isTrue();
    }
  }

  @ParameterizedTest
  @EnumSource
  void write_interruptedAtAnyMoment_completesAndLosesNothing(LaneUnderTest lane) throws Exception {
    Backend backend = lane.backend();
    Path file = folder.resolve("file");
    long seed = Long.getLong("files2.seed", System.nanoTime());
    System.out.println("ConcurrencyTest: -Dfiles2.seed=" + seed);
    Random random = new Random(seed);
    Thread writer = Thread.currentThread();
    AtomicBoolean isOver = new AtomicBoolean();
    Thread interrupter =
        new Thread(
            () -> {
              while (!isOver.get()) {
                writer.interrupt();
                Thread.onSpinWait();
              }
            });
    interrupter.start();
    List<String> wrongs = new ArrayList<>();
    try {
      for (int i = 0; i < WRITES && wrongs.isEmpty(); i++) {
        String text = (random.nextBoolean() ? "ascii" : "при").repeat(random.nextInt(60_000));
        WriteOptions options = WriteOptions.DEFAULT.flush(random.nextInt(4) == 0);
        backend.writeText(file, text, options.writePlan());
        // An interrupted thread can't read by a channel.
        boolean isInterrupted = Thread.interrupted();
        if (!new String(readAll(file), StandardCharsets.UTF_8).equals(text)) {
          wrongs.add("write " + i + " of " + text.length() + ", interrupted: " + isInterrupted);
        }
      }
    } finally {
      isOver.set(true);
      while (interrupter.isAlive()) {
        Thread.onSpinWait(); // join would be interrupted
      }
      Thread.interrupted();
    }
    assertThat(wrongs).as("seed %d", seed).isEmpty();
    try (var open = Files.list(Path.of("/proc/self/fd"))) {
      assertThat(open.filter(fd -> isOn(fd, file)).toList()).as("left open").isEmpty();
    }
  }

  private static byte[] readAll(Path file) throws Exception {
    try (var in = new FileInputStream(file.toFile())) {
      return in.readAllBytes();
    }
  }

  private static boolean isOn(Path fd, Path file) {
    try {
      return Files.readSymbolicLink(fd).equals(file);
    } catch (IOException e) {
      return false; // it was that of the list
    }
  }

  @Test
  void library_loadedByTwoLoaders_worksInBoth() {
    Lanes.needed("shim");
    String out =
        new ChildProgram(ConcurrencyProgram.class, "loaders", folder.toString()).run().ok();
    assertThat(out).containsPattern("(?s)wrote 11\nlane: shim.*wrote 11\nlane: (shim|libc)");
    assertThat(folder.resolve("file0")).hasContent("text при");
    assertThat(folder.resolve("file1")).hasContent("text при");
  }
}
