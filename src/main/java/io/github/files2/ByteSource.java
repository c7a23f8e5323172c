package io.github.files2;

import java.nio.ByteBuffer;

/** latin1 and ascii: the low byte of each UTF-16 unit, as Node writes them. */
final class ByteSource extends TextSource {
  /** The largest unit that is not malformed. */
  private final int maxUnit;

  ByteSource(String text, Scratch scratch, int maxUnit) {
    super(text, scratch);
    this.maxUnit = maxUnit;
  }

  @Override
  public long maxBytes() {
    return (long) text.length() - index;
  }

  @Override
  public long countBytes() {
    return text.length();
  }

  @Override
  int findFault() {
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) > maxUnit) {
        return i;
      }
    }
    return -1;
  }

  @Override
  public boolean fill(ByteBuffer target) {
    while (index < text.length() && target.hasRemaining()) {
      int count = Math.min(scratch.takeLowBytes(text, index), target.remaining());
      target.put(scratch.bytes, 0, count);
      index += count;
    }
    return index == text.length();
  }
}
