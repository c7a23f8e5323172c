package io.github.files2;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The native lanes in JVMs of unusual settings, which takes a child each. */
final class RobustnessTest {
  private static final Pattern DIRECT_BYTES = Pattern.compile("direct bytes (\\d+)");
  private static final Pattern RESIDENT_KB = Pattern.compile("VmRSS:\\s*(\\d+) kB");

  private static final long CORES = Runtime.getRuntime().availableProcessors();

  /** At most 2 x cores chunks stay, and as many large ones as cores; the rest is the JVM's own. */
  private static final long MOST_DIRECT_BYTES =
      2 * CORES * (Chunk.BYTES + Chunk.SCRATCH_BYTES + Chunk.ALIGNMENT)
          + Math.min(CORES, 8) * (Chunk.LARGE_BYTES + Chunk.SCRATCH_BYTES + Chunk.ALIGNMENT)
          + 65_536;

  @TempDir Path folder;

  private String run(String lane, String job, String... jvmOptions) {
    Lanes.needed(lane);
    ChildProgram child = new ChildProgram(StressProgram.class, job, folder.toString());
    String out = child.with("-Dfiles2.backend=" + lane).with(jvmOptions).run().ok();
    assertThat(out).contains("lane: " + lane + "\n").endsWith("right\n");
    return out;
  }

  @ParameterizedTest
  @ValueSource(strings = {"-XX:+UseG1GC", "-XX:+UseSerialGC", "-XX:+UseParallelGC", "-XX:+UseZGC"})
  void shim_whileTheCollectorMovesThings_writesTheRightBytes(String collector) {
    run("shim", "collect", collector, "-Xmx64m");
  }

  @Test
  void shim_stringsByRegionWhileCollecting_writesTheRightBytes() {
    assertThat(run("shim", "collect", "-Dfiles2.strings=region", "-Xmx64m"))
        .contains("strings by region");
  }

  @ParameterizedTest
  @CsvSource({"scalar, ''", "avx2, ' avx2 bmi2 '", "avx512, ' avx512vbmi avx512_vbmi2 '"})
  void shim_encodersForced_areReportedAndWriteTheRightBytes(String simd, String flags)
      throws IOException {
    String cpu = Files.readString(Path.of("/proc/cpuinfo"));
    for (String flag : flags.isBlank() ? new String[0] : flags.strip().split(" ")) {
      // No skip that CI forbids: its machine may well be one without them.
      Assumptions.assumeTrue(cpu.contains(" " + flag), "the processor has no " + flag);
    }
    assertThat(run("shim", "sizes", "-Dfiles2.simd=" + simd)).contains("encoders " + simd + "\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"shim", "libc"})
  void write_withoutCompactStrings_writesTheRightBytes(String lane) {
    run(lane, "sizes", "-XX:-CompactStrings");
  }

  @Test
  void shim_stringsByRegionWithoutCompactStrings_writesTheRightBytes() {
    run("shim", "sizes", "-XX:-CompactStrings", "-Dfiles2.strings=region");
  }

  @ParameterizedTest
  @ValueSource(strings = {"shim", "libc"})
  void write_interpretedOnly_writesTheRightBytes(String lane) {
    run(lane, "few", "-Xint");
  }

  @ParameterizedTest
  @ValueSource(strings = {"fields", "region"})
  void shim_underCheckJni_getsNoWarning(String strings) throws IOException {
    Lanes.needed("shim");
    ChildProgram child = new ChildProgram(StressProgram.class, "sizes", folder.toString());
    String out =
        child
            .with("-Xcheck:jni", "-Dfiles2.backend=shim", "-Dfiles2.strings=" + strings)
            .run()
            .ok();
    assertThat(out).endsWith("right\n");
    assertThat(warningsOf(out)).isEmpty();
  }

  /** Returns the warnings whose top frame is ours; JNA has some of its own. */
  private static List<String> warningsOf(String out) {
    List<String> ours = new ArrayList<>();
    String[] lines = out.split("\n");
    for (int i = 0; i + 1 < lines.length; i++) {
      boolean isWarning = lines[i].contains("WARNING") || lines[i].contains("FATAL");
      if (isWarning && lines[i + 1].contains("io.github.files2")) {
        ours.add(lines[i] + "\n" + lines[i + 1]);
      }
    }
    return ours;
  }

  @Test
  void warningsOf_ourFrame_isFound() {
    // What the JVM prints, so that the test above can fail.
    String out =
        "WARNING in native method: JNI call made without checking exceptions when required to\n"
            + "\tat io.github.files2.ShimBackend.writeText(io.github.files2@1/Native Method)\n"
            + "WARNING: JNI local refs: 33, exceeds capacity: 32\n"
            + "\tat com.sun.jna.Native.initIDs(Native Method)\n";
    assertThat(warningsOf(out)).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"shim", "libc"})
  void write_largeTextWithLittleDirectMemory_succeeds(String lane) throws IOException {
    run(lane, "large", "-Xmx300m", "-XX:MaxDirectMemorySize=32m");
    Files.delete(folder.resolve("file"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"shim", "libc"})
  void write_withAlmostNoDirectMemory_writesTheRightBytes(String lane) {
    run(lane, "few", "-XX:MaxDirectMemorySize=100k");
  }

  @ParameterizedTest
  @ValueSource(strings = {"shim", "libc"})
  void write_fromManyThreads_leavesBoundedMemory(String lane) {
    assertBounded(run(lane, "threads", "-Xmx64m", "-DmostBytes=" + MOST_DIRECT_BYTES));
  }

  @ParameterizedTest
  @ValueSource(strings = {"shim", "libc"})
  @EnabledForJreRange(minVersion = 21)
  void write_fromVirtualThreads_leavesBoundedMemory(String lane) {
    assertBounded(run(lane, "virtual", "-Xmx64m", "-DmostBytes=" + MOST_DIRECT_BYTES));
  }

  @ParameterizedTest
  @ValueSource(strings = {"shim", "libc", "nio"})
  void write_moreThanTwoGibibytes_countsThemAll(String lane) throws IOException {
    Matcher memory =
        Pattern.compile("MemAvailable:\\s*(\\d+) kB")
            .matcher(Files.readString(Path.of("/proc/meminfo")));
    boolean isEnough = memory.find() && Long.parseLong(memory.group(1)) > 3_000_000;
    Assumptions.assumeTrue(isEnough, "needs 3 GB of memory");
    run(lane, "huge", "-Xmx1500m", "-XX:+UseSerialGC", "-XX:NewSize=64m", "-XX:MaxNewSize=64m");
  }

  private static void assertBounded(String out) {
    assertThat(number(DIRECT_BYTES, out)).isLessThanOrEqualTo(MOST_DIRECT_BYTES);
    assertThat(number(RESIDENT_KB, out)).isLessThan(400_000);
  }

  private static long number(Pattern pattern, String out) {
    Matcher matcher = pattern.matcher(out);
    assertThat(matcher.find()).as(out).isTrue();
    return Long.parseLong(matcher.group(1));
  }
}
