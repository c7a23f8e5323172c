package io.github.files2;

import java.nio.ByteBuffer;

/** UTF-8 with each lone surrogate as U+FFFD, as the WHATWG Encoding Standard and Node have it. */
final class Utf8Source extends TextSource {
  Utf8Source(String text, Scratch scratch) {
    super(text, scratch);
  }

  @Override
  public long maxBytes() {
    return 3L * (text.length() - index);
  }

  @Override
  public long countBytes() {
    long count = text.length();
    for (int i = 0; i < text.length(); i++) {
      char unit = text.charAt(i);
      if (unit >= 0x80) {
        count += unit < 0x800 ? 1 : 2;
        if (Character.isHighSurrogate(unit) && isPair(text, i)) {
          i++; // 2 for the first unit and the unit itself make the 4 bytes, less the one below
        }
      }
    }
    return count;
  }

  @Override
  int findFault() {
    return findLoneSurrogate(text);
  }

  @Override
  public boolean fill(ByteBuffer target) {
    int start = target.position();
    int length = text.length();
    while (index < length) {
      int block = Math.min(length - index, scratch.maxChars());
      int fitting = Math.min(block, target.remaining() / 3);
      if (fitting < block && target.position() > start) {
        break; // a whole block goes into the next target
      }
      int end = index + fitting;
      if (end < length && fitting > 1 && Character.isHighSurrogate(text.charAt(end - 1))) {
        end--; // its partner may come next
      }
      scratch.encodeUtf8(text, index, end, target);
      index = end;
    }
    return index == length;
  }
}
