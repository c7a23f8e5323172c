package io.github.files2;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.charset.CharsetEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Spliterator;

/**
 * Encodes UTF-8 in plain Java, a block at a time, in arrays that are used again and again. What the
 * JDK has intrinsics for does the bulk: {@code String.getChars}, the ISO-8859-1 encoder, and
 * reading eight bytes as a {@code long}. Used by one thread at a time.
 */
final class Scratch {
  /** The most chars of a block. */
  static final int CHARS = 4096;

  private static final int MAX_BYTES_PER_CHAR = 3;

  /** Up to this many chars of ASCII a plain loop is done before anything better has begun. */
  private static final int SHORT_CHARS = 64;

  /** From this many chars on {@link #isLatin1} costs less than it saves. */
  private static final int LONG_CHARS = 1024;

  /** Whether {@link #asksForLatin1} tells the truth on this JDK. */
  private static final boolean KNOWS_LATIN1 =
      asksForLatin1("\u00ff") && !asksForLatin1("\u0100") && !asksForLatin1("a\u20ac");

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
   * Tells of a long string whether all of its chars are known to be below U+0100, which costs no
   * pass over it. For a short one the answer is no.
   */
  static boolean isLatin1(String text) {
    return KNOWS_LATIN1 && text.length() >= LONG_CHARS && asksForLatin1(text);
  }

  /**
   * A string knows how many code points it has only if it keeps one byte a char (JEP 254), which it
   * does exactly when all are Latin-1. Nothing else in the API shows it without looking at each.
   */
  private static boolean asksForLatin1(String text) {
    return text.codePoints().spliterator().hasCharacteristics(Spliterator.SIZED);
  }

  /**
   * Encodes as {@link #encodeUtf8} does, from a text that {@link #isLatin1}: with one pass that
   * copies the chars as bytes, and one that looks for those that need two.
   */
  @SuppressWarnings("deprecation") // as above
  void encodeLatin1(String text, int begin, int end, ByteBuffer target) {
    int from = 2 * chars.length; // behind the most that they can become
    int to = from + end - begin;
    text.getBytes(begin, end, bytes, from);
    int asciiEnd = endOfAscii(from, to);
    target.put(bytes, from, asciiEnd - from);
    if (asciiEnd < to) {
      target.put(bytes, 0, widen(asciiEnd, to));
    }
  }

  /** Counts what {@link #encodeLatin1} makes; at most {@link #maxChars} chars. */
  @SuppressWarnings("deprecation") // as above
  int countLatin1(String text, int begin, int end) {
    int charCount = end - begin;
    text.getBytes(begin, end, bytes, 0);
    int count = charCount;
    int i = 0;
    while (i <= charCount - Long.BYTES) {
      count += Long.bitCount(longAt(i) & HIGH_BITS);
      i += Long.BYTES;
    }
    while (i < charCount) {
      count += bytes[i++] >>> 31;
    }
    return count;
  }

  /** Counts what the chars add to the UTF-8 of the whole text; at most {@link #maxChars}. */
  int countUtf8(String text, int begin, int end) {
    int charCount = end - begin;
    text.getChars(begin, end, chars, 0);
    char previous = begin == 0 ? 0 : text.charAt(begin - 1);
    int count = charCount;
    for (int i = 0; i < charCount; i++) {
      char unit = chars[i];
      // One more from U+0080 on, and one more from U+0800 on: the signs, without a branch.
      count += (0x7f - unit >>> 31) + (0x7ff - unit >>> 31);
      if (Character.isSurrogatePair(previous, unit)) {
        count -= 2; // 4 bytes, not twice 3
      }
      previous = unit;
    }
    return count;
  }

  /** Encodes Latin-1 in {@link #bytes} to their beginning. Returns how many bytes that makes. */
  private int widen(int begin, int end) {
    int o = 0;
    for (int i = begin; i < end; i++) {
      byte unit = bytes[i];
      if (unit < 0) {
        bytes[o++] = (byte) (0xc0 | (unit & 0xff) >> 6);
        bytes[o++] = (byte) (unit & 0xbf);
      } else {
        bytes[o++] = unit;
      }
    }
    return o;
  }

  /**
   * Encodes {@code text} from {@code begin} to {@code end} and puts it into {@code target}, which
   * has room for 3 bytes a char, as UTF-8 with each lone surrogate as U+FFFD. The end must not cut
   * a surrogate pair.
   */
  void encodeUtf8(String text, int begin, int end, ByteBuffer target) {
    int charCount = end - begin;
    int done = charCount <= SHORT_CHARS ? takeAscii(text, begin, end) : 0;
    if (done < charCount) {
      text.getChars(begin, end, chars, 0);
      done = encodeRest(done == 0 ? narrowAscii(charCount) : done, charCount);
    }
    target.put(bytes, 0, done);
  }

  /** Copies ASCII until the first char that is none. Returns how many. */
  private int takeAscii(String text, int begin, int end) {
    int count = 0;
    while (begin + count < end && text.charAt(begin + count) < 0x80) {
      bytes[count] = (byte) text.charAt(begin + count);
      count++;
    }
    return count;
  }

  /** Narrows until the first char that is no Latin-1. Returns how much of it is ASCII. */
  private int narrowAscii(int charCount) {
    charBuffer.limit(charCount).position(0);
    latin1.reset().encode(charBuffer, byteBuffer.clear(), true);
    return endOfAscii(0, byteBuffer.position());
  }

  private int endOfAscii(int begin, int end) {
    int i = begin;
    while (i <= end - 4 * Long.BYTES
        && ((longAt(i) | longAt(i + 8) | longAt(i + 16) | longAt(i + 24)) & HIGH_BITS) == 0) {
      i += 4 * Long.BYTES;
    }
    while (i < end && bytes[i] >= 0) {
      i++;
    }
    return i;
  }

  private long longAt(int i) {
    return (long) LONGS.get(bytes, i);
  }

  /** Encodes the chars from {@code begin} on, after as many bytes. Returns the bytes in all. */
  private int encodeRest(int begin, int end) {
    byte[] out = bytes;
    char[] in = chars;
    int o = begin;
    int i = begin;
    // Each branch ends with one addition: twice as fast as counting on with each byte. The inner
    // loop is for what HotSpot makes of runs of ASCII.
    while (i < end) {
      char unit = in[i];
      while (unit < 0x80) {
        out[o++] = (byte) unit;
        if (++i == end) {
          return o;
        }
        unit = in[i];
      }
      if (unit < 0x800) {
        out[o + 1] = (byte) (0x80 | unit & 0x3f);
        out[o] = (byte) (0xc0 | unit >> 6);
        o += 2;
      } else if (!Character.isSurrogate(unit)) {
        out[o + 2] = (byte) (0x80 | unit & 0x3f);
        out[o + 1] = (byte) (0x80 | unit >> 6 & 0x3f);
        out[o] = (byte) (0xe0 | unit >> 12);
        o += 3;
      } else if (i + 1 < end && Character.isSurrogatePair(unit, in[i + 1])) {
        int codePoint = Character.toCodePoint(unit, in[++i]);
        out[o + 3] = (byte) (0x80 | codePoint & 0x3f);
        out[o + 2] = (byte) (0x80 | codePoint >> 6 & 0x3f);
        out[o + 1] = (byte) (0x80 | codePoint >> 12 & 0x3f);
        out[o] = (byte) (0xf0 | codePoint >> 18);
        o += 4;
      } else {
        out[o + 2] = (byte) 0xbd; // U+FFFD
        out[o + 1] = (byte) 0xbf;
        out[o] = (byte) 0xef;
        o += 3;
      }
      i++;
    }
    return o;
  }
}
