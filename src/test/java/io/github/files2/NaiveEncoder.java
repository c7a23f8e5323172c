package io.github.files2;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * Node's encodings, written down from their rules as plainly as can be, for the lanes to be
 * compared with.
 */
final class NaiveEncoder {
  private static final String HEX_DIGITS = "0123456789abcdef";
  private static final String BASE64_CHARS =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_";
  private static final String WHITE_SPACE = " \t\n\f\r";

  private NaiveEncoder() {}

  /** Returns the bytes of {@code text}, malformed parts replaced as in Node. */
  static byte[] encode(String encoding, String text) {
    return switch (encoding) {
      case "utf8" -> replaceLoneSurrogates(text).getBytes(StandardCharsets.UTF_8);
      case "utf16le" -> units(text, 2);
      case "latin1", "ascii" -> units(text, 1);
      case "hex" -> hex(text);
      case "base64" -> base64(text);
      default -> throw new IllegalArgumentException(encoding);
    };
  }

  /** Returns the index of the first malformed char, or -1. */
  static int fault(String encoding, String text) {
    return switch (encoding) {
      case "utf8", "utf16le" -> loneSurrogate(text, 0);
      case "latin1" -> firstAbove(0xff, text);
      case "ascii" -> firstAbove(0x7f, text);
      case "hex" -> hexFault(text);
      case "base64" -> base64Fault(text);
      default -> throw new IllegalArgumentException(encoding);
    };
  }

  private static int loneSurrogate(String text, int from) {
    for (int i = from; i < text.length(); i++) {
      if (Character.isHighSurrogate(text.charAt(i))
          && i + 1 < text.length()
          && Character.isLowSurrogate(text.charAt(i + 1))) {
        i++;
      } else if (Character.isSurrogate(text.charAt(i))) {
        return i;
      }
    }
    return -1;
  }

  private static String replaceLoneSurrogates(String text) {
    StringBuilder replaced = null;
    for (int i = loneSurrogate(text, 0); i >= 0; i = loneSurrogate(text, i + 1)) {
      if (replaced == null) {
        replaced = new StringBuilder(text);
      }
      replaced.setCharAt(i, '\ufffd');
    }
    return replaced == null ? text : replaced.toString();
  }

  private static byte[] units(String text, int bytesPerUnit) {
    byte[] bytes = new byte[text.length() * bytesPerUnit];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (text.charAt(i / bytesPerUnit) >> 8 * (i % bytesPerUnit));
    }
    return bytes;
  }

  private static int firstAbove(int limit, String text) {
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) > limit) {
        return i;
      }
    }
    return -1;
  }

  private static int hexDigit(int unit) {
    return HEX_DIGITS.indexOf(Character.toLowerCase(unit & 0xff));
  }

  private static byte[] hex(String text) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (int i = 0; i + 1 < text.length(); i += 2) {
      int high = hexDigit(text.charAt(i));
      int low = hexDigit(text.charAt(i + 1));
      if (high < 0 || low < 0) {
        break;
      }
      bytes.write(16 * high + low);
    }
    return bytes.toByteArray();
  }

  private static int hexFault(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) > 0x7f || hexDigit(text.charAt(i)) < 0) {
        return i;
      }
    }
    return text.length() % 2 == 0 ? -1 : text.length() - 1;
  }

  private static byte[] base64(String text) {
    StringBuilder kept = new StringBuilder();
    for (int i = 0; i < text.length(); i++) {
      char low = (char) (text.charAt(i) & 0xff);
      if (low == '=') {
        break;
      }
      if (BASE64_CHARS.indexOf(low) >= 0) {
        kept.append(low == '+' ? '-' : low == '/' ? '_' : low);
      }
    }
    if (kept.length() % 4 == 1) {
      kept.setLength(kept.length() - 1);
    }
    return Base64.getUrlDecoder().decode(kept.toString());
  }

  private static int skip(String wanted, String text, int from, int limit) {
    int i = from;
    while (i < limit && wanted.indexOf(text.charAt(i)) >= 0) {
      i++;
    }
    return i;
  }

  /**
   * Groups of four with white space between them; the last may be two or three characters, bare or
   * padded to four. What can't be decoded at the end is a fault of the group's first character.
   */
  private static int base64Fault(String text) {
    int length = text.length();
    int i = 0;
    while (true) {
      int start = skip(WHITE_SPACE, text, i, length);
      i = skip(BASE64_CHARS, text, start, Math.min(start + 4, length));
      int count = i - start;
      if (count < 4) {
        if (i == length) {
          return count == 1 ? start : -1;
        }
        char next = text.charAt(i);
        if (count < 2 || (next != '=' && WHITE_SPACE.indexOf(next) < 0)) {
          return i;
        }
        if (next == '=') {
          i = skip("=", text, i, Math.min(start + 4, length));
          if (i < start + 4) {
            return i == length ? start : i;
          }
        }
        i = skip(WHITE_SPACE, text, i, length);
        return i == length ? -1 : i;
      }
    }
  }
}
