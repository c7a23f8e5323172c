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
  private final long stream;
  private final byte[] piece = new byte[Chunk.BYTES];
  private int gathered;
  private long written;
  private boolean hasFailed;
  private boolean isClosed;

  NativeOutputStream(NativeStreams lane, Path file, WritePlan plan, long stream) {
    this.lane = lane;
    this.file = file;
    this.plan = plan;
    this.stream = stream;
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
    } catch (PartialWriteException e) {
      hasFailed = true;
      written += e.bytesWritten();
      throw new PartialWriteException(file.toString(), e.getReason(), written);
    } catch (IOException e) {
      hasFailed = true;
      throw e;
    }
  }

  /** Writes what was gathered, fixes the size, syncs as planned and closes. */
  @Override
  public void close() throws IOException {
    if (isClosed) {
      return;
    }
    isClosed = true;
    IOException failure = null;
    try {
      writeGathered();
    } catch (IOException e) {
      failure = e;
    }
    try {
      lane.finish(stream, written, hasFailed, file, plan);
    } catch (IOException e) {
      if (failure == null) {
        failure = e;
      } else {
        failure.addSuppressed(e);
      }
    }
    if (failure != null) {
      throw failure;
    }
  }
}
