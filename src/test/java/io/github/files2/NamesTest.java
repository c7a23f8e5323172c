package io.github.files2;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Names of files: whatever the lane, they mean to Files2 what they mean to the JDK. The locale, the
 * folder and the lane are a process's own, so each test starts some.
 */
final class NamesTest {
  private static final String[] LANES = {"shim", "libc", "nio"};

  @TempDir Path folder;

  private static ChildProgram child(String lane) {
    Lanes.needed(lane);
    return new ChildProgram(Program.class).with("-D" + Settings.BACKEND + "=" + lane);
  }

  private String shell(String script) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(Needs.tool("sh").toString(), "-c", script)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .start();
    String output =
        new String(process.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
    assertThat(process.waitFor()).as(output).isZero();
    return output;
  }

  /** The programs that run in the other processes. */
  static final class Program {
    private Program() {}

    public static void main(String[] arguments) throws IOException {
      switch (arguments[0]) {
        case "write-listed" -> writeListed(Path.of(arguments[1]));
        case "write-named" -> writeNamed(Path.of(arguments[1]));
        case "write-relative" -> writeRelative();
        default -> throw new IllegalArgumentException(arguments[0]);
      }
    }

    /** Writes to each file of the folder through the path that the JDK gives for it. */
    private static void writeListed(Path folder) throws IOException {
      try (var files = Files.newDirectoryStream(folder)) {
        for (Path file : files) {
          Files2.writeStringSync(file, "1");
          Files2.appendStringSync(file, "2");
          Files2.appendBytesSync(file, new byte[] {'3'});
          int fd = Files2.openSync(file, "a");
          Files2.writeStringSync(fd, "4");
          Files2.closeSync(fd);
          Files2.writeString(file, "5", java.nio.file.StandardOpenOption.APPEND);
          Files2.write(file, List.of("6"), java.nio.file.StandardOpenOption.APPEND);
        }
      }
    }

    /** Makes files of all names that can be told, once by the JDK and once by Files2. */
    private static void writeNamed(Path folder) throws IOException {
      for (String name :
          new String[] {
            "plain", "caf\u00e9", "\u0141\u00f3d\u017a", "\u4e2d\u6587", "\ud83d\ude00", "\ufffd",
            "a\ufffdb", "\ud83d", "\ude00x", "\u0085", "?", "\u00ff"
          }) {
        System.out.println(outcome(folder.resolve("jdk"), name, true));
        System.out.println(outcome(folder.resolve("files2"), name, false));
      }
    }

    private static String outcome(Path folder, String name, boolean isJdk) throws IOException {
      try {
        Path file = folder.resolve(name);
        if (isJdk) {
          Files.writeString(file, "text");
        } else {
          Files2.writeStringSync(file, "text");
        }
        return "written";
      } catch (RuntimeException e) {
        return e.getClass().getName();
      }
    }

    private static void writeRelative() throws IOException {
      Files.writeString(Path.of("by-jdk"), "text");
      Files2.writeStringSync(Path.of("by-files2"), "text");
      Files2.writeString(Path.of("by-drop-in"), "text");
      Files2.closeSync(Files2.openSync(Path.of("by-open"), "w"));
      Files2.writeStringSync(Path.of("by-files2").toAbsolutePath(), "more", "a");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"C.UTF-8", "C"})
  void write_namesThatDontDecode_reachTheirFiles(String locale) throws Exception {
    Needs.linux();
    shell(
        """
        mkdir odd && cd odd
        for name in 'a\\377b' '\\303' 'caf\\351' '\\355\\240\\200' '\\357\\277\\275' 'caf\\303\\251'
        do : > "$(printf "$name")"
        done
        """);
    String names = shell("ls -b odd | cat");
    for (String lane : LANES) {
      ChildProgram child = child(lane).withEnvironment("LC_ALL", locale);
      child.withArguments("write-listed", folder.resolve("odd").toString()).run().ok();
      assertThat(shell("ls -b odd | cat")).as("names, %s", lane).isEqualTo(names);
      assertThat(shell("cat odd/*")).as("content, %s", lane).isEqualTo("123456\n".repeat(6));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"C.UTF-8", "C"})
  void write_namesOfAllKinds_areAsTheJdkMakesThem(String locale) throws Exception {
    Needs.linux();
    checkNamed(locale, "-Dnothing");
  }

  @Test
  void write_otherJnuEncoding_namesAreAsTheJdkMakesThem() throws Exception {
    Needs.linux();
    checkNamed("C.UTF-8", "-Dsun.jnu.encoding=ISO-8859-1");
  }

  private void checkNamed(String locale, String option) throws Exception {
    for (String lane : LANES) {
      shell("rm -rf jdk files2 && mkdir jdk files2");
      ChildProgram child = child(lane).withEnvironment("LC_ALL", locale).with(option);
      List<String> outcomes = child.withArguments("write-named", folder.toString()).run().lines();
      for (int i = 0; i < outcomes.size(); i += 2) {
        assertThat(outcomes.get(i + 1)).as("name %s, %s", i / 2, lane).isEqualTo(outcomes.get(i));
      }
      assertThat(shell("ls -b files2 | cat")).as(lane).isEqualTo(shell("ls -b jdk | cat"));
    }
  }

  @Test
  void write_relativePath_isInTheProcesssFolder() throws Exception {
    Needs.linux();
    for (String lane : LANES) {
      shell("rm -rf here && mkdir here");
      child(lane).in(folder.resolve("here")).withArguments("write-relative").run().ok();
      assertThat(shell("ls here")).as(lane).isEqualTo("by-drop-in\nby-files2\nby-jdk\nby-open\n");
      assertThat(shell("cat here/by-files2")).as(lane).isEqualTo("textmore");
    }
  }

  @Test
  void write_relativePathUnderAMovedUserDir_isWhereTheJdkPutsIt() throws Exception {
    Needs.linux();
    for (String lane : LANES) {
      shell("rm -rf here there && mkdir here there");
      ChildProgram child = child(lane).with("-Duser.dir=" + folder.resolve("there"));
      child.in(folder.resolve("here")).withArguments("write-relative").run().ok();
      assertThat(shell("ls here")).as(lane).isEmpty();
      assertThat(shell("ls there")).as(lane).isEqualTo("by-drop-in\nby-files2\nby-jdk\nby-open\n");
      assertThat(shell("cat there/by-files2")).as(lane).isEqualTo("textmore");
    }
  }
}
