package io.github.files2;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What depends on the process: its umask, user and limits. Each test starts one. */
interface ProcessRules extends LaneRules {
  int LIMIT_BYTES = 2 * 1024 * 1024;

  /** Returns a program that does what {@link #run} tells it. */
  private static ChildProgram program() {
    return new ChildProgram(LaneProgram.class);
  }

  private List<String> run(ChildProgram program, List<String> steps) {
    return program
        .withArguments(backend().name())
        .withArguments(steps.toArray(new String[0]))
        .run()
        .lines();
  }

  @ParameterizedTest
  @ValueSource(strings = {"000", "027", "077"})
  default void write_newFileUnderUmask_hasTheModeLessTheUmask(String umask) throws Exception {
    Needs.linux();
    List<String> modes = List.of("666", "777", "600", "640", "400", "4755", "1777", "0");
    List<String> steps = new ArrayList<>();
    for (String flag : List.of("w", "wx", "a")) {
      for (String mode : modes) {
        steps.add(LaneProgram.step(flag, mode, 3, folder().resolve(flag + mode)));
      }
    }
    ChildProgram child = program().under("sh", "-c", "umask " + umask + "; exec \"$@\"", "sh");
    assertThat(run(child, steps)).containsOnly("wrote 3");
    for (String flag : List.of("w", "wx", "a")) {
      for (String mode : modes) {
        assertThat(FileRules.modeOf(folder().resolve(flag + mode)))
            .as("flag %s, mode %s", flag, mode)
            .isEqualTo(Integer.parseInt(mode, 8) & ~Integer.parseInt(umask, 8));
      }
    }
  }

  @Test
  default void write_withoutPermission_throwsAccessDenied() throws Exception {
    Needs.root();
    Path closed = Files.createDirectory(folder().resolve("closed"));
    Path hidden = Files.writeString(closed.resolve("hidden"), "old");
    Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("rwx------"));
    Path file = fileOf("old");
    Path missing = folder().resolve("missing");
    ChildProgram child = program().asNobody(folder());
    List<String> steps = new ArrayList<>();
    List<Path> targets = List.of(file, missing, hidden);
    for (Path target : targets) {
      for (String mode : new String[] {"666", "600"}) {
        steps.add(LaneProgram.step("w", mode, 3, target));
        steps.add(LaneProgram.step("a", mode, 3, target));
      }
    }
    List<String> answers = run(child, steps);
    for (int i = 0; i < steps.size(); i++) {
      assertThat(answers.get(i))
          .startsWith("AccessDeniedException " + targets.get(i / 4))
          .contains("open", "EACCES");
    }
    assertThat(file).hasContent("old");
    assertThat(missing).doesNotExist();
    assertThat(hidden).hasContent("old");
  }

  @Test
  default void write_asOrdinaryUser_needsNoMoreThanTheRightToWrite() throws Exception {
    Needs.root();
    Path shared = Files.createDirectory(folder().resolve("shared"));
    Files.setPosixFilePermissions(shared, PosixFilePermissions.fromString("rwxrwxrwx"));
    Path writeOnly = Files.writeString(shared.resolve("write-only"), "a longer old text");
    Files.setPosixFilePermissions(writeOnly, PosixFilePermissions.fromString("-w--w--w-"));
    Path created = shared.resolve("created");
    List<String> answers =
        run(
            program().asNobody(folder()),
            List.of(
                LaneProgram.step("w", "666", 3, writeOnly),
                LaneProgram.step("a", "666", 3, writeOnly),
                LaneProgram.step("wx", "400", 3, created),
                LaneProgram.step("w", "400", 3, created)));
    assertThat(answers.subList(0, 3)).containsOnly("wrote 3");
    assertThat(answers.get(3)).contains("AccessDeniedException", "EACCES");
    assertThat(writeOnly).hasContent("tttttt");
    assertThat(FileRules.modeOf(created)).isEqualTo(0400);
  }

  @Test
  default void write_noDescriptorLeft_throwsEmfile() throws Exception {
    Path file = fileOf("old");
    ChildProgram child = program().under(Needs.tool("prlimit").toString(), "--nofile=100");
    List<String> answers =
        run(
            child.with("-XX:-MaxFDLimit"),
            List.of(
                LaneProgram.TAKE_ALL_DESCRIPTORS,
                LaneProgram.step("w", "666", 3, file),
                LaneProgram.step("a", "666", 3, file)));
    assertThat(answers)
        .hasSize(2)
        .allSatisfy(
            answer ->
                assertThat(answer)
                    .startsWith("FileSystemException " + file)
                    .contains("open", "EMFILE"));
    assertThat(file).hasContent("old");
  }

  @Test
  default void write_pastTheFileSizeLimit_tellsHowMuchWasWritten() throws Exception {
    Path created = folder().resolve("created");
    Path empty = Files.createFile(folder().resolve("empty"));
    Path appended = Files.write(folder().resolve("appended"), new byte[LIMIT_BYTES - 10]);
    ChildProgram child =
        program().under(Needs.tool("prlimit").toString(), "--fsize=" + LIMIT_BYTES);
    List<String> answers =
        run(
            child,
            List.of(
                LaneProgram.step("w", "666", LIMIT_BYTES + 100_000, created),
                LaneProgram.step("w", "666", LIMIT_BYTES + 100_000, empty),
                LaneProgram.step("a", "666", 100, appended),
                LaneProgram.step("a", "666", 100, appended),
                LaneProgram.step("w", "666", 100, appended)));
    for (int i = 0; i < 2; i++) {
      assertThat(answers.get(i))
          .startsWith("PartialWriteException " + LIMIT_BYTES)
          .contains("write", "EFBIG");
    }
    assertThat(answers.get(2)).startsWith("PartialWriteException 10 ").contains("write", "EFBIG");
    assertThat(answers.get(3)).startsWith("FileSystemException ").contains("write", "EFBIG");
    assertThat(answers.get(4)).isEqualTo("wrote 100");
    assertThat(created).hasSize(LIMIT_BYTES);
    assertThat(empty).hasSize(LIMIT_BYTES);
    assertThat(appended).hasSize(100);
  }

  @Test
  default void write_longerOldFileFailsMidway_isCutToWhatWasWritten() throws Exception {
    Path file = Files.write(file(), new byte[LIMIT_BYTES + 500_000]);
    ChildProgram child =
        program().under(Needs.tool("prlimit").toString(), "--fsize=" + LIMIT_BYTES);
    List<String> answers =
        run(child, List.of(LaneProgram.step("w", "666", LIMIT_BYTES + 100_000, file)));
    assertThat(answers.get(0)).startsWith("PartialWriteException " + LIMIT_BYTES);
    assertThat(LaneRules.content(file).equals("t".repeat(LIMIT_BYTES))).isTrue();
  }

  @Test
  default void update_failsMidway_neverChangesTheSize() throws Exception {
    Path file = Files.write(file(), new byte[LIMIT_BYTES + 500_000]);
    ChildProgram child =
        program().under(Needs.tool("prlimit").toString(), "--fsize=" + LIMIT_BYTES);
    List<String> answers =
        run(child, List.of(LaneProgram.step("r+", "666", LIMIT_BYTES + 100_000, file)));
    assertThat(answers.get(0)).contains("EFBIG");
    assertThat(file).hasSize(LIMIT_BYTES + 500_000);
  }
}
