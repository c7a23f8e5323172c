package io.github.files2;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;

/** A {@link MemoryFile} as a stream. */
final class MemoryOutputStream extends OutputStream {
  private final MemoryFile file;

  MemoryOutputStream(MemoryFile file) {
    this.file = file;
  }

  @Override
  public void write(int b) throws IOException {
    file.write((byte) b);
  }

  @Override
  public void write(byte[] bytes, int offset, int byteCount) throws IOException {
    file.write(ByteBuffer.wrap(bytes, offset, byteCount));
  }

  /** Writes the file back and closes it. */
  @Override
  public void close() throws IOException {
    file.close();
  }
}
