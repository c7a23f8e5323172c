package io.github.files2;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A child that runs {@link TraceProgram} on one lane, with strace attached to its writing thread
 * alone: a whole JVM under strace is slow, and noisy.
 */
final class TracedJvm implements AutoCloseable {
  private static final Pattern CALL = Pattern.compile("(\\w+)\\((.*)\\) += (\\S+)(.*)");
  private static final int TIMEOUT_SECONDS = 30;

  private final Path folder;
  private final Process child;
  private final BufferedReader answers;
  private final String pid;
  private final String threadId;
  private Process strace;
  private Path log;
  private Path watched = Path.of("nothing");
  private int cases;

  /** A system call: its name, its arguments as strace prints them, what it returned. */
  record Call(String name, String arguments, String result) {}

  /** What a case answered, and the calls that named or held its file. */
  record Traced(String answer, List<Call> calls) {
    List<String> names() {
      return calls.stream().map(Call::name).toList();
    }

    /** Returns the calls with one of these names. */
    List<Call> all(String... names) {
      return calls.stream().filter(call -> List.of(names).contains(call.name())).toList();
    }

    Call only(String name) {
      assertThat(all(name)).as("%s in %s", name, calls).hasSize(1);
      return all(name).get(0);
    }
  }

  TracedJvm(Path folder, String lane, String... jvmOptions) throws IOException {
    Needs.root();
    Needs.tool("strace");
    this.folder = folder;
    ChildProgram jvm = new ChildProgram(TraceProgram.class).with("-Dfiles2.backend=" + lane);
    child =
        new ProcessBuilder(jvm.with(jvmOptions).words())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    answers = new BufferedReader(new InputStreamReader(child.getInputStream()));
    String[] ids = answers.readLine().split(" ");
    pid = ids[0];
    threadId = ids[1];
  }

  /** Attaches strace; {@code options} are its, as in {@code -e inject=...}. */
  private void attach(String... options) throws IOException {
    log = Files.createTempFile(folder, "trace", "");
    List<String> words = new ArrayList<>(List.of("strace", "-y", "-s", "8", "-p", threadId));
    words.addAll(List.of("-o", log.toString()));
    words.addAll(List.of(options));
    strace = new ProcessBuilder(words).redirectErrorStream(true).start();
    String first = new BufferedReader(new InputStreamReader(strace.getInputStream())).readLine();
    if (first == null || !first.contains("attached")) {
      strace.destroy();
      strace = null; // so that the next case does not wait for it
      throw new AssertionError("strace said: " + first);
    }
  }

  private void detach() {
    try {
      strace.destroy(); // it lets go of the thread first
      assertThat(strace.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)).isTrue();
      Files.delete(log);
      strace = null;
    } catch (InterruptedException e) {
      throw new AssertionError("interrupted", e);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Runs a case. */
  Traced run(Path file, String wish) throws IOException {
    if (strace == null) {
      attach("-e", "trace=%file,%desc");
    }
    return runTraced(file, wish);
  }

  /** Runs a case without any trace, so that what comes first only is behind it. */
  void warmUp(Path file, String wish) throws IOException {
    answer(file, wish, "warm");
  }

  /** Runs a case while strace makes calls on its file fail. */
  Traced runInjecting(Path file, String wish, String... injections) throws IOException {
    if (strace != null) {
      detach();
    }
    List<String> options =
        new ArrayList<>(List.of("-e", "trace=%file,%desc", "-P", file.toString()));
    options.addAll(List.of("-P", "/files2-marker/" + cases));
    for (String injection : injections) {
      options.addAll(List.of("-e", "inject=" + injection));
    }
    attach(options.toArray(new String[0]));
    try {
      return runTraced(file, wish);
    } finally {
      detach();
    }
  }

  /**
   * Runs a case while strace makes calls of the thread fail, whatever file they are on: the name of
   * a temporary one is not known before.
   */
  Traced runInjectingAnywhere(Path file, String wish, String... injections) throws IOException {
    if (strace != null) {
      detach();
    }
    List<String> options = new ArrayList<>(List.of("-e", "trace=%file,%desc"));
    for (String injection : injections) {
      options.addAll(List.of("-e", "inject=" + injection));
    }
    attach(options.toArray(new String[0]));
    try {
      return runTraced(file, wish);
    } finally {
      detach();
    }
  }

  private Traced runTraced(Path file, String wish) throws IOException {
    String marker = "/files2-marker/" + cases + "\"";
    int before = Files.readAllLines(log).size();
    String answer = answer(file, wish, String.valueOf(cases));
    cases++;
    List<String> lines = linesUntil(marker);
    List<Call> calls = new ArrayList<>();
    for (String line : lines.subList(before, lines.size())) {
      Matcher matcher = CALL.matcher(line);
      boolean isOurs = isOf(file, line) || isOf(watched, line);
      if (isOurs && matcher.matches()) {
        calls.add(new Call(matcher.group(1), matcher.group(2), matcher.group(3)));
      }
    }
    return new Traced(answer, calls);
  }

  private static boolean isOf(Path file, String line) {
    return line.contains("<" + file + ">")
        || line.contains("\"" + file + "\"")
        || line.contains("<" + file + "/" + TempName.PREFIX);
  }

  /** Shows the calls on {@code folder} and on what an atomic write makes in it too. */
  Traced runInFolder(Path file, String wish, String... injections) throws IOException {
    watched = file.getParent();
    try {
      return injections.length == 0
          ? run(file, wish)
          : runInjectingAnywhere(file, wish, injections);
    } finally {
      watched = file.getFileSystem().getPath("nothing");
    }
  }

  private String answer(Path file, String wish, String id) throws IOException {
    StringBuilder line = new StringBuilder("id=" + id + "\tfile=" + file);
    line.append("\tdata=text\tunit=a\tsize=100\ttarget=path"); // what comes later wins
    for (String pair : wish.split(" ")) {
      line.append(pair.isEmpty() ? "" : "\t" + pair);
    }
    child.getOutputStream().write((line + "\n").getBytes(java.nio.charset.StandardCharsets.UTF_8));
    child.getOutputStream().flush();
    return answers.readLine();
  }

  /** Returns the log once it holds the marker, cut there. */
  private List<String> linesUntil(String marker) throws IOException {
    long limitNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(TIMEOUT_SECONDS);
    while (System.nanoTime() < limitNanos) {
      List<String> lines = Files.readAllLines(log);
      for (int i = 0; i < lines.size(); i++) {
        if (lines.get(i).contains(marker)) {
          return lines.subList(0, i);
        }
      }
      Thread.onSpinWait();
    }
    throw new AssertionError("no " + marker + " in the trace");
  }

  /** Returns how many descriptors of the child are of {@code file}. */
  long openCount(Path file) throws IOException {
    try (Stream<Path> links = Files.list(Path.of("/proc", pid, "fd"))) {
      return links.filter(link -> isLinkTo(link, file)).count();
    }
  }

  private static boolean isLinkTo(Path link, Path file) {
    try {
      return Files.readSymbolicLink(link).equals(file);
    } catch (IOException e) {
      return false; // closed meanwhile
    }
  }

  @Override
  public void close() throws IOException {
    if (strace != null) {
      detach();
    }
    child.getOutputStream().close();
    try {
      assertThat(child.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError("interrupted", e);
    } finally {
      child.destroyForcibly();
    }
  }
}
