package io.github.files2;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/** One process of Node that does job after job. Used by one thread at a time. */
final class NodeProcess implements AutoCloseable {
  private final Process process;
  private final OutputStream jobs;
  private final BufferedReader answers;

  NodeProcess() throws IOException {
    process =
        new ProcessBuilder(Needs.tool("node").toString(), script().toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    jobs = process.getOutputStream();
    answers = process.inputReader(StandardCharsets.US_ASCII);
  }

  private static Path script() {
    try {
      return Path.of(Objects.requireNonNull(NodeProcess.class.getResource("node-jobs.js")).toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Has Node begin with the job. */
  void begin(Path path, NodeJob job) throws IOException {
    jobs.write((path + "\t" + job + "\n").getBytes(StandardCharsets.US_ASCII));
    jobs.flush();
  }

  /** Waits for the job's end and returns what the open, if any, and each step ended with. */
  List<String> end() throws IOException {
    String answer = answers.readLine();
    if (answer == null) {
      throw new IOException("node has ended");
    }
    return List.of(answer.split("\\|"));
  }

  @Override
  public void close() throws IOException {
    jobs.close();
    try {
      if (!process.waitFor(10, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      process.destroyForcibly();
    }
  }
}
