package io.github.files2.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A worker's process, and what it is called: see {@link CompareWorker} for what is said. */
final class Contender implements AutoCloseable {
  final String name;
  final Path folder;
  private final Process process;
  private final BufferedReader answers;

  /**
   * Starts it.
   *
   * @param folder where it writes; made new
   * @param command the program and its arguments, to which the folder is added
   */
  Contender(String name, Path folder, List<String> command) throws IOException {
    this.name = name;
    this.folder = Files.createDirectory(folder);
    List<String> words = new ArrayList<>(command);
    words.add(folder.toString());
    process = new ProcessBuilder(words).redirectError(Redirect.INHERIT).start();
    answers = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8));
  }

  private String ask(String... fields) throws IOException {
    process.getOutputStream().write((String.join("\t", fields) + "\n").getBytes(UTF_8));
    process.getOutputStream().flush();
    String answer = answers.readLine();
    if (answer == null || answer.startsWith("failed")) {
      throw new IOException(name + ", " + String.join(" ", fields) + ": " + answer);
    }
    return answer;
  }

  /** Prepares for the work. Returns "", or why it can't do it. */
  String begin(Workload workload, Path textFile) throws IOException {
    String answer =
        ask(
            "begin",
            workload.work(),
            textFile.toString(),
            String.valueOf(workload.bytes()),
            String.valueOf(workload.threads()));
    return answer.equals("ok") ? "" : answer;
  }

  /** Returns how the worker has ended, or throws {@code failure} where it still runs. */
  String end(IOException failure) throws IOException {
    try {
      if (process.waitFor(1, TimeUnit.SECONDS)) {
        return name + ": it has ended with status " + process.exitValue();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    throw failure;
  }

  /** Works and returns the nanoseconds that it took. */
  long run(int count) throws IOException {
    return Long.parseLong(ask("run", String.valueOf(count)));
  }

  void end() throws IOException {
    ask("end");
  }

  @Override
  public void close() throws IOException {
    try {
      process.getOutputStream().close();
    } catch (IOException e) {
      // The worker has ended before it read all that it was told.
    }
    try {
      process.waitFor();
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
    try (var files = Files.list(folder)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        Files.delete(file);
      }
    }
    Files.delete(folder);
  }
}
