package io.github.files2;

import java.nio.charset.CharacterCodingException;

/**
 * Thrown in the mode {@link java.nio.charset.CodingErrorAction#REPORT} when a text holds something
 * that its encoding can't express: a lone surrogate, a character outside latin1 or ascii, a wrong
 * character or length of a base64 or hex text. It is thrown before the file is opened.
 */
public final class MalformedTextException extends CharacterCodingException {
  private static final long serialVersionUID = 1L;

  /** The name of the encoding, as Node spells it or as the charset is called. */
  private final String encoding;

  /** Where the fault is, in {@code char}s. */
  private final long index;

  MalformedTextException(String encoding, long index) {
    this.encoding = encoding;
    this.index = index;
  }

  /**
   * Returns the index of the first {@code char} that can't be encoded.
   *
   * @return the index in the text, from 0
   */
  public long index() {
    return index;
  }

  /** Names the encoding and the index. */
  @Override
  public String getMessage() {
    return "text is not valid for encoding " + encoding + " at index " + index;
  }
}
