package io.github.files2;

import java.nio.ByteBuffer;

/**
 * Pairs of hex digits, as Node decodes them: up to the first bad pair, an odd last digit dropped.
 */
final class HexSource extends TextSource {
  HexSource(String text, Scratch scratch) {
    super(text, scratch);
  }

  @Override
  public long maxBytes() {
    return (text.length() - index) / 2L;
  }

  @Override
  public long countBytes() {
    int i = 0;
    while (i + 1 < text.length() && (digit(text.charAt(i)) | digit(text.charAt(i + 1))) >= 0) {
      i += 2;
    }
    return i / 2L;
  }

  @Override
  int findFault() {
    for (int i = 0; i < text.length(); i++) {
      char unit = text.charAt(i);
      if (unit > 0x7f || digit(unit) < 0) {
        return i;
      }
    }
    return text.length() % 2 == 0 ? -1 : text.length() - 1;
  }

  @Override
  public boolean fill(ByteBuffer target) {
    byte[] bytes = scratch.bytes;
    while (index + 1 < text.length() && target.hasRemaining()) {
      int pairs = Math.min(scratch.takeLowBytes(text, index) / 2, target.remaining());
      // The bytes made never overtake the digits they are made from.
      for (int i = 0; i < pairs; i++) {
        int value = digit(bytes[2 * i]) << 4 | digit(bytes[2 * i + 1]);
        if (value < 0) {
          target.put(bytes, 0, i);
          index = text.length();
          return true;
        }
        bytes[i] = (byte) value;
      }
      target.put(bytes, 0, pairs);
      index += 2 * pairs;
    }
    return index + 1 >= text.length();
  }

  /** Returns the value of the digit in the low byte of {@code unit} (as Node does), or -1. */
  private static int digit(int unit) {
    int c = unit & 0xff;
    if (c >= '0' && c <= '9') {
      return c - '0';
    }
    int letter = c | 0x20;
    return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
  }
}
