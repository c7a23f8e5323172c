package io.github.files2;

import java.nio.charset.Charset;
import java.nio.charset.IllegalCharsetNameException;
import java.nio.charset.StandardCharsets;
import java.nio.charset.UnsupportedCharsetException;
import java.util.Locale;

/** How a text becomes bytes: one of Node's encodings, or a charset with Java's rules. Immutable. */
final class TextEncoding {
  /** The kinds; the numbers are shared with the C side (files2.h). */
  static final int KIND_UTF8 = 0;

  static final int KIND_LATIN1 = 1;
  static final int KIND_ASCII = 2;
  static final int KIND_UTF16LE = 3;
  static final int KIND_BASE64 = 4;
  static final int KIND_HEX = 5;

  /** Any other charset: its own {@code CharsetEncoder} makes the bytes, in Java. */
  static final int KIND_CHARSET = 6;

  static final TextEncoding UTF8 = new TextEncoding(KIND_UTF8, "utf8", StandardCharsets.UTF_8);
  static final TextEncoding LATIN1 =
      new TextEncoding(KIND_LATIN1, "latin1", StandardCharsets.ISO_8859_1);
  static final TextEncoding ASCII =
      new TextEncoding(KIND_ASCII, "ascii", StandardCharsets.US_ASCII);

  /** One of the {@code KIND_} numbers. */
  final int kind;

  /** For messages. */
  final String name;

  /** The charset where there is one, else {@code null} (base64, hex). */
  final Charset charset;

  private TextEncoding(int kind, String name, Charset charset) {
    this.kind = kind;
    this.name = name;
    this.charset = charset;
  }

  /**
   * Returns the encoding called {@code name}: Node's spellings in any letter case with Node's
   * rules, otherwise Java's charset of that name with Java's rules.
   *
   * @throws IllegalArgumentException if nothing has that name, or it does not say the byte order
   */
  static TextEncoding named(String name) {
    TextEncoding encoding = ofNode(name);
    if (encoding != null) {
      return encoding;
    }
    try {
      Charset charset = Charset.forName(name);
      switch (charset.name()) { // which all of its aliases lead to
        case "UTF-16" ->
            throw noByteOrder(
                name, "\"utf16le\", or encoding(Charset) for Java's UTF-16 with byte order mark");
        case "UTF-32" -> throw noByteOrder(name, "\"utf-32le\" or \"utf-32be\"");
        default -> {}
      }
      return of(charset);
    } catch (IllegalCharsetNameException | UnsupportedCharsetException e) {
      throw new IllegalArgumentException(
          "encoding \""
              + name
              + "\" is not one of utf8, utf-8, utf16le, utf-16le, ucs2, ucs-2, latin1, binary,"
              + " ascii, hex, base64, base64url, nor the name of a charset",
          e);
    }
  }

  private static IllegalArgumentException noByteOrder(String name, String better) {
    return new IllegalArgumentException(
        "encoding \"" + name + "\" does not say the byte order: use " + better);
  }

  /** Returns the encoding of {@code charset}: Java's rules, but UTF-8 replaces as Node does. */
  static TextEncoding of(Charset charset) {
    if (!charset.canEncode()) {
      throw new IllegalArgumentException("charset " + charset.name() + " can't encode");
    }
    return charset.equals(StandardCharsets.UTF_8)
        ? UTF8
        : new TextEncoding(KIND_CHARSET, charset.name(), charset);
  }

  /** Tells whether {@code name} is one of Node's spellings or a charset's name. */
  static boolean isName(String name) {
    try {
      return !name.isEmpty() && (ofNode(name) != null || Charset.isSupported(name));
    } catch (IllegalCharsetNameException e) {
      return false;
    }
  }

  private static TextEncoding ofNode(String name) {
    return switch (name.toLowerCase(Locale.ROOT)) {
      case "", "utf8", "utf-8" -> UTF8;
      case "latin1", "binary" -> LATIN1;
      case "ascii" -> ASCII;
      case "utf16le", "utf-16le", "ucs2", "ucs-2" ->
          new TextEncoding(KIND_UTF16LE, "utf16le", StandardCharsets.UTF_16LE);
      // Node decodes both alphabets under both names.
      case "base64", "base64url" -> new TextEncoding(KIND_BASE64, name, null);
      case "hex" -> new TextEncoding(KIND_HEX, "hex", null);
      default -> null;
    };
  }

  /** Tells whether the encoder is a charset's own, which only Java can run. */
  boolean isCharset() {
    return kind == KIND_CHARSET;
  }
}
