package io.github.files2;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code java -jar files2.jar}, run as a user does. */
final class DoctorIT {
  private static final Path JAR = Path.of(System.getProperty("files2.jar"));
  private static final int TIMEOUT_SECONDS = 120;
  private static final String TEXT = "Grüße, мир, 世界, 🥳\n";

  private static final Pattern ROW =
      Pattern.compile(
          "(overwrite|create|append) +\\d+ (B|KiB|MiB) +\\S.* us +\\d+\\.\\d\\d"
              + " +\\d+\\.\\d\\d to \\d+\\.\\d\\d");

  /** One run to the end that several tests look at. */
  @TempDir private static Path sharedFolder;

  private static Result shared;

  @TempDir private Path folder;

  private record Result(int status, String out, String err) {}

  @BeforeAll
  static void runToTheEnd(@TempDir Path texts) throws Exception {
    Path text = Files.writeString(texts.resolve("text"), TEXT);
    shared = run(java("-jar", JAR.toString(), sharedFolder.toString(), text.toString()));
  }

  // --- A run to the end

  @Test
  void run_folderAndText_succeeds() {
    assertThat(shared.status).as(shared.err).isZero();
  }

  @Test
  void run_folderAndText_printsNoErrorNorWarning() {
    assertThat(shared.err).isEmpty();
  }

  @Test
  void run_folderAndText_leavesNothingBehind() throws IOException {
    assertThat(sharedFolder).isEmptyDirectory();
  }

  @Test
  void run_folderAndText_printsARowForEachSample() {
    // 3 ways to write x (3 sizes x 3 texts + the text file).
    assertThat(shared.out.lines().filter(line -> ROW.matcher(line).matches())).hasSize(30);
  }

  @Test
  void run_folderAndText_writesTheTextFile() {
    int byteCount = TEXT.getBytes(StandardCharsets.UTF_8).length;
    assertThat(shared.out).containsPattern("overwrite +" + byteCount + " B +your text ");
  }

  @Test
  void run_folderAndText_tellsTheMachineTheLaneAndTheFileSystem() throws IOException {
    assertThat(shared.out)
        .contains("java: " + System.getProperty("java.vm.name"))
        .contains("system: " + System.getProperty("os.name"))
        .contains(
            "folder: "
                + sharedFolder
                + ", file system "
                + Files.getFileStore(sharedFolder).type()
                + System.lineSeparator())
        .containsPattern("(?m)^lane: (shim|libc|nio)$");
  }

  @Test
  void run_jar_tellsTheVersion() {
    assertThat(shared.out).containsPattern("\\Afiles2: \\d+\\.\\d+\\.\\d+");
  }

  @Test
  void run_nativeLaneOnADisk_tellsWhyTheOverwriteRowsAreLarge() throws IOException {
    boolean isNative = !shared.out.contains("lane: nio");
    boolean isDisk = !Files.getFileStore(sharedFolder).type().equals("tmpfs");
    assertThat(shared.out.contains(" the overwrite rows tell mostly what emptying the file costs"))
        .isEqualTo(isNative && isDisk);
  }

  @Test
  void run_nativeLaneInMemory_hasNothingToTellOfTheOverwriteRows() throws Exception {
    // Both contenders append up to 16 MiB.
    try (Mount tmpfs = Mount.of("tmpfs", ",size=64m")) {
      Result result = run(doctor(Brief.class, tmpfs.root().toString()));
      assertThat(result.status).as(result.err).isZero();
      assertThat(result.out)
          .contains("file system tmpfs")
          .doesNotContain("emptying the file costs");
    }
  }

  @Test
  void run_forcedNio_succeedsToo() throws Exception {
    Result result = run(java("-Dfiles2.backend=nio", "-jar", JAR.toString(), folder.toString()));
    assertThat(result.out).contains("lane: nio").contains("append");
    assertThat(result.status).as(result.err).isZero();
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void run_otherBytesThanFiles_failsAndTellsWhere() throws Exception {
    Result result = run(doctor(Cheat.class, folder.toString()));
    assertThat(result.status).isEqualTo(1);
    assertThat(result.err.lines())
        .contains("files2: overwrite 1 KiB ASCII: the bytes differ from 1023 on")
        .hasSize(27);
    assertThat(result.out).contains("DIFFERS");
    assertThat(folder).isEmptyDirectory();
  }

  /** A doctor whose patient loses the last character. */
  static final class Cheat {
    public static void main(String[] args) {
      DoctorTrial.Contender cheat =
          (file, text, appends) ->
              DoctorTrial.FILES2.write(file, text.substring(0, text.length() - 1) + "?", appends);
      System.exit(new Doctor(System.out, System.err, cheat, 5).run(args));
    }
  }

  // --- Lanes

  @Test
  void run_noFolder_takesTheFolderForTemporaryFiles() throws Exception {
    String head = head(java("-Djava.io.tmpdir=" + folder, "-jar", JAR.toString()));
    assertThat(head).contains("folder: " + folder + ", ");
  }

  @Test
  void run_jarWithoutTheShim_takesLibcAndTellsWhy() throws Exception {
    Needs.linux();
    Path jar = copyJar(folder);
    try (FileSystem zip = FileSystems.newFileSystem(jar);
        DirectoryStream<Path> folders = Files.newDirectoryStream(zip.getPath("/"), "linux-*")) {
      for (Path platform : folders) {
        Files.deleteIfExists(platform.resolve("libfiles2-1.so"));
      }
    }
    assertThat(head(java("-jar", jar.toString(), folder.toString())))
        .contains("lane: libc")
        .containsPattern("passed over: shim: .*no linux-.*/libfiles2-1.so on the class path");
  }

  @Test
  void run_jarWithoutJna_takesNioAndTellsWhy() throws Exception {
    Path jar = Files.copy(JAR, folder.resolve("files2.jar"));
    assertThat(head(java("-jar", jar.toString(), folder.toString())))
        .contains("lane: nio")
        .contains("passed over: shim: ")
        .contains("passed over: libc: ");
  }

  @Test
  void run_unknownLane_isRefused() throws Exception {
    Result result = run(java("-Dfiles2.backend=fast", "-jar", JAR.toString(), folder.toString()));
    assertRefused(result, "files2.backend=fast is not one of shim, libc, nio");
    assertThat(folder).isEmptyDirectory();
  }

  // --- Arguments

  @ParameterizedTest
  @ValueSource(strings = {"-h", "--help"})
  void run_help_printsTheUsage(String option) throws Exception {
    Result result = runJar(folder.toString(), option);
    assertThat(result.out).startsWith("usage: java -jar files2.jar ");
    assertThat(result.err).isEmpty();
    assertThat(result.status).isZero();
    assertThat(folder).isEmptyDirectory();
  }

  @ParameterizedTest
  @ValueSource(strings = {"-", "-x", "--version"})
  void run_unknownOption_isRefusedWithTheUsage(String option) throws Exception {
    Result result = runJar(folder.toString(), option);
    assertRefused(result, "files2: unknown option: " + option + System.lineSeparator() + "usage: ");
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void run_threeArguments_isRefusedWithTheUsage() throws Exception {
    assertRefused(runJar(folder.toString(), "text", "more"), "usage: ");
  }

  @Test
  void run_missingFolder_isRefused() throws Exception {
    Path missing = folder.resolve("missing");
    assertRefused(runJar(missing.toString()), missing + ": no such folder");
  }

  @Test
  void run_fileForAFolder_isRefused() throws Exception {
    Path file = Files.writeString(folder.resolve("file"), "kept");
    assertRefused(runJar(file.toString()), file + ": not a folder");
    assertThat(file).hasContent("kept");
  }

  @Test
  void run_emptyNameOfFolder_isRefused() throws Exception {
    assertRefused(runJar(""), "the name of the folder is empty");
  }

  @Test
  void run_folderThatTakesNoFiles_isRefused() throws Exception {
    Needs.linux();
    assertRefused(runJar("/proc"), "/proc: can't write there: ");
  }

  @Test
  void run_folderOfAnotherUser_isRefused() throws Exception {
    Needs.root();
    Path jar = copyJar(folder);
    Path closed = Files.createDirectory(folder.resolve("closed"));
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("rwxr-xr-x"));
    Result result = run(asNobody(java("-jar", jar.toString(), closed.toString())));
    assertRefused(result, closed + ": can't write there: permission denied");
  }

  @Test
  void run_textFileOfAnotherUser_isRefused() throws Exception {
    Needs.root();
    Path jar = copyJar(folder);
    Path text = Files.writeString(folder.resolve("text"), "secret");
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    Files.setPosixFilePermissions(text, PosixFilePermissions.fromString("rw-------"));
    Result result = run(asNobody(java("-jar", jar.toString(), "/", text.toString())));
    assertRefused(result, text + ": can't read it: permission denied");
  }

  @Test
  void run_missingTextFile_isRefused() throws Exception {
    Path missing = folder.resolve("missing");
    assertRefused(
        runJar(folder.toString(), missing.toString()), missing + ": can't read it: no such file");
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void run_folderForATextFile_isRefused() throws Exception {
    assertRefused(runJar(folder.toString(), folder.toString()), folder + ": can't read it: ");
  }

  @Test
  void run_textFileThatIsNotUtf8_isRefused() throws Exception {
    Path text =
        Files.write(folder.resolve("text"), "caf\u00e9".getBytes(StandardCharsets.ISO_8859_1));
    assertRefused(runJar(folder.toString(), text.toString()), text + ": not UTF-8, from byte 3 on");
  }

  @Test
  void run_endlessTextFile_isRefused() throws Exception {
    Needs.linux();
    assertRefused(runJar(folder.toString(), "/dev/zero"), "/dev/zero: longer than ");
  }

  @Test
  void run_emptyTextFile_isWrittenToo(@TempDir Path texts) throws Exception {
    Path text = Files.createFile(texts.resolve("text"));
    Result result = run(doctor(Brief.class, folder.toString(), text.toString()));
    assertThat(result.status).as(result.err).isZero();
    assertThat(result.out.lines().filter(line -> line.contains(" 0 B "))).hasSize(3);
  }

  /** A doctor in a hurry. */
  static final class Brief {
    public static void main(String[] args) {
      System.exit(new Doctor(System.out, System.err, DoctorTrial.FILES2, 5).run(args));
    }
  }

  // --- Interrupts

  @ParameterizedTest
  @CsvSource({"HUP, 129", "INT, 130", "TERM, 143"})
  void run_interrupted_leavesNothingBehind(String signal, int status) throws Exception {
    Needs.linux();
    // A build in the background may have left these signals ignored.
    List<String> command = new ArrayList<>();
    command.add(Needs.tool("env").toString());
    command.add("--default-signal");
    command.addAll(java("-jar", JAR.toString(), folder.toString()));
    Process process = start(command);
    try (BufferedReader out = process.inputReader()) {
      String line = out.readLine();
      while (line != null && !ROW.matcher(line).matches()) {
        line = out.readLine();
      }
      assertThat(line).as("a row before the signal").isNotNull();
      assertThat(folder).isNotEmptyDirectory();
      run(List.of("kill", "-" + signal, Long.toString(process.pid())));
      assertThat(process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)).isTrue();
      assertThat(process.errorReader().lines()).isEmpty();
      assertThat(process.exitValue()).isEqualTo(status);
    } finally {
      process.destroyForcibly();
    }
    assertThat(folder).isEmptyDirectory();
  }

  // --- Processes

  private static void assertRefused(Result result, String message) {
    assertThat(result.err).contains(message).doesNotContain("\tat ");
    assertThat(result.out).isEmpty();
    assertThat(result.status).isEqualTo(2);
  }

  private static List<String> java(String... args) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of(args));
    return command;
  }

  private static List<String> doctor(Class<?> main, String... args) {
    List<String> command = java("-cp", System.getProperty("java.class.path"));
    if (Runtime.version().feature() >= 24) {
      command.add("--enable-native-access=ALL-UNNAMED");
    }
    command.add(main.getName());
    command.addAll(List.of(args));
    return command;
  }

  private static Result runJar(String... args) throws Exception {
    List<String> command = java("-jar", JAR.toString());
    command.addAll(List.of(args));
    return run(command);
  }

  private static List<String> asNobody(List<String> command) {
    List<String> wrapped = new ArrayList<>();
    wrapped.add(Needs.tool("setpriv").toString());
    wrapped.addAll(List.of("--reuid=65534", "--regid=65534", "--clear-groups"));
    wrapped.addAll(command);
    return wrapped;
  }

  /** Copies the jar and the one that it needs, for a test that changes or moves it. */
  private static Path copyJar(Path target) throws IOException {
    Path lib = Files.createDirectory(target.resolve("lib"));
    try (DirectoryStream<Path> jars = Files.newDirectoryStream(JAR.resolveSibling("lib"))) {
      for (Path jar : jars) {
        Files.copy(jar, lib.resolve(jar.getFileName()));
      }
    }
    return Files.copy(JAR, target.resolve("files2.jar"), StandardCopyOption.REPLACE_EXISTING);
  }

  private static Process start(List<String> command) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(command);
    // The JVM would tell about it on the error stream.
    builder.environment().remove("JAVA_TOOL_OPTIONS");
    return builder.start();
  }

  private static Result run(List<String> command) throws Exception {
    Path out = Files.createTempFile("doctor", "out");
    Path err = Files.createTempFile("doctor", "err");
    try {
      ProcessBuilder builder = new ProcessBuilder(command);
      builder.environment().remove("JAVA_TOOL_OPTIONS");
      Process process = builder.redirectOutput(out.toFile()).redirectError(err.toFile()).start();
      if (!process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new AssertionError(command + " does not end: " + Files.readString(out));
      }
      return new Result(process.exitValue(), Files.readString(out), Files.readString(err));
    } finally {
      Files.delete(out);
      Files.delete(err);
    }
  }

  /** Returns what is printed before the table, and ends the run there. */
  private static String head(List<String> command) throws Exception {
    Process process = start(command);
    StringBuilder head = new StringBuilder();
    try (BufferedReader out = process.inputReader()) {
      String line = out.readLine();
      while (line != null && !line.isEmpty()) {
        head.append(line).append('\n');
        line = out.readLine();
      }
      process.destroy();
      assertThat(process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)).isTrue();
    } finally {
      process.destroyForcibly();
    }
    return head.toString();
  }
}
