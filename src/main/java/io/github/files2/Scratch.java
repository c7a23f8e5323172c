package io.github.files2;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.charset.CharsetEncoder;
import java.nio.charset.StandardCharsets;

/**
 * Encodes UTF-8 in plain Java, a block at a time, in arrays that are used again and again. What the
 * JDK has intrinsics for does the bulk: {@code String.getChars}, the ISO-8859-1 encoder, and
 * reading eight bytes as a {@code long}. Used by one thread at a time.
 */
final class Scratch {
  /** The most chars of a block. */
  static final int CHARS = 4096;

  private static final int MAX_BYTES_PER_CHAR = 3;
  private static final long HIGH_BITS = 0x8080808080808080L;
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  final char[] chars;
  final byte[] bytes;
  private final CharBuffer charBuffer;
  private final ByteBuffer byteBuffer;
  private final CharsetEncoder latin1 = StandardCharsets.ISO_8859_1.newEncoder();

  /** Makes room for blocks of up to {@code maxChars}, at most {@link #CHARS}. */
  Scratch(int maxChars) {
    int count = Math.min(maxChars, CHARS);
    chars = new char[count];
    bytes = new byte[count * MAX_BYTES_PER_CHAR];
    charBuffer = CharBuffer.wrap(chars);
    byteBuffer = ByteBuffer.wrap(bytes);
  }

  /** Returns the most chars that a block may have. */
  int maxChars() {
    return chars.length;
  }

  /**
   * Puts the low bytes of {@code text} from {@code begin} on into {@link #bytes}, at most {@link
   * #maxChars} of them, and returns how many.
   */
  @SuppressWarnings("deprecation") // what is wrong with this method is what is wanted here
  int takeLowBytes(String text, int begin) {
    int count = Math.min(text.length() - begin, chars.length);
    text.getBytes(begin, begin + count, bytes, 0);
    return count;
  }

  /**
   * Encodes {@code text} from {@code begin} to {@code end} and puts it into {@code target}, which
   * has room for 3 bytes a char, as UTF-8 with each lone surrogate as U+FFFD. The end must not cut
   * a surrogate pair.
   */
  void encodeUtf8(String text, int begin, int end, ByteBuffer target) {
    int charCount = end - begin;
    text.getChars(begin, end, chars, 0);
    // Narrows until the first char that is no Latin-1; what of it is ASCII is done then.
    charBuffer.limit(charCount).position(0);
    latin1.reset().encode(charBuffer, byteBuffer.clear(), true);
    int done = asciiPrefix(byteBuffer.position());
    target.put(bytes, 0, done < charCount ? encodeRest(done, charCount) : done);
  }

  private int asciiPrefix(int byteCount) {
    int i = 0;
    while (i <= byteCount - Long.BYTES && ((long) LONGS.get(bytes, i) & HIGH_BITS) == 0) {
      i += Long.BYTES;
    }
    while (i < byteCount && bytes[i] >= 0) {
      i++;
    }
    return i;
  }

  /** Encodes the chars from {@code begin} on, after as many bytes. Returns the bytes in all. */
  private int encodeRest(int begin, int end) {
    byte[] out = bytes;
    char[] in = chars;
    int o = begin;
    for (int i = begin; i < end; i++) {
      char unit = in[i];
      if (unit < 0x80) {
        out[o++] = (byte) unit;
      } else if (unit < 0x800) {
        out[o++] = (byte) (0xc0 | unit >> 6);
        out[o++] = (byte) (0x80 | unit & 0x3f);
      } else if (!Character.isSurrogate(unit)) {
        out[o++] = (byte) (0xe0 | unit >> 12);
        out[o++] = (byte) (0x80 | unit >> 6 & 0x3f);
        out[o++] = (byte) (0x80 | unit & 0x3f);
      } else if (i + 1 < end && Character.isSurrogatePair(unit, in[i + 1])) {
        int codePoint = Character.toCodePoint(unit, in[++i]);
        out[o++] = (byte) (0xf0 | codePoint >> 18);
        out[o++] = (byte) (0x80 | codePoint >> 12 & 0x3f);
        out[o++] = (byte) (0x80 | codePoint >> 6 & 0x3f);
        out[o++] = (byte) (0x80 | codePoint & 0x3f);
      } else {
        // U+FFFD
        out[o++] = (byte) 0xef;
        out[o++] = (byte) 0xbf;
        out[o++] = (byte) 0xbd;
      }
    }
    return o;
  }
}
