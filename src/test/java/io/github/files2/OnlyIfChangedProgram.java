package io.github.files2;

import java.io.IOException;
import java.nio.file.Path;

/** Writes its second argument to its first where that changes it, and prints the count. */
final class OnlyIfChangedProgram {
  private OnlyIfChangedProgram() {}

  public static void main(String[] args) throws IOException {
    WriteOptions options = WriteOptions.DEFAULT.onlyIfChanged(true);
    System.out.println(Files2.writeStringSync(Path.of(args[0]), args[1], options));
  }
}
