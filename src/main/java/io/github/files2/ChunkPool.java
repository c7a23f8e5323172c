package io.github.files2;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Chunks for reuse. Taking never waits: a miss allocates, and what comes back beyond the idle limit
 * is left to the collector. Not bound to threads, since virtual threads are many. Safe for use by
 * many threads.
 */
final class ChunkPool {
  /** How long a refusal of direct memory is believed, in nanoseconds. */
  private static final long REFUSAL_NANOS = 1_000_000_000;

  private final AtomicReferenceArray<Chunk> idle;

  /** When direct memory was refused last; 0 for never. Each refusal costs a collection. */
  private volatile long refusedAt;

  ChunkPool(int maxIdleChunks) {
    this.idle = new AtomicReferenceArray<>(maxIdleChunks);
  }

  /** Returns a chunk, or {@code null} where no direct memory is left. */
  Chunk take() {
    for (int i = 0; i < idle.length(); i++) {
      // Looking first keeps an empty slot's cache line shared.
      if (idle.getPlain(i) != null) {
        Chunk chunk = idle.getAndSet(i, null);
        if (chunk != null) {
          return chunk;
        }
      }
    }
    if (refusedAt != 0 && System.nanoTime() - refusedAt < REFUSAL_NANOS) {
      return null;
    }
    try {
      return new Chunk(this, ByteBuffer.allocateDirect(Chunk.BYTES + Chunk.SCRATCH_BYTES));
    } catch (OutOfMemoryError e) {
      refusedAt = System.nanoTime() | 1;
      return null; // -XX:MaxDirectMemorySize is reached; the caller has a smaller way
    }
  }

  void giveBack(Chunk chunk) {
    for (int i = 0; i < idle.length(); i++) {
      if (idle.getPlain(i) == null && idle.compareAndSet(i, null, chunk)) {
        return;
      }
    }
  }
}
