package io.github.files2;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Runs a program of the tests in a JVM of its own, for what a process has only one of: its user,
 * umask, limits, locale, properties. Not safe for use by many threads.
 */
final class ChildJvm {
  private static final int SECONDS = 120;

  private final List<String> wrapper = new ArrayList<>();
  private final List<String> jvmOptions = new ArrayList<>();
  private Map<String, String> environment = Map.of();
  private Path workingFolder;
  private String classPath = classPath();

  /** What a program has printed on both streams, and how it ended. */
  record Result(int exitStatus, String output) {
    List<String> lines() {
      return output.lines().toList();
    }
  }

  /** Starts the JVM through this command. */
  ChildJvm through(String... command) {
    wrapper.addAll(List.of(command));
    return this;
  }

  ChildJvm withOption(String option) {
    jvmOptions.add(option);
    return this;
  }

  ChildJvm withEnvironment(String name, String value) {
    environment = Map.of(name, value);
    return this;
  }

  ChildJvm in(Path folder) {
    workingFolder = folder;
    return this;
  }

  /** Runs the JVM as a user that permissions apply to; {@code folder} is open to everybody then. */
  ChildJvm asNobody(Path folder) throws IOException {
    Path copy = Files.createDirectory(folder.resolve("class-path"));
    List<String> entries = new ArrayList<>();
    for (String entry : classPath.split(":")) {
      entries.add(copyOf(Path.of(entry), copy.resolve(String.valueOf(entries.size()))));
    }
    classPath = String.join(":", entries);
    Path temp = Files.createDirectory(folder.resolve("temp"));
    Files.setPosixFilePermissions(temp, PosixFilePermissions.fromString("rwxrwxrwx"));
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    return through(Needs.tool("setpriv").toString(), "--reuid=65534", "--regid=65534")
        .through("--clear-groups")
        .withOption("-Djava.io.tmpdir=" + temp)
        .withOption("-Djna.tmpdir=" + temp);
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

  private static String classPath() {
    List<String> entries = new ArrayList<>();
    for (Class<?> type : List.of(Files2.class, ChildJvm.class, com.sun.jna.Native.class)) {
      try {
        entries.add(
            Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI()).toString());
      } catch (URISyntaxException e) {
        throw new IllegalStateException(e);
      }
    }
    return String.join(":", entries);
  }

  /** Runs the program to its end. */
  Result run(Class<?> program, String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(wrapper);
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData"));
    if (Runtime.version().feature() >= 24) {
      command.add("--enable-native-access=ALL-UNNAMED");
    }
    command.addAll(jvmOptions);
    command.addAll(List.of("-cp", classPath, program.getName()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().putAll(environment);
    if (workingFolder != null) {
      builder.directory(workingFolder.toFile());
    }
    Process process = builder.start();
    process.getOutputStream().close();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (!process.waitFor(SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new AssertionError("still running: " + command + "\n" + output);
    }
    return new Result(process.exitValue(), output);
  }
}
