package io.github.files2;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.Charset;
import java.nio.charset.CharsetEncoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;

/** Any charset, by its own encoder with Java's rules: its replacement and its byte order mark. */
final class CharsetSource extends TextSource {
  private final CharsetEncoder encoder;
  private final CharBuffer chars;
  private boolean encoded;

  /** The text does not begin its file. */
  private boolean continues;

  CharsetSource(String text, Scratch scratch, Charset charset) {
    super(text, scratch);
    this.encoder = encoder(charset, CodingErrorAction.REPLACE);
    this.chars = CharBuffer.wrap(text);
  }

  private static CharsetEncoder encoder(Charset charset, CodingErrorAction action) {
    return charset.newEncoder().onMalformedInput(action).onUnmappableCharacter(action);
  }

  /**
   * Leaves out the byte order mark, for text that does not begin its file. The encoder is made to
   * believe that it has begun already.
   */
  void continueFile() {
    continues = true;
    if (encoder.charset().name().contains("UTF")) {
      encoder.encode(CharBuffer.wrap("a"), ByteBuffer.allocate(MIN_TARGET_BYTES), false);
    }
  }

  @Override
  public long maxBytes() {
    // A mark, and what the encoder holds back to its end, are the few more.
    int charCount = text.isEmpty() ? 0 : chars.remaining() + 4;
    return (long) Math.ceil((double) encoder.maxBytesPerChar() * charCount);
  }

  @Override
  public long countBytes() {
    CharsetSource fresh = new CharsetSource(text, scratch, encoder.charset());
    if (continues) {
      fresh.continueFile();
    }
    return countByMaking(fresh);
  }

  @Override
  int findFault() {
    CharsetEncoder strict = encoder(encoder.charset(), CodingErrorAction.REPORT);
    CharBuffer source = CharBuffer.wrap(text);
    ByteBuffer scratch = ByteBuffer.allocate(8192);
    CoderResult result;
    do {
      result = strict.encode(source, scratch.clear(), true);
    } while (result.isOverflow());
    return result.isError() ? source.position() : -1;
  }

  @Override
  public boolean fill(ByteBuffer target) {
    if (!encoded) {
      encoded = encoder.encode(chars, target, true).isUnderflow();
    }
    return encoded && encoder.flush(target).isUnderflow();
  }
}
