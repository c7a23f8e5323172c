package io.github.files2;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Small programs: their standard streams, and their first calls. */
final class ProgramTest extends EachLaneTest {
  private static final int THREADS = 16;

  private static ChildProgram child(Class<?> program, String... arguments) {
    ChildProgram child = new ChildProgram(program, arguments);
    return LANE.isEmpty() ? child : child.with("-D" + Settings.BACKEND + "=" + LANE);
  }

  @Test
  void write_standardStreams_appearsInOrder() throws Exception {
    Needs.tool("sh");
    ChildProgram child = child(Streams.class).under("sh", "-c", "exec \"$@\" 2>&1", "sh");
    assertThat(child.run().ok()).isEqualTo("1 caf\u00e9\n2\n3\n4\n5\n6\n");
  }

  static final class Streams {
    private Streams() {}

    public static void main(String[] arguments) throws IOException {
      Files2.writeStringSync(1, "1 caf\u00e9\n");
      Files2.writeStringSync(2, "2\n");
      Files2.writeStringSync(FileDescriptor.out, "3\n", WriteOptions.DEFAULT.flush(true));
      Files2.appendStringSync(FileDescriptor.err, "4\n");
      Files2.writeBytesSync(1, new byte[] {'5', '\n'}, WriteOptions.DEFAULT.flush(true));
      byte[] last = "6\n".getBytes(StandardCharsets.US_ASCII);
      Files2.writeBytesSync(FileDescriptor.out, ByteBuffer.wrap(last));
      Files2.fsyncSync(1); // a pipe: there is nothing to sync, and no error
    }
  }

  @Test
  void write_oneFileDescriptorVeryOften_needsNoMoreMemory() throws Exception {
    Needs.linux();
    child(ManyWrites.class, "400000").with("-Xmx12m").run().ok();
  }

  static final class ManyWrites {
    private ManyWrites() {}

    public static void main(String[] arguments) throws IOException {
      int count = Integer.parseInt(arguments[0]);
      try (FileOutputStream out = new FileOutputStream("/dev/null")) {
        for (int i = 0; i < count; i++) {
          Files2.writeStringSync(out.getFD(), "x");
        }
      }
    }
  }

  @Test
  void write_firstCallsOfManyThreads_areAllDone() throws Exception {
    child(FirstCalls.class, folder.toString()).run().ok();
    try (var files = Files.list(folder)) {
      assertThat(files)
          .hasSize(THREADS)
          .allSatisfy(file -> assertThat(file).hasContent("one two three"));
    }
  }

  static final class FirstCalls {
    private FirstCalls() {}

    public static void main(String[] arguments) throws InterruptedException {
      CountDownLatch start = new CountDownLatch(1);
      Thread[] threads = new Thread[THREADS];
      for (int i = 0; i < THREADS; i++) {
        Path file = Path.of(arguments[0], "file" + i);
        threads[i] = new Thread(() -> writeAll(file, start));
        threads[i].start();
      }
      start.countDown();
      for (Thread thread : threads) {
        thread.join();
      }
    }

    private static void writeAll(Path file, CountDownLatch start) {
      try {
        start.await();
        Files2.writeStringSync(file, "one ");
        Files2.appendStringSync(file, "two ");
        int fd = Files2.openSync(file, "a");
        Files2.writeStringSync(fd, "three");
        Files2.closeSync(fd);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
