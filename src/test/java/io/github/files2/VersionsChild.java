package io.github.files2;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

/** A JVM that runs {@link VersionsProgram}. Closing it kills it, at whatever it does. */
final class VersionsChild implements AutoCloseable {
  private final Process process;
  private final Thread listener = new Thread(this::listen);
  private final CountDownLatch isReady = new CountDownLatch(1);
  private volatile int written;

  /**
   * Starts it.
   *
   * @param options options of the JVM
   */
  VersionsChild(String lane, Path file, int first, String[] options, String... flush)
      throws IOException {
    ChildProgram child =
        new ChildProgram(VersionsProgram.class, file.toString(), String.valueOf(first))
            .withArguments(flush)
            .with(options)
            .with("-Dfiles2.backend=" + lane);
    written = first - 1;
    process = new ProcessBuilder(child.words()).redirectError(Redirect.INHERIT).start();
    listener.start();
  }

  private void listen() {
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(process.getInputStream()))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.equals("ready")) {
          isReady.countDown();
        } else {
          written = Integer.parseInt(line);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      isReady.countDown();
    }
  }

  /** Waits until it is ready, and lets it begin. */
  void begin() throws IOException, InterruptedException {
    isReady.await();
    process.getOutputStream().write('\n');
    process.getOutputStream().flush();
  }

  /** Returns the last version whose write has returned, as far as is known yet. */
  int written() {
    return written;
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** Kills it by SIGKILL, and waits until it is gone and all that it said is known. */
  @Override
  public void close() {
    try {
      // The process's own method would close its streams, and lose what is in them.
      process.toHandle().destroyForcibly();
      process.waitFor();
      listener.join();
    } catch (InterruptedException e) {
      throw new AssertionError("interrupted", e);
    }
  }
}
