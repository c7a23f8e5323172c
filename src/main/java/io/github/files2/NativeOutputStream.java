package io.github.files2;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.Objects;

/**
 * A file of a native lane that is written while its bytes are made. What is written gathers in one
 * piece; nothing but a full piece and the close reaches the file. Not safe for use by many threads.
 */
final class NativeOutputStream extends OutputStream {
  private final NativeStreams lane;
  private final Path file;
  private final WritePlan plan;
  private long stream;
  private final byte[] piece = new byte[Chunk.BYTES];
  private int gathered;
  private long written;
  private boolean hasFailed;
  private boolean isClosed;

  /** Takes its memory before the file is opened: see {@link #begin}. */
  NativeOutputStream(NativeStreams lane, Path file, WritePlan plan) {
    this.lane = lane;
    this.file = file;
    this.plan = plan;
  }

  /** Goes on with what the lane has opened. */
  void begin(long openedStream) {
    stream = openedStream;
  }

  @Override
  public void write(int b) throws IOException {
    if (gathered == piece.length) {
      writeGathered();
    }
    piece[gathered++] = (byte) b;
  }

  @Override
  public void write(byte[] bytes, int offset, int byteCount) throws IOException {
    Objects.checkFromIndexSize(offset, byteCount, bytes.length);
    int from = offset;
    int left = byteCount;
    while (left > 0) {
      if (gathered == piece.length) {
        writeGathered();
      }
      int some = Math.min(left, piece.length - gathered);
      System.arraycopy(bytes, from, piece, gathered, some);
      gathered += some;
      from += some;
      left -= some;
    }
  }

  private void writeGathered() throws IOException {
    int byteCount = gathered;
    gathered = 0;
    if (byteCount == 0 || hasFailed) {
      return; // what a failed write leaves behind is dropped, not written after a hole
    }
    try {
      lane.writePiece(stream, piece, byteCount, file, plan);
      written += byteCount;
    } catch (IOException | RuntimeException | Error e) {
      hasFailed = true;
      if (e instanceof IOException failure) {
        throw written > 0 || e instanceof PartialWriteException ? partial(failure) : failure;
      }
      throw e;
    }
  }

  private IOException partial(IOException e) {
    PartialWriteException whole = PartialWriteException.after(e, file.toString(), written);
    written = whole.bytesWritten();
    return whole;
  }

  /** Writes what was gathered, fixes the size, syncs as planned and closes. */
  @Override
  public void close() throws IOException {
    if (isClosed) {
      return;
    }
    isClosed = true;
    Throwable failure = null;
    try {
      writeGathered();
    } catch (IOException | RuntimeException | Error e) {
      failure = e;
      throw e;
    } finally {
      finish(failure);
    }
  }

  /** Closes the file. After {@code failure} what goes wrong here is added to it. */
  private void finish(Throwable failure) throws IOException {
    try {
      lane.finish(stream, written, hasFailed, file, plan);
    } catch (IOException e) {
      if (failure == null) {
        throw e;
      }
      failure.addSuppressed(e);
    }
  }
}
