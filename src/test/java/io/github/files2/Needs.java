package io.github.files2;

import com.sun.jna.Function;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;

/**
 * What a test needs from the machine. Where it is missing the test is skipped with the reason, but
 * under {@code FILES2_CI=1} (set by .ci/run) it fails: there, a skip would hide a hole.
 */
final class Needs {

  private static final boolean IS_CI = "1".equals(System.getenv("FILES2_CI"));

  private Needs() {}

  /** Needs the super-user, for mounts, other uids and the like. */
  static void root() {
    that(isRoot(), "needs root");
  }

  /** Tells whether this is the super-user, whom no permission bits stop. */
  static boolean isRoot() {
    return isLinux() && (int) Function.getFunction("c", "geteuid").invoke(Integer.class, null) == 0;
  }

  /** Needs Linux, for everything under /proc and /dev. */
  static void linux() {
    that(isLinux(), "needs Linux");
  }

  /** Needs a program on the search path; returns where it is. */
  static Path tool(String name) {
    String searchPath = System.getenv("PATH");
    if (searchPath != null) {
      for (String folder : searchPath.split(File.pathSeparator)) {
        Path program = Path.of(folder, name);
        if (Files.isExecutable(program) && !Files.isDirectory(program)) {
          return program;
        }
      }
    }
    that(false, "needs the program " + name);
    throw new AssertionError("not reached");
  }

  /** Goes on if the claim holds; otherwise skips the test, or fails it under FILES2_CI=1. */
  static void that(boolean holds, String need) {
    if (holds) {
      return;
    }
    if (IS_CI) {
      Assertions.fail(need + ", which FILES2_CI=1 says must be there");
    }
    Assumptions.abort(need);
  }

  private static boolean isLinux() {
    return System.getProperty("os.name").equals("Linux");
  }
}
