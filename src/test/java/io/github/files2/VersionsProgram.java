package io.github.files2;

import java.io.IOException;
import java.nio.file.Path;

/**
 * Writes one {@link Version} of a file after the other, atomically and until it is killed, and says
 * the number of each that it has written. Arguments: the file, the first number, and how it is
 * flushed, or none for the default. It begins when it is told to on its standard input.
 */
final class VersionsProgram {
  private VersionsProgram() {}

  public static void main(String[] args) throws IOException {
    Path file = Path.of(args[0]);
    WriteOptions options = WriteOptions.DEFAULT.atomic(true);
    if (args.length > 2) {
      options = options.flush(Flush.valueOf(args[2]));
    }
    // What a first call has to load is no part of the test.
    Files2.writeStringSync(file.resolveSibling("other"), "text", options);
    System.out.println("ready");
    if (System.in.read() < 0) {
      return;
    }
    for (int number = Integer.parseInt(args[1]); ; number++) {
      Files2.writeStringSync(file, Version.text(number), options);
      System.out.println(number);
    }
  }
}
