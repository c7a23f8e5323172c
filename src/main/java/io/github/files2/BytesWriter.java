package io.github.files2;

import java.io.FileDescriptor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/** Writes buffers through a lane and moves their position by what was written. */
final class BytesWriter {
  private BytesWriter() {}

  static long write(Backend backend, Path file, ByteBuffer data, WritePlan plan)
      throws IOException {
    checkIsAlive(data);
    try {
      return advance(data, backend.writeBytes(file, data, plan));
    } catch (PartialWriteException e) {
      advance(data, e.bytesWritten());
      throw e;
    }
  }

  static long write(Backend backend, int fd, ByteBuffer data, WritePlan plan) throws IOException {
    checkIsAlive(data);
    try {
      return advance(data, backend.writeBytes(fd, data, plan));
    } catch (PartialWriteException e) {
      advance(data, e.bytesWritten());
      throw e;
    }
  }

  static long write(Backend backend, FileDescriptor fd, ByteBuffer data, WritePlan plan)
      throws IOException {
    checkIsAlive(data);
    try {
      return advance(data, backend.writeBytes(fd, data, plan));
    } catch (PartialWriteException e) {
      advance(data, e.bytesWritten());
      throw e;
    }
  }

  /** The memory of a closed arena (JDK 22) must not be read: what the buffer throws is thrown. */
  private static void checkIsAlive(ByteBuffer data) {
    if (data.hasRemaining()) {
      data.get(data.position());
    }
  }

  private static long advance(ByteBuffer data, long byteCount) {
    data.position(data.position() + (int) byteCount);
    return byteCount;
  }
}
