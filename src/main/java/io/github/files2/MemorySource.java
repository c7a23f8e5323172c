package io.github.files2;

import java.nio.ByteBuffer;

/** Bytes of blocks in memory, from an offset to the end. */
final class MemorySource implements Source {
  private final MemoryBlocks blocks;
  private final long start;
  private long offset;

  MemorySource(MemoryBlocks blocks, long start) {
    this.blocks = blocks;
    this.start = start;
    this.offset = start;
  }

  /** Makes this a fresh source again, and returns it. */
  MemorySource rewind() {
    offset = start;
    return this;
  }

  @Override
  public long maxBytes() {
    return blocks.size() - offset;
  }

  @Override
  public long countBytes() {
    return blocks.size() - start;
  }

  @Override
  public boolean fill(ByteBuffer target) {
    offset += blocks.read(offset, target);
    return offset == blocks.size();
  }
}
