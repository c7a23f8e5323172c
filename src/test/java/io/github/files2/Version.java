package io.github.files2;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A file's content that tells its own number, so that a mix of two, or a part, shows. */
final class Version {
  /** None, a few, a block, some pieces: as many pieces as the write path makes. */
  private static final int[] LINES = {0, 3, 200, 5_000, 17_000};

  private Version() {}

  /** Returns the content of the version: lines, each with the number. */
  static String text(int number) {
    return ("version " + number + '\n').repeat(1 + LINES[number % LINES.length]);
  }

  /**
   * Returns which version the content is.
   *
   * @throws AssertionError if it is not the whole of one
   */
  static int of(byte[] content) {
    String start = new String(content, 0, Math.min(content.length, 40), StandardCharsets.US_ASCII);
    if (start.matches("(?s)version \\d{1,9}\n.*")) {
      int number = Integer.parseInt(start.substring("version ".length(), start.indexOf('\n')));
      if (Arrays.equals(content, text(number).getBytes(StandardCharsets.US_ASCII))) {
        return number;
      }
    }
    throw new AssertionError("no whole version: " + content.length + " bytes, " + start);
  }
}
