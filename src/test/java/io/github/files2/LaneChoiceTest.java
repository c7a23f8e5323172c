package io.github.files2;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which lane a program gets, when, and what it is told about the others. */
final class LaneChoiceTest {
  private static final Pattern LOADED = Pattern.compile("\\] (\\S+) source: ");
  private static final int MOST_CLASSES = 10;

  @TempDir Path folder;

  @BeforeAll
  static void needsLinux() {
    Needs.linux();
  }

  /** Runs jobs of {@link ChoiceProgram}, with commas between. */
  private ChildProgram jobs(String jobs) {
    return new ChildProgram(ChoiceProgram.class, jobs, folder.resolve("file").toString());
  }

  /** Returns a copy of the main classes that has no shim. */
  private Path classesWithoutShim() throws IOException {
    Path from = ChildProgram.homeOf(Files2.class);
    Path copy = Files.createDirectories(folder.resolve("classes/io/github/files2"));
    try (Stream<Path> classes = Files.list(from.resolve("io/github/files2"))) {
      for (Path file : (Iterable<Path>) classes::iterator) {
        Files.copy(file, copy.resolve(file.getFileName()));
      }
    }
    return folder.resolve("classes");
  }

  private static Path testClasses() {
    return ChildProgram.homeOf(LaneChoiceTest.class);
  }

  private static Path mainClasses() {
    return ChildProgram.homeOf(Files2.class);
  }

  // --- Lanes that can't be had

  @Test
  void choice_everythingThere_isTheShim() {
    Lanes.needed("shim");
    assertThat(jobs("open,write,report").run().ok())
        .startsWith("wrote 4 to a descriptor\nwrote 4\nlane: shim\ndetails: encoders ")
        .doesNotContain("passed over");
  }

  @Test
  void choice_noShimOnTheClassPath_isLibcWithTheReason() throws IOException {
    ChildProgram child =
        jobs("open,write,report")
            .classPath(classesWithoutShim(), testClasses(), ChildProgram.jna());
    assertThat(child.run().ok())
        .startsWith("wrote 4 to a descriptor\nwrote 4\nlane: libc\npassed over: shim: ")
        .containsPattern("no linux-\\S+/libfiles2-1.so on the class path");
  }

  @Test
  void choice_noJnaOnTheClassPath_isNioWithTheReasons() {
    assertPassedOver(
        jobs("open,write,report").classPath(mainClasses(), testClasses()).run().ok(),
        "com[./]sun[./]jna");
  }

  @Test
  void choice_tempFolderThatForbidsPrograms_isNioWithTheReasons() {
    try (Mount noexec = Mount.of("tmpfs", ",noexec")) {
      ChildProgram child = jobs("open,write,report").with("-Djna.tmpdir=" + noexec.root());
      assertPassedOver(child.run().ok(), "libc: ");
    }
  }

  @Test
  @EnabledForJreRange(minVersion = 24)
  void choice_nativeAccessDenied_isNioWithTheReasons() {
    ChildProgram child =
        jobs("open,write,report")
            .without("--enable-native-access=ALL-UNNAMED")
            .with("--illegal-native-access=deny");
    assertPassedOver(child.run().ok(), "[Nn]ative access");
  }

  private static void assertPassedOver(String out, String reason) {
    assertThat(out)
        .startsWith("wrote 4 to a descriptor\nwrote 4\nlane: nio\npassed over: shim: ")
        .contains("passed over: libc: ")
        .containsPattern(reason);
  }

  // --- The property

  @ParameterizedTest
  @ValueSource(strings = {"shim", "libc", "nio"})
  void property_namesALane_isObeyedFromTheFirstWriteOn(String lane) {
    Lanes.needed(lane);
    assertThat(jobs("write,report").with("-Dfiles2.backend=" + lane).run().ok())
        .startsWith("wrote 4\nlane: " + lane + "\n");
  }

  @Test
  void property_laneThatCantBeHad_isAnIllegalStateWithTheReason() throws IOException {
    ChildProgram child =
        jobs("write,open,write")
            .with("-Dfiles2.backend=shim")
            .classPath(classesWithoutShim(), testClasses(), ChildProgram.jna());
    assertThat(child.run().ok().lines())
        .hasSize(3)
        .allSatisfy(
            line ->
                assertThat(line)
                    .contains(" threw IllegalStateException: files2.backend=shim can't be had: ")
                    .contains("libfiles2-1.so"));
    assertThat(folder.resolve("file")).doesNotExist();
  }

  @Test
  void property_badLane_isAnIllegalStateBeforeAnyFile() {
    assertThat(jobs("write").with("-Dfiles2.backend=fast").run().ok())
        .isEqualTo(
            "write threw IllegalStateException: "
                + "files2.backend=fast is not one of shim, libc, nio\n");
    assertThat(folder.resolve("file")).doesNotExist();
  }

  @ParameterizedTest
  @CsvSource({
    "overwrite=never, 'files2.overwrite=never is not one of in_place, truncate'",
    "strings=all, 'files2.strings=all is not one of fields, region'",
    "simd=mmx, 'files2.simd=mmx is not one of scalar, avx2, avx512'",
  })
  void property_badValueForADemandedLane_isAnIllegalState(String property, String message) {
    String out = jobs("write").with("-Dfiles2.backend=shim", "-Dfiles2." + property).run().ok();
    assertThat(out).startsWith("write threw IllegalStateException: ").contains(message);
    assertThat(folder.resolve("file")).doesNotExist();
  }

  // --- The report

  @Test
  void report_beforeTheNativeLaneIsPrepared_saysSo() {
    assertThat(jobs("report,write,report").run().ok())
        .startsWith(
            "lane: nio\nnative lane: not prepared yet; it is loaded once path writes have taken"
                + " 100 ms (0 ms so far)\n")
        .containsPattern("wrote 4\nlane: nio\nnative lane: not prepared yet");
  }

  @Test
  void report_nioDemanded_saysSo() {
    assertThat(jobs("report").with("-Dfiles2.backend=nio").run().ok())
        .isEqualTo("lane: nio\npassed over: shim, libc: -Dfiles2.backend=nio\n");
  }

  // --- Cold start

  @ParameterizedTest
  @ValueSource(strings = {"sync", "files2"})
  void oneWrite_loadsFewClassesAndNoneOfJna(String family) throws IOException {
    Set<String> loaded = classesLoadedBy(family);
    assertThat(loaded).noneMatch(name -> name.startsWith("com.sun.jna"));
    List<String> ours =
        loaded.stream()
            .filter(name -> name.startsWith("io.github.files2."))
            .filter(name -> !name.endsWith(".OneWriteProgram"))
            .toList();
    assertThat(ours).contains("io.github.files2.Files2").hasSizeLessThanOrEqualTo(MOST_CLASSES);
  }

  @ParameterizedTest
  @ValueSource(strings = {"sync", "files2"})
  void oneWrite_bootstrapsNoLambdaAndNoConcatenation(String family) throws IOException {
    Set<String> more = classesLoadedBy(family);
    more.removeAll(classesLoadedBy("files"));
    assertThat(more)
        .noneMatch(name -> name.startsWith("java.lang.invoke.") || name.contains("Lambda"));
  }

  /** On a machine that stalls, one write may cost what starts the preparing: then again. */
  private Set<String> classesLoadedBy(String family) throws IOException {
    Set<String> names = Set.of();
    for (int attempt = 0; attempt < 5; attempt++) {
      names = classesLoadedOnceBy(family);
      if (!names.contains("io.github.files2.Backends$Preparer")) {
        break;
      }
    }
    return names;
  }

  private Set<String> classesLoadedOnceBy(String family) throws IOException {
    Path log = folder.resolve("classes.log");
    new ChildProgram(OneWriteProgram.class, family, folder.resolve("file").toString())
        .without(ChildProgram.AGENT) // it loads much itself
        .with("-Xlog:class+load:file=" + log)
        .run()
        .ok();
    Set<String> names = new TreeSet<>();
    for (String line : Files.readAllLines(log)) {
      Matcher matcher = LOADED.matcher(line);
      if (matcher.find()) {
        names.add(matcher.group(1));
      }
    }
    assertThat(names).contains("java.lang.Object", "io.github.files2.OneWriteProgram");
    return names;
  }

  @Test
  void manyWrites_endOnTheShimAndNoneWaitsForIt() {
    Lanes.needed("shim");
    assertThat(jobs("many").run().ok())
        .containsPattern("lane after \\d+ writes: shim")
        .contains("writes beside the daemon: true\nblocked: 0\nwaited: 0\n");
    assertThat(folder.resolve("file")).hasContent("text on the new lane");
  }
}
