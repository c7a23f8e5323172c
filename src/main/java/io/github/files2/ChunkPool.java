package io.github.files2;

import java.nio.ByteBuffer;

/** Chunks for reuse. Taking never waits: a miss allocates. Safe for use by many threads. */
final class ChunkPool {
  /** How long a refusal of direct memory is believed, in nanoseconds. */
  private static final long REFUSAL_NANOS = 1_000_000_000;

  private final IdleSlots<Chunk> idle;

  /** When direct memory was refused last; 0 for never. Each refusal costs a collection. */
  private volatile long refusedAt;

  ChunkPool(int maxIdleChunks) {
    this.idle = new IdleSlots<>(maxIdleChunks);
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
      return new Chunk(this, ByteBuffer.allocateDirect(Chunk.BYTES + Chunk.SCRATCH_BYTES));
    } catch (OutOfMemoryError e) {
      refusedAt = System.nanoTime() | 1;
      return null; // -XX:MaxDirectMemorySize is reached; the caller has a smaller way
    }
  }

  void giveBack(Chunk chunk) {
    idle.giveBack(chunk);
  }
}
