package io.github.files2;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Writes text of a charset that only Java can encode to a descriptor of any lane. */
final class CharsetWriter {
  private static final int PIECE_BYTES = 128 * 1024;

  private CharsetWriter() {}

  /** Writes {@code text}; its byte order mark only where the file is empty. */
  static long write(Backend backend, int fd, String text, WritePlan plan) throws IOException {
    CharsetSource source = (CharsetSource) TextSource.of(text, plan);
    if (text.isEmpty()) {
      return backend.writeBytes(fd, ByteBuffer.allocate(0), plan);
    }
    if (backend.sizeOf(fd) > 0) {
      source.continueFile();
    }
    Pieces pieces =
        new Pieces(source, ByteBuffer.allocate(Pieces.bufferBytes(source, PIECE_BYTES)));
    int joinBytes = pieces.joinBytes();
    if (joinBytes > 0) {
      pieces.join(ByteBuffer.allocate(joinBytes)); // it may append, and nothing tells
    }
    long written = 0;
    try {
      for (ByteBuffer piece = pieces.next(); piece != null; piece = pieces.next()) {
        written += backend.writeBytes(fd, piece, plan.withoutFlush());
      }
    } catch (IOException e) {
      throw written > 0 || e instanceof PartialWriteException
          ? PartialWriteException.after(e, Descriptors.name(fd), written)
          : e;
    }
    if (plan.flush != WritePlan.FLUSH_NONE) {
      backend.sync(fd, plan.flush);
    }
    return written;
  }
}
