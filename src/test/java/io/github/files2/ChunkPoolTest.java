package io.github.files2;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which chunk a write gets. */
final class ChunkPoolTest {
  private final ChunkPool pool = new ChunkPool(1, 2);

  private static void assertHolds(Chunk chunk, int byteCount) {
    assertThat(chunk.buffer.capacity()).isEqualTo(byteCount);
    assertThat(chunk.scratch.capacity()).isGreaterThanOrEqualTo(Chunk.SCRATCH_BYTES);
    assertThat(chunk.address % Chunk.ALIGNMENT).isZero();
    assertThat(chunk.address).isEqualTo(Chunk.addressOf(chunk.buffer));
    assertThat(chunk.scratchAddress).isEqualTo(chunk.address + byteCount);
  }

  @Test
  void take_whatFitsAChunk_isNoLargeOne() {
    try (Chunk chunk = pool.take(Chunk.BYTES)) {
      assertThat(chunk.isLarge()).isFalse();
      assertHolds(chunk, Chunk.BYTES);
    }
  }

  /** Memory that happens to begin at a cache line is no larger a chunk. */
  @Test
  void take_anyAddress_holdsNoByteMore() {
    List<ByteBuffer> between = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      Chunk chunk = pool.take();
      assertThat(chunk.isLarge()).isFalse();
      assertHolds(chunk, Chunk.BYTES);
      between.add(ByteBuffer.allocateDirect(i * 16)); // moves where the next one begins
    }
    assertThat(between).hasSize(100);
  }

  @Test
  void take_whatFitsNoChunk_isALargeOne() {
    try (Chunk chunk = pool.take(Chunk.BYTES + 1L)) {
      assertThat(chunk.isLarge()).isTrue();
      assertHolds(chunk, Chunk.LARGE_BYTES);
    }
  }

  @Test
  void take_moreLargeOnesThanThereMayBe_isAnotherChunkAndNoWait() {
    List<Chunk> taken = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      taken.add(pool.take(Long.MAX_VALUE));
    }
    assertThat(taken).extracting(Chunk::isLarge).containsExactly(true, true, false, false);
    assertThat(taken).doesNotHaveDuplicates();
    taken.forEach(Chunk::close);

    // Both large ones are kept, and one of the others.
    for (int i = 0; i < 3; i++) {
      assertThat(pool.take(Long.MAX_VALUE)).isIn(taken);
    }
    assertThat(pool.take(Long.MAX_VALUE)).isNotIn(taken);
  }
}
