package io.github.files2;

import java.nio.ByteBuffer;

/**
 * The bytes of one write, made piece by piece so that memory does not grow with them. It does no
 * I/O. Not safe for use by many threads; use one each.
 */
sealed interface Source permits BytesSource, MemorySource, TextSource {
  /** The smallest target that {@link #fill} makes progress with, in bytes. */
  int MIN_TARGET_BYTES = 16;

  /**
   * Room beyond the exact number of bytes with which one {@link #fill} takes all: sources stop
   * where a whole block might not fit.
   */
  int SPARE_BYTES = 3 * Scratch.CHARS + MIN_TARGET_BYTES;

  /** Returns a bound on the bytes still to come that costs nothing to know. */
  long maxBytes();

  /** Returns exactly how many bytes a fresh source makes; may cost a pass over all of it. */
  long countBytes();

  /**
   * Puts bytes into {@code target} from its position on until it is full, give or take a character,
   * or the source ends. Characters and surrogate pairs are never cut.
   *
   * @param target at least {@link #MIN_TARGET_BYTES} long
   * @return whether the source has ended
   */
  boolean fill(ByteBuffer target);
}
