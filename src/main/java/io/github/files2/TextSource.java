package io.github.files2;

import java.nio.ByteBuffer;

/** The bytes of a text in one encoding, made in Java for the lanes that have no C encoders. */
abstract sealed class TextSource implements Source
    permits Utf8Source, ByteSource, Utf16Source, Base64Source, HexSource, CharsetSource {
  final String text;

  /** The next {@code char} to encode. */
  int index;

  /** What blocks of the text are encoded in. */
  final Scratch scratch;

  TextSource(String text, Scratch scratch) {
    this.text = text;
    this.scratch = scratch;
  }

  /**
   * Returns the source for {@code text} in the encoding of {@code plan}.
   *
   * @param scratch what to encode in
   * @throws MalformedTextException if the plan reports malformed text and this is
   */
  static TextSource of(String text, WritePlan plan, Scratch scratch) throws MalformedTextException {
    TextSource source =
        plan.encoding.kind == TextEncoding.KIND_UTF8
            ? new Utf8Source(text, scratch)
            : ofRareKind(text, plan.encoding, scratch);
    if (plan.reportsMalformed) {
      int fault = source.findFault();
      if (fault >= 0) {
        throw new MalformedTextException(plan.encoding.name, fault);
      }
    }
    return source;
  }

  /** Returns the source for {@code text}, with a scratch of its own. */
  static TextSource of(String text, WritePlan plan) throws MalformedTextException {
    return of(text, plan, new Scratch(text.length()));
  }

  private static TextSource ofRareKind(String text, TextEncoding encoding, Scratch scratch) {
    return switch (encoding.kind) {
      case TextEncoding.KIND_LATIN1 -> new ByteSource(text, scratch, 0xff);
      case TextEncoding.KIND_ASCII -> new ByteSource(text, scratch, 0x7f);
      case TextEncoding.KIND_UTF16LE -> new Utf16Source(text, scratch);
      case TextEncoding.KIND_BASE64 -> new Base64Source(text, scratch);
      case TextEncoding.KIND_HEX -> new HexSource(text, scratch);
      default -> new CharsetSource(text, scratch, encoding.charset);
    };
  }

  /** Returns the index of the first {@code char} that can't be encoded, or -1. */
  abstract int findFault();

  /** Returns the index of the first surrogate of {@code text} without its partner, or -1. */
  static int findLoneSurrogate(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (Character.isSurrogate(text.charAt(i))) {
        if (!isPair(text, i)) {
          return i;
        }
        i++;
      }
    }
    return -1;
  }

  /** Tells whether a surrogate pair begins at {@code index}. */
  static boolean isPair(String text, int index) {
    return index + 1 < text.length()
        && Character.isSurrogatePair(text.charAt(index), text.charAt(index + 1));
  }

  /** Counts by making all bytes of a fresh source into a scratch buffer. */
  static long countByMaking(TextSource fresh) {
    ByteBuffer scratch = ByteBuffer.allocate(8192);
    long count = 0;
    boolean ended;
    do {
      ended = fresh.fill(scratch.clear());
      count += scratch.position();
    } while (!ended);
    return count;
  }
}
