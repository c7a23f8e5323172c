package io.github.files2;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What takes a JVM of its own: limits, search paths, bad properties, the standard output. */
final class ChildCasesTest {
  @TempDir Path folder;

  @BeforeAll
  static void needsLinux() {
    Needs.linux();
  }

  private Path file() {
    return folder.resolve("file");
  }

  // --- A size limit

  /** One limit is where a piece of any size ends, the other within a piece. */
  @ParameterizedTest
  @CsvSource({
    "shim, descriptor, 1048576",
    "libc, descriptor, 1048576",
    "nio, descriptor, 1048576",
    "shim, descriptor, 1000001",
    "nio, descriptor, 1000001",
    "shim, lines, 1048576",
    "libc, lines, 1048576",
    "shim, lines, 1000001",
    "libc, lines, 1000001",
  })
  void textOfCharset_beyondTheSizeLimit_tellsHowFarItGot(String lane, String job, long limit)
      throws IOException {
    Lanes.needed(lane);
    String out =
        new ChildProgram(ChildCasesProgram.class, job, file().toString())
            .under(Needs.tool("prlimit").toString(), "--fsize=" + limit)
            .with("-Dfiles2.backend=" + lane, "-XX:-UsePerfData")
            .run()
            .ok();
    assertThat(out).isEqualTo("PartialWriteException " + limit + "\n");
    assertThat(Files.size(file())).isEqualTo(limit);
  }

  // --- A library of the same name

  /** Returns a library that this JVM has loaded and that is not ours. */
  private static Path anyLibrary() throws IOException {
    try (Stream<String> maps = Files.lines(Path.of("/proc/self/maps"))) {
      return maps.filter(line -> line.endsWith("/libm.so.6") || line.endsWith("/libc.so.6"))
          .map(line -> Path.of(line.substring(line.indexOf('/'))))
          .findFirst()
          .orElseThrow();
    }
  }

  @Test
  void strangerOfTheLibrarysName_onJnaLibraryPath_isPassedBy() throws IOException {
    Lanes.needed("shim");
    Files.copy(anyLibrary(), folder.resolve("libfiles2-1.so"));
    ChildProgram child = new ChildProgram(ChoiceProgram.class, "open,report", file().toString());
    assertThat(child.with("-Djna.library.path=" + folder).run().ok()).contains("lane: shim\n");
  }

  @Test
  void strangerOfTheLibrarysName_onLoaderPath_isPassedBy() throws IOException {
    Lanes.needed("shim");
    Files.copy(anyLibrary(), folder.resolve("libfiles2-1.so"));
    ChildProgram child = new ChildProgram(ChoiceProgram.class, "open,report", file().toString());
    child.under(Needs.tool("env").toString(), "LD_LIBRARY_PATH=" + folder);
    assertThat(child.run().ok()).contains("lane: shim\n");
  }

  // --- A bad property

  @Test
  void report_badLane_namesItAndDoesNotThrow() {
    ChildProgram child = new ChildProgram(ChoiceProgram.class, "report", file().toString());
    assertThat(child.with("-Dfiles2.backend=nonsense").run().ok())
        .contains("nonsense")
        .doesNotContain("threw");
  }

  @Test
  void write_badLaneAfterTheReport_isAnIllegalState() {
    ChildProgram child = new ChildProgram(ChoiceProgram.class, "report,write", file().toString());
    assertThat(child.with("-Dfiles2.backend=nonsense").run().ok())
        .contains("write threw IllegalStateException: files2.backend=nonsense");
    assertThat(file()).doesNotExist();
  }

  // --- Standard output

  /** Whoever shares a pipe or a terminal may have made it non-blocking. */
  @ParameterizedTest
  @ValueSource(strings = {"shim", "libc"})
  void standardOutput_nonBlockingPipeWithSlowReader_takesAll(String lane)
      throws IOException, InterruptedException {
    Lanes.needed(lane);
    List<String> words =
        new ChildProgram(ChildCasesProgram.class, "non-blocking-output", file().toString())
            .with("-Dfiles2.backend=" + lane)
            .words();
    Path err = folder.resolve("err");
    Process child = new ProcessBuilder(words).redirectError(err.toFile()).start();
    try {
      byte[] taken = readSlowly(child.getInputStream());
      assertThat(child.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(child.exitValue()).as("exit code; err: %s", Files.readString(err)).isZero();
      assertThat(taken).hasSize(ChildCasesProgram.OUTPUT_CHARS);
      byte[] expected = MountedFilesTest.text(ChildCasesProgram.OUTPUT_CHARS, 'p').getBytes();
      assertThat(Arrays.equals(taken, expected)).as("the bytes are right").isTrue();
    } finally {
      child.destroyForcibly();
    }
  }

  private static byte[] readSlowly(InputStream in) throws IOException, InterruptedException {
    byte[] first = in.readNBytes(1);
    byte[] all = Arrays.copyOf(first, ChildCasesProgram.OUTPUT_CHARS + 1);
    int count = first.length;
    int taken = count;
    while (taken > 0 && count < all.length) {
      Thread.sleep(10);
      taken = in.read(all, count, Math.min(16_384, all.length - count));
      count += Math.max(taken, 0);
    }
    return Arrays.copyOf(all, count);
  }
}
