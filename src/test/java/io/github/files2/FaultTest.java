package io.github.files2;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every system call of every lane fails, on the real kernel: see {@link FaultProgram}. */
final class FaultTest {
  private static final Pattern SUMMARY =
      Pattern.compile("(\\d+) runs, (\\d+) faults, (\\d+) wrong\n$");

  @TempDir(factory = InMemory.class)
  Path folder;

  @ParameterizedTest
  @EnumSource
  void lane_anySystemCallFails_tellsAndKeepsWhatItPromised(LaneUnderTest lane) {
    lane.backend();
    String library = SyscallFaults.neededLibrary().toString();
    String out =
        new ChildProgram(FaultProgram.class, library, folder.toString())
            .with(
                "-Dfiles2.backend=" + lane.propertyName(),
                "-Dfiles2.full=" + Boolean.getBoolean("files2.full"))
            .run()
            .ok();
    System.out.println(lane + ": " + out.substring(out.lastIndexOf('\n', out.length() - 2) + 1));
    Matcher summary = SUMMARY.matcher(out);
    assertThat(summary.find()).as(out).isTrue();
    assertThat(out).as("what is wrong").isEqualTo(summary.group());
    assertThat(Integer.parseInt(summary.group(2))).as("faults").isGreaterThan(3000);
  }
}
