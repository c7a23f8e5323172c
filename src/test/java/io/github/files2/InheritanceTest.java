package io.github.files2;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.jna.Function;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a program started with fork and exec finds open. */
final class InheritanceTest {
  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(strings = {"shim", "libc"})
  void open_childProcess_inheritsNothing(String lane) throws IOException {
    Backend backend = Lanes.needed(lane);
    Path file = folder.resolve("file");
    int fd = backend.open(file, OpenFlags.WRITE, 0600);
    try (var stream = backend.newOutputStream(folder.resolve("stream"), WritePlan.REPLACE)) {
      stream.write('a');
      Path list = folder.resolve("list");
      // Not ProcessBuilder: the JDK's child closes everything itself.
      int status =
          Function.getFunction("c", "system")
              .invokeInt(new Object[] {"ls -l /proc/self/fd > " + list});
      assertThat(status).isZero();
      assertThat(Files.readString(list)).contains("/list").doesNotContain("/file", "/stream");
    } finally {
      Files2.closeSync(fd);
    }
  }
}
