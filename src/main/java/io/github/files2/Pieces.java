package io.github.files2;

import java.nio.ByteBuffer;

/**
 * Hands the bytes of a source out in buffers: in one where the target needs one write, else in
 * pieces of bounded memory. What fits the buffer is made at once, before any file is opened.
 */
final class Pieces {
  /**
   * An append, or a write to a special file, of up to this many bytes is exactly one write;
   * files2.h has the same number.
   */
  static final int SINGLE_WRITE_BYTES = 1024 * 1024;

  private final Source source;
  private ByteBuffer buffer;

  /** Whether the buffer holds a piece that was not handed out yet. */
  private boolean isReady;

  private boolean hasEnded;
  private long maxBytes;
  private boolean isExact;

  Pieces(Source source, ByteBuffer buffer) {
    this.source = source;
    this.buffer = buffer;
    this.maxBytes = source.maxBytes();
    if (maxBytes + Source.MIN_TARGET_BYTES <= buffer.capacity()) {
      makeNext();
      if (!hasEnded) {
        throw new IllegalStateException("a source that makes more than it says: " + source);
      }
      maxBytes = buffer.remaining();
      isExact = true;
    }
  }

  /** Returns the size of a buffer that suits {@code source}, at most {@code limit}. */
  static int bufferBytes(Source source, int limit) {
    return (int) Math.min(limit, source.maxBytes() + Source.MIN_TARGET_BYTES);
  }

  private void makeNext() {
    hasEnded = source.fill(buffer.clear());
    buffer.flip();
    isReady = true;
  }

  /** Tells whether all bytes are in one piece already. */
  boolean isWhole() {
    return hasEnded;
  }

  /** Returns a bound on all bytes that costs nothing to know. */
  long maxBytes() {
    return maxBytes;
  }

  /** Returns exactly how many bytes there are in all; to be called before {@link #next}. */
  long countBytes() {
    if (!isExact) {
      maxBytes = source.countBytes();
      isExact = true;
    }
    return maxBytes;
  }

  /** Returns the size of the buffer that {@link #join} needs, 0 where there is nothing to join. */
  int joinBytes() {
    if (hasEnded || (maxBytes > SINGLE_WRITE_BYTES && countBytes() > SINGLE_WRITE_BYTES)) {
      return 0;
    }
    return (int) countBytes() + Source.SPARE_BYTES;
  }

  /** Makes all bytes into {@code block}, so that they go out in one piece. */
  void join(ByteBuffer block) {
    buffer = block;
    makeNext();
  }

  /** Returns the next bytes, or {@code null} at the end; valid until the next call. */
  ByteBuffer next() {
    while (isReady || !hasEnded) {
      if (!isReady) {
        makeNext();
      }
      isReady = false;
      if (buffer.hasRemaining()) {
        return buffer;
      }
    }
    return null;
  }
}
