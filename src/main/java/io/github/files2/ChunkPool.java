package io.github.files2;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Chunks for reuse. Taking never waits: a miss allocates, or makes do with less. Safe for use by
 * many threads.
 */
final class ChunkPool {
  /** How long a refusal of direct memory is believed, in nanoseconds. */
  private static final long REFUSAL_NANOS = 1_000_000_000;

  private final IdleSlots<Chunk> idle;
  private final IdleSlots<Chunk> idleLarge;

  /** How many large chunks may still be made; they are never let go. */
  private final AtomicInteger largeToMake;

  /** When direct memory was refused last; 0 for never. Each refusal costs a collection. */
  private volatile long refusedAt;

  /**
   * Makes a pool.
   *
   * @param maxIdle how many chunks are kept that nobody uses
   * @param maxLarge how many large ones there are ever
   */
  ChunkPool(int maxIdle, int maxLarge) {
    this.idle = new IdleSlots<>(maxIdle);
    this.idleLarge = new IdleSlots<>(maxLarge);
    this.largeToMake = new AtomicInteger(maxLarge);
  }

  /**
   * Returns a chunk for up to {@code maxBytes}: a large one where they need it and one is left; the
   * other takes them in pieces. {@code null} where no direct memory is left.
   */
  Chunk take(long maxBytes) {
    Chunk large = maxBytes <= Chunk.BYTES ? null : takeLarge();
    return large == null ? take() : large;
  }

  private Chunk takeLarge() {
    Chunk chunk = idleLarge.take();
    if (chunk != null || largeToMake.get() <= 0 || largeToMake.getAndDecrement() <= 0) {
      return chunk;
    }
    try {
      return allocate(Chunk.LARGE_BYTES);
    } catch (OutOfMemoryError e) {
      largeToMake.set(0); // asked once: what direct memory there is goes to the other chunks
      return null;
    }
  }

  /** Returns a chunk, or {@code null} where no direct memory is left. */
  Chunk take() {
    Chunk chunk = idle.take();
    if (chunk != null) {
      return chunk;
    }
    if (refusedAt != 0 && System.nanoTime() - refusedAt < REFUSAL_NANOS) {
      return null;
    }
    try {
      return allocate(Chunk.BYTES);
    } catch (OutOfMemoryError e) {
      refusedAt = System.nanoTime() | 1;
      return null; // -XX:MaxDirectMemorySize is reached; the caller has a smaller way
    }
  }

  private Chunk allocate(int byteCount) {
    ByteBuffer memory =
        ByteBuffer.allocateDirect(byteCount + Chunk.SCRATCH_BYTES + Chunk.ALIGNMENT);
    return new Chunk(this, memory.alignedSlice(Chunk.ALIGNMENT), byteCount);
  }

  void giveBack(Chunk chunk) {
    (chunk.isLarge() ? idleLarge : idle).giveBack(chunk);
  }
}
