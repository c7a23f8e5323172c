package io.github.files2;

import java.nio.ByteBuffer;

/** UTF-8 with each lone surrogate as U+FFFD, as the WHATWG Encoding Standard and Node have it. */
final class Utf8Source extends TextSource {
  Utf8Source(String text) {
    super(text);
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
    int i = index;
    int length = text.length();
    // Four bytes hold any one code point.
    while (i < length && target.remaining() >= 4) {
      char unit = text.charAt(i);
      if (unit < 0x80) {
        target.put((byte) unit);
      } else if (unit < 0x800) {
        target.put((byte) (0xc0 | unit >> 6)).put((byte) (0x80 | unit & 0x3f));
      } else if (Character.isSurrogate(unit)) {
        if (isPair(text, i)) {
          int codePoint = Character.toCodePoint(unit, text.charAt(++i));
          target
              .put((byte) (0xf0 | codePoint >> 18))
              .put((byte) (0x80 | codePoint >> 12 & 0x3f))
              .put((byte) (0x80 | codePoint >> 6 & 0x3f))
              .put((byte) (0x80 | codePoint & 0x3f));
        } else {
          target.put((byte) 0xef).put((byte) 0xbf).put((byte) 0xbd);
        }
      } else {
        target
            .put((byte) (0xe0 | unit >> 12))
            .put((byte) (0x80 | unit >> 6 & 0x3f))
            .put((byte) (0x80 | unit & 0x3f));
      }
      i++;
    }
    index = i;
    return i == length;
  }
}
