package io.github.files2;

import java.nio.ByteBuffer;

/** UTF-8 with each lone surrogate as U+FFFD, as the WHATWG Encoding Standard and Node have it. */
final class Utf8Source extends TextSource {
  private final boolean isLatin1;

  Utf8Source(String text, Scratch scratch) {
    super(text, scratch);
    this.isLatin1 = Scratch.isLatin1(text);
  }

  @Override
  public long maxBytes() {
    return (long) maxBytesPerChar() * (text.length() - index);
  }

  private int maxBytesPerChar() {
    return isLatin1 ? 2 : 3;
  }

  @Override
  public long countBytes() {
    long count = 0;
    int counted = 0;
    while (counted < text.length()) {
      int end = Math.min(text.length(), counted + scratch.maxChars());
      count +=
          isLatin1
              ? scratch.countLatin1(text, counted, end)
              : scratch.countUtf8(text, counted, end);
      counted = end;
    }
    return count;
  }

  @Override
  int findFault() {
    return isLatin1 ? -1 : findLoneSurrogate(text);
  }

  @Override
  public boolean fill(ByteBuffer target) {
    int start = target.position();
    while (index < text.length()) {
      int block = Math.min(text.length() - index, scratch.maxChars());
      int fitting = Math.min(block, target.remaining() / maxBytesPerChar());
      if (fitting < block && target.position() > start) {
        break; // a whole block goes into the next target
      }
      encode(fitting, target);
    }
    return index == text.length();
  }

  /** Encodes the next {@code charCount} chars, but for half a surrogate pair at their end. */
  private void encode(int charCount, ByteBuffer target) {
    int end = index + charCount;
    if (isLatin1) {
      scratch.encodeLatin1(text, index, end, target);
    } else {
      boolean isCut = charCount > 1 && Character.isHighSurrogate(text.charAt(end - 1));
      if (isCut && end < text.length()) {
        end--; // its partner may come next
      }
      scratch.encodeUtf8(text, index, end, target);
    }
    index = end;
  }
}
