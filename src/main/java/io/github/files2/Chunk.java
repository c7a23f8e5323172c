package io.github.files2;

import com.sun.jna.Native;
import com.sun.jna.Pointer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** One piece of native memory that a write is encoded into. Used by one thread at a time. */
final class Chunk implements AutoCloseable {
  /** What a chunk holds, in bytes. */
  static final int BYTES = 128 * 1024;

  /**
   * What a large chunk holds: {@link Pieces#SINGLE_WRITE_BYTES} and the room that an encoder needs
   * beyond.
   */
  static final int LARGE_BYTES = (1024 + 72) * 1024;

  /** A cache line, in bytes: stores that straddle two take longer. */
  static final int ALIGNMENT = 64;

  /** Room beside it for a path (PATH_MAX) and for what the kernel answers, in bytes. */
  static final int SCRATCH_BYTES = 8 * 1024;

  /** Where in the scratch the kernel's answers go: a path that lies before is needed again. */
  static final int ANSWER_OFFSET = SCRATCH_BYTES - 512;

  /** The bytes to write. */
  final ByteBuffer buffer;

  /** Room for arguments and answers of system calls. */
  final ByteBuffer scratch;

  /**
   * Where {@link #buffer}, {@link #scratch} and the answers begin; valid as long as this object is
   * reachable.
   */
  final long address;

  final long scratchAddress;
  final long answerAddress;

  private final ChunkPool pool;

  /** Made at its first use: the shim has none. */
  private Scratch javaScratch;

  /**
   * Makes a chunk.
   *
   * @param memory {@code byteCount} and {@link #SCRATCH_BYTES} from its begin on, or more
   */
  Chunk(ChunkPool pool, ByteBuffer memory, int byteCount) {
    this.pool = pool;
    this.buffer = memory.slice(0, byteCount);
    this.scratch = memory.slice(byteCount, SCRATCH_BYTES).order(ByteOrder.nativeOrder());
    this.address = addressOf(memory);
    this.scratchAddress = address + byteCount;
    this.answerAddress = scratchAddress + ANSWER_OFFSET;
  }

  /** Returns where a direct buffer's memory begins. */
  static long addressOf(ByteBuffer direct) {
    return Pointer.nativeValue(Native.getDirectBufferPointer(direct));
  }

  boolean isLarge() {
    return buffer.capacity() > BYTES;
  }

  /** Returns what Java encodes text in. */
  Scratch javaScratch() {
    if (javaScratch == null) {
      javaScratch = new Scratch(Scratch.CHARS);
    }
    return javaScratch;
  }

  /** Gives the chunk back to its pool. */
  @Override
  public void close() {
    pool.giveBack(this);
  }
}
