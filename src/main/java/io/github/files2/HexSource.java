package io.github.files2;

import java.nio.ByteBuffer;

/**
 * Pairs of hex digits, as Node decodes them: up to the first bad pair, an odd last digit dropped.
 */
final class HexSource extends TextSource {
  HexSource(String text) {
    super(text);
  }

  @Override
  public long maxBytes() {
    return (text.length() - index) / 2L;
  }

  @Override
  public long countBytes() {
    int i = 0;
    while (i + 1 < text.length() && pair(i) >= 0) {
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
    while (index + 1 < text.length() && target.hasRemaining()) {
      int value = pair(index);
      if (value < 0) {
        index = text.length();
        return true;
      }
      target.put((byte) value);
      index += 2;
    }
    return index + 1 >= text.length();
  }

  private int pair(int i) {
    return digit(text.charAt(i)) << 4 | digit(text.charAt(i + 1));
  }

  /** Returns the value of the digit in the low byte of {@code unit} (as Node does), or -1. */
  private static int digit(char unit) {
    int c = unit & 0xff;
    if (c >= '0' && c <= '9') {
      return c - '0';
    }
    int letter = c | 0x20;
    return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
  }
}
