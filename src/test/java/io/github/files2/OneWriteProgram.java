package io.github.files2;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Makes one write, with Files2 or, to compare, with Files; does as little else as can be. */
final class OneWriteProgram {
  private OneWriteProgram() {}

  public static void main(String[] args) throws IOException {
    Path file = Path.of(args[1]);
    if (args[0].equals("sync")) {
      Files2.writeStringSync(file, "text");
    } else if (args[0].equals("files2")) {
      Files2.writeString(file, "text");
    } else {
      Files.writeString(file, "text");
    }
  }
}
