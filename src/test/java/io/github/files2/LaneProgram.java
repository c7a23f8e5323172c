package io.github.files2;

import java.io.FileInputStream;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A program for {@link ChildProgram}: makes writes on a lane and prints a line for each, the bytes
 * written or the exception.
 */
final class LaneProgram {
  private LaneProgram() {}

  /** Describes one write of {@code charCount} letters. */
  static String step(String flag, String mode, int charCount, Path file) {
    return String.join(":", flag, mode, String.valueOf(charCount), file.toString());
  }

  /** The step that takes all descriptors there are. */
  static final String TAKE_ALL_DESCRIPTORS = "take-all-descriptors";

  public static void main(String[] arguments) throws IOException {
    Backend backend = Lanes.named(arguments[0]);
    List<FileInputStream> taken = new ArrayList<>();
    List<String> answers = new ArrayList<>();
    // Loads what a failing write needs: without descriptors no class can be loaded.
    answer(backend, step("r+", "666", 1, Path.of("no such file")));
    for (int i = 1; i < arguments.length; i++) {
      if (arguments[i].equals(TAKE_ALL_DESCRIPTORS)) {
        takeAll(taken);
      } else {
        answers.add(answer(backend, arguments[i]));
      }
    }
    for (FileInputStream stream : taken) {
      stream.close();
    }
    answers.forEach(System.out::println);
  }

  private static void takeAll(List<FileInputStream> taken) {
    try {
      while (true) {
        taken.add(new FileInputStream("/dev/null"));
      }
    } catch (IOException e) {
      // There is none left.
    }
  }

  private static String answer(Backend backend, String step) {
    String[] parts = step.split(":", 4);
    WriteOptions options = WriteOptions.DEFAULT.flag(parts[0]).mode(parts[1]);
    String text = "t".repeat(Integer.parseInt(parts[2]));
    try {
      return "wrote " + backend.writeText(Path.of(parts[3]), text, options.writePlan());
    } catch (PartialWriteException e) {
      return "PartialWriteException " + e.bytesWritten() + " " + e.getMessage();
    } catch (FileSystemException e) {
      return e.getClass().getSimpleName() + " " + e.getMessage();
    } catch (IOException e) {
      return e.toString();
    }
  }
}
