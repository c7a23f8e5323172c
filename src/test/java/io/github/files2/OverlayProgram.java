package io.github.files2;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Overwrites files with the lane that is named first, and tells whether they are right. */
final class OverlayProgram {
  private OverlayProgram() {}

  public static void main(String[] args) throws IOException {
    Backend backend = Lanes.named(args[0]);
    for (String name : List.of(args).subList(1, args.length)) {
      Path file = Path.of(name);
      backend.writeText(file, "new " + name, WriteOptions.DEFAULT.writePlan());
      boolean isRight = Files.readString(file).equals("new " + name);
      System.out.println(name + ": " + (isRight ? "right" : "wrong"));
    }
  }
}
