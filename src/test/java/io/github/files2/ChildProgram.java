package io.github.files2;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A JVM that a test starts, of the kind that runs the test, with Files2, its tests and JNA on the
 * class path unless told otherwise: for what a process has only one of, such as its user, umask,
 * limits, locale, properties. Each method adds to the command and returns this.
 */
final class ChildProgram {
  private static final int TIMEOUT_SECONDS = 120;
  static final String AGENT = "-javaagent:";

  private final List<String> wrapper = new ArrayList<>();
  private final List<String> options = new ArrayList<>();
  private final List<String> command = new ArrayList<>();
  private final Map<String, String> environment = new HashMap<>();
  private String classPath = classPath();
  private Path folder;

  ChildProgram(Class<?> program, String... arguments) {
    command.add(program.getName());
    withArguments(arguments);
    if (Runtime.version().feature() >= 24) {
      options.add("--enable-native-access=ALL-UNNAMED");
    }
    // What counts the code that tests reach, where there is one.
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(option -> option.startsWith(AGENT))
        .forEach(options::add);
  }

  /** What a child did. */
  record Result(int exitCode, String out, String err) {
    /** Checks that the child ended well, and returns what it printed. */
    String ok() {
      assertThat(exitCode).as("exit code; out: %s; err: %s", out, err).isZero();
      return out;
    }

    /** Returns the lines that a child printed which ended well. */
    List<String> lines() {
      return ok().lines().toList();
    }
  }

  /** Adds arguments of the program. */
  ChildProgram withArguments(String... arguments) {
    command.addAll(List.of(arguments));
    return this;
  }

  ChildProgram withEnvironment(String name, String value) {
    environment.put(name, value);
    return this;
  }

  /** Runs the child as a user that permissions apply to; {@code open} is open to everybody then. */
  ChildProgram asNobody(Path open) throws IOException {
    Path copy = Files.createDirectory(open.resolve("class-path"));
    List<String> entries = new ArrayList<>();
    for (String entry : classPath.split(File.pathSeparator)) {
      entries.add(copyOf(Path.of(entry), copy.resolve(String.valueOf(entries.size()))));
    }
    classPath = String.join(File.pathSeparator, entries);
    // An agent's jar is in the home of the user who builds.
    without(AGENT);
    Path temp = Files.createDirectory(open.resolve("temp"));
    Files.setPosixFilePermissions(temp, PosixFilePermissions.fromString("rwxrwxrwx"));
    Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxr-xr-x"));
    return under(Needs.tool("setpriv").toString(), "--reuid=65534", "--regid=65534")
        .under("--clear-groups")
        .with("-Djava.io.tmpdir=" + temp, "-Djna.tmpdir=" + temp);
  }

  private static String copyOf(Path entry, Path target) throws IOException {
    try (Stream<Path> files = Files.walk(entry)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        Path copy = target.resolve(entry.relativize(file).toString());
        Files.copy(file, file.equals(entry) ? target : copy);
      }
    }
    return target.toString();
  }

  /** Runs the child under a command such as {@code strace}. */
  ChildProgram under(String... words) {
    wrapper.addAll(List.of(words));
    return this;
  }

  ChildProgram with(String... jvmOptions) {
    options.addAll(List.of(jvmOptions));
    return this;
  }

  /** Takes the options of the JVM back that this class gives and that begin so. */
  ChildProgram without(String start) {
    options.removeIf(option -> option.startsWith(start));
    return this;
  }

  ChildProgram classPath(Path... entries) {
    classPath = String.join(File.pathSeparator, Stream.of(entries).map(Path::toString).toList());
    return this;
  }

  ChildProgram in(Path workingFolder) {
    folder = workingFolder;
    return this;
  }

  /** Returns the whole command. */
  List<String> words() {
    List<String> words = new ArrayList<>(wrapper);
    words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    // A child is short: what pays off later costs more than it brings.
    words.addAll(List.of("-XX:TieredStopAtLevel=1", "-cp", classPath));
    words.addAll(options);
    words.addAll(command);
    return words;
  }

  /** Runs the child to its end. */
  Result run() {
    try {
      Path out = Files.createTempFile("files2-child", ".out");
      Path err = Files.createTempFile("files2-child", ".err");
      try {
        ProcessBuilder builder = new ProcessBuilder(words());
        builder.environment().putAll(environment);
        if (folder != null) {
          builder.directory(folder.toFile());
        }
        // Files, so that neither pipe can fill up while the other is read.
        builder.redirectOutput(out.toFile()).redirectError(err.toFile());
        Process process = builder.start();
        process.getOutputStream().close();
        if (!process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
          process.destroyForcibly().waitFor();
          throw new AssertionError(
              "child still runs after " + TIMEOUT_SECONDS + " s; out: " + Files.readString(out));
        }
        return new Result(process.exitValue(), Files.readString(out), Files.readString(err));
      } finally {
        Files.delete(out);
        Files.delete(err);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new AssertionError("interrupted", e);
    }
  }

  /** Returns the class path of the tests: surefire may hide it behind a jar of its own. */
  static String classPath() {
    return String.join(
        File.pathSeparator,
        homeOf(Files2.class).toString(),
        homeOf(ChildProgram.class).toString(),
        jna().toString());
  }

  /** Returns where JNA's classes are. */
  static Path jna() {
    return homeOf(com.sun.jna.Native.class);
  }

  /** Returns the folder or jar that {@code type} came from. */
  static Path homeOf(Class<?> type) {
    try {
      return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (java.net.URISyntaxException e) {
      throw new AssertionError(e);
    }
  }
}
