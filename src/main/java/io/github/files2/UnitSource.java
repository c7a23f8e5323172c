package io.github.files2;

import java.nio.ByteBuffer;

/** latin1, ascii and utf16le: the low byte, or both bytes, of each UTF-16 unit as it is. */
final class UnitSource extends TextSource {
  /** The largest unit that is not malformed. */
  private final int maxUnit;

  private final int bytesPerUnit;

  UnitSource(String text, int maxUnit, int bytesPerUnit) {
    super(text);
    this.maxUnit = maxUnit;
    this.bytesPerUnit = bytesPerUnit;
  }

  @Override
  public long maxBytes() {
    return (long) bytesPerUnit * (text.length() - index);
  }

  @Override
  public long countBytes() {
    return (long) bytesPerUnit * text.length();
  }

  @Override
  int findFault() {
    if (bytesPerUnit == 2) {
      return findLoneSurrogate(text);
    }
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) > maxUnit) {
        return i;
      }
    }
    return -1;
  }

  @Override
  public boolean fill(ByteBuffer target) {
    int end = (int) Math.min(text.length(), index + (long) target.remaining() / bytesPerUnit);
    for (int i = index; i < end; i++) {
      char unit = text.charAt(i);
      target.put((byte) unit);
      if (bytesPerUnit == 2) {
        target.put((byte) (unit >> 8));
      }
    }
    index = end;
    return end == text.length();
  }
}
