package io.github.files2;

import java.nio.ByteBuffer;
import java.util.Base64;

/**
 * base64 (RFC 4648) and base64url, decoded as Node decodes them: both alphabets at once, anything
 * else skipped, the first {@code =} ends the text, a single left-over character is dropped.
 */
final class Base64Source extends TextSource {
  /** The values gathered of the open group, 6 bits each, and how many they are. */
  private int bits;

  private int valueCount;

  /** Whether the JDK's decoder, which knows one alphabet and no garbage, has not failed yet. */
  private boolean isPlain = true;

  Base64Source(String text, Scratch scratch) {
    super(text, scratch);
  }

  @Override
  public long maxBytes() {
    return 3L * ((text.length() - index + valueCount) / 4) + 3;
  }

  @Override
  public long countBytes() {
    long values = 0;
    for (int i = 0; i < text.length(); i++) {
      char unit = text.charAt(i);
      if ((unit & 0xff) == '=') {
        break;
      }
      if (value(unit) >= 0) {
        values++;
      }
    }
    return values * 3 / 4;
  }

  @Override
  public boolean fill(ByteBuffer target) {
    while (index < text.length() && target.remaining() >= 3) {
      int count = scratch.takeLowBytes(text, index);
      if (!isPlain || !decodePlain(count, target)) {
        decode(count, target);
      }
    }
    if (index < text.length() || target.remaining() < 2) {
      return false;
    }
    if (valueCount == 2) {
      target.put((byte) (bits >> 4));
    } else if (valueCount == 3) {
      target.put((byte) (bits >> 10)).put((byte) (bits >> 2));
    }
    valueCount = 0;
    return true;
  }

  /**
   * Has whole groups of the block decoded by the JDK, which has an intrinsic for it. Returns false
   * where it can't, and it is not asked again.
   */
  private boolean decodePlain(int count, ByteBuffer target) {
    int whole = Math.min(count / 4, target.remaining() / 3) * 4;
    byte[] bytes = scratch.bytes;
    if (valueCount != 0 || whole == 0 || bytes[whole - 1] == '=') {
      return false; // padding is the end, and ends are rare
    }
    try {
      ByteBuffer decoded = Base64.getDecoder().decode(ByteBuffer.wrap(bytes, 0, whole));
      target.put(decoded);
      index += whole;
      return true;
    } catch (IllegalArgumentException e) {
      isPlain = false;
      return false;
    }
  }

  /** Decodes the block char by char, as far as the target has room. */
  private void decode(int count, ByteBuffer target) {
    byte[] bytes = scratch.bytes;
    for (int i = 0; i < count && target.remaining() >= 3; i++) {
      index++;
      int value = value(bytes[i]);
      if (value >= 0) {
        bits = bits << 6 | value;
        if (++valueCount == 4) {
          target.put((byte) (bits >> 16)).put((byte) (bits >> 8)).put((byte) bits);
          valueCount = 0;
        }
      } else if (bytes[i] == '=') {
        index = text.length();
        return;
      }
    }
  }

  /**
   * The strict rule: both alphabets, white space between groups of four and at the end only,
   * padding absent or exact. An end that can't be decoded is a fault at the start of its group.
   */
  @Override
  int findFault() {
    int inGroup = 0; // characters of the open group, padding included
    int groupStart = 0;
    boolean ended = false; // only white space may follow
    for (int i = 0; i < text.length(); i++) {
      char unit = text.charAt(i);
      if (isWhiteSpace(unit) && (ended || inGroup != 1)) {
        ended |= inGroup != 0;
      } else if (unit == '=' && !ended && inGroup >= 2) {
        int missing = 4 - inGroup;
        for (int j = 1; j < missing; j++) {
          if (i + j == text.length()) {
            return groupStart;
          }
          if (text.charAt(i + j) != '=') {
            return i + j;
          }
        }
        i += missing - 1;
        inGroup = 0;
        ended = true;
      } else if (unit <= 0x7f && value(unit) >= 0 && !ended) {
        if (inGroup == 0) {
          groupStart = i;
        }
        inGroup = (inGroup + 1) % 4;
      } else {
        return i;
      }
    }
    return inGroup == 1 ? groupStart : -1;
  }

  private static boolean isWhiteSpace(char unit) {
    return unit == ' ' || unit == '\t' || unit == '\n' || unit == '\f' || unit == '\r';
  }

  /** Returns the 6-bit value of the low byte of {@code unit} (as Node does), or -1. */
  private static int value(int unit) {
    int c = unit & 0xff;
    if (c >= 'A' && c <= 'Z') {
      return c - 'A';
    }
    if (c >= 'a' && c <= 'z') {
      return c - 'a' + 26;
    }
    if (c >= '0' && c <= '9') {
      return c - '0' + 52;
    }
    return switch (c) {
      case '+', '-' -> 62;
      case '/', '_' -> 63;
      default -> -1;
    };
  }
}
