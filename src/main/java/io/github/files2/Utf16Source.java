package io.github.files2;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** utf16le: both bytes of each UTF-16 unit as it is, lone surrogates too, as Node writes them. */
final class Utf16Source extends TextSource {
  Utf16Source(String text, Scratch scratch) {
    super(text, scratch);
  }

  @Override
  public long maxBytes() {
    return 2L * (text.length() - index);
  }

  @Override
  public long countBytes() {
    return 2L * text.length();
  }

  @Override
  int findFault() {
    return findLoneSurrogate(text);
  }

  @Override
  public boolean fill(ByteBuffer target) {
    while (index < text.length() && target.remaining() >= 2) {
      int limit = Math.min(scratch.maxChars(), target.remaining() / 2);
      int count = Math.min(text.length() - index, limit);
      text.getChars(index, index + count, scratch.chars, 0);
      target.slice().order(ByteOrder.LITTLE_ENDIAN).asCharBuffer().put(scratch.chars, 0, count);
      target.position(target.position() + 2 * count);
      index += count;
    }
    return index == text.length();
  }
}
