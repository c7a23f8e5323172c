package io.github.files2;

import java.io.IOException;
import java.nio.file.Path;

/**
 * Writes its second argument, repeated as often as the third says, to its first atomically, with
 * the level that a fourth one names.
 */
final class AtomicProgram {
  private AtomicProgram() {}

  public static void main(String[] args) throws IOException {
    String text = args[1].repeat(Integer.parseInt(args[2]));
    WriteOptions options = WriteOptions.DEFAULT.atomic(true);
    if (args.length > 3) {
      options = options.flush(Flush.valueOf(args[3]));
    }
    System.out.println(Files2.writeStringSync(Path.of(args[0]), text, options));
  }
}
