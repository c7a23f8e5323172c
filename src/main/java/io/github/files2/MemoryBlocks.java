package io.github.files2;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Bytes in memory that grow without being copied: a list of blocks, the first of 4 KiB, each next
 * one twice as long, up to 128 KiB. A block that nothing was written to is not there and reads as
 * zeros. Not safe for use by many threads.
 *
 * <p>Bytes of a block beyond the size are always zero. So a gap needs no filling, and nothing that
 * was cut off, or that another file has left in a block, can come back.
 *
 * <p>Blocks are heap arrays, not chunks of {@link ChunkPool}: direct memory has a limit of its own,
 * which a large file would use up for the whole program, and only the collector frees it.
 */
final class MemoryBlocks {
  private static final int FIRST_BLOCK_BYTES = 4 * 1024;

  /** What all blocks but the first few hold, in bytes. */
  static final int BLOCK_BYTES = Chunk.BYTES;

  /** How many blocks are smaller, and what they hold in all. */
  private static final int SMALL_BLOCKS =
      Integer.numberOfTrailingZeros(BLOCK_BYTES / FIRST_BLOCK_BYTES);

  private static final int SMALL_BLOCKS_BYTES = BLOCK_BYTES - FIRST_BLOCK_BYTES;

  /** The longest array that every JVM makes is a little shorter than an {@code int} could tell. */
  private static final int MAX_BLOCKS = Integer.MAX_VALUE - 8;

  /** What the list of blocks can hold at most, in bytes. */
  static final long MAX_BYTES = startOf(MAX_BLOCKS);

  /** A list that could be this much shorter is made so. */
  private static final int MUCH_SHORTER = 4;

  private static final byte[] ZEROS = new byte[FIRST_BLOCK_BYTES];

  /** Blocks of full length, of files that were closed. */
  private static final IdleSlots<byte[]> IDLE =
      new IdleSlots<>(2 * Runtime.getRuntime().availableProcessors());

  /** What may be held, in bytes; no block reaches beyond. */
  private final long limit;

  private byte[][] blocks = new byte[SMALL_BLOCKS + 1][];
  private long size;

  /** Makes an empty list that holds at most {@code maxBytes}. */
  MemoryBlocks(long maxBytes) {
    this.limit = Math.min(maxBytes, MAX_BYTES);
  }

  /** Returns how many bytes there are. */
  long size() {
    return size;
  }

  /** Returns the largest size that is allowed. */
  long limit() {
    return limit;
  }

  // --- Which block has which bytes

  private static int indexOf(long offset) {
    if (offset < SMALL_BLOCKS_BYTES) {
      int units = (int) (offset / FIRST_BLOCK_BYTES) + 1;
      return Integer.SIZE - 1 - Integer.numberOfLeadingZeros(units);
    }
    return SMALL_BLOCKS + (int) ((offset - SMALL_BLOCKS_BYTES) / BLOCK_BYTES);
  }

  private static long startOf(int index) {
    return index < SMALL_BLOCKS
        ? FIRST_BLOCK_BYTES * ((1L << index) - 1)
        : SMALL_BLOCKS_BYTES + (long) (index - SMALL_BLOCKS) * BLOCK_BYTES;
  }

  private int lengthOf(int index) {
    int usual = FIRST_BLOCK_BYTES << Math.min(index, SMALL_BLOCKS);
    return (int) Math.min(usual, limit - startOf(index));
  }

  /** Returns how many blocks hold the first {@code byteCount} bytes. */
  private static int blocksOf(long byteCount) {
    return byteCount == 0 ? 0 : indexOf(byteCount - 1) + 1;
  }

  // --- Memory

  /**
   * Makes the blocks for {@code byteCount} bytes from {@code offset} on, all within the limit. What
   * is written there afterwards can't fail.
   *
   * @throws OutOfMemoryError if there is too little memory; nothing has changed
   */
  void reserve(long offset, long byteCount) {
    int first = indexOf(offset);
    int end = blocksOf(offset + byteCount);
    try {
      if (end > blocks.length) {
        blocks = Arrays.copyOf(blocks, Math.max(end, (int) Math.min(2L * end, MAX_BLOCKS)));
      }
      for (int i = first; i < end; i++) {
        if (blocks[i] == null) {
          blocks[i] = take(lengthOf(i));
        }
      }
    } catch (OutOfMemoryError e) {
      // Giving them back would keep the memory, and takes some itself when it is done first.
      Arrays.fill(blocks, blocksOf(size), blocks.length, null);
      throw e;
    }
  }

  /** Lets go of all bytes when memory has ended, so that there is some for telling it. */
  void drop() {
    size = 0;
    Arrays.fill(blocks, null);
  }

  private static byte[] take(int byteCount) {
    byte[] idle = byteCount == BLOCK_BYTES ? IDLE.take() : null;
    if (idle == null) {
      return new byte[byteCount];
    }
    Arrays.fill(idle, (byte) 0);
    return idle;
  }

  private void giveBackFrom(int firstIndex) {
    for (int i = firstIndex; i < blocks.length; i++) {
      byte[] block = blocks[i];
      blocks[i] = null;
      if (block != null && block.length == BLOCK_BYTES) {
        IDLE.giveBack(block);
      }
    }
  }

  // --- Bytes

  /** Puts one byte where room was made by {@link #reserve}. */
  void write(long offset, byte value) {
    int index = indexOf(offset);
    blocks[index][(int) (offset - startOf(index))] = value;
    size = Math.max(size, offset + 1);
  }

  /** Puts what remains in {@code source} where room was made by {@link #reserve}. */
  void write(long offset, ByteBuffer source) {
    long at = offset;
    while (source.hasRemaining()) {
      int index = indexOf(at);
      byte[] block = blocks[index];
      int from = (int) (at - startOf(index));
      int count = Math.min(source.remaining(), block.length - from);
      source.get(block, from, count);
      at += count;
    }
    size = Math.max(size, at);
  }

  /** Puts bytes from {@code offset} on into {@code target} and returns how many there were. */
  int read(long offset, ByteBuffer target) {
    int all = (int) Math.max(0, Math.min(target.remaining(), size - offset));
    int done = 0;
    while (done < all) {
      long at = offset + done;
      int index = indexOf(at);
      int from = (int) (at - startOf(index));
      int count = Math.min(all - done, lengthOf(index) - from);
      if (blocks[index] == null) {
        putZeros(target, count);
      } else {
        target.put(blocks[index], from, count);
      }
      done += count;
    }
    return all;
  }

  private static void putZeros(ByteBuffer target, int byteCount) {
    for (int left = byteCount; left > 0; left -= ZEROS.length) {
      target.put(ZEROS, 0, Math.min(left, ZEROS.length));
    }
  }

  /** Adds all that {@code in} has; returns false where it has more than the limit allows. */
  boolean readAll(InputStream in) throws IOException {
    while (size < limit) {
      reserve(size, 1);
      int index = indexOf(size);
      int from = (int) (size - startOf(index));
      int count = in.read(blocks[index], from, blocks[index].length - from);
      if (count < 0) {
        return true;
      }
      size += count;
    }
    return in.read() < 0;
  }

  /** Cuts what lies at {@code newSize} and beyond, and gives its memory back. */
  void truncate(long newSize) {
    int kept = blocksOf(newSize);
    giveBackFrom(kept);
    if (kept < blocks.length / MUCH_SHORTER) {
      blocks = Arrays.copyOf(blocks, Math.max(kept, SMALL_BLOCKS + 1));
    }
    if (kept > 0 && blocks[kept - 1] != null && newSize < size) {
      byte[] last = blocks[kept - 1];
      long start = startOf(kept - 1);
      int end = (int) Math.min(size - start, last.length);
      Arrays.fill(last, (int) (newSize - start), end, (byte) 0);
    }
    size = Math.min(size, newSize);
  }
}
