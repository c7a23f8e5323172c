package io.github.files2;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Arrays;

/**
 * Tells whether a file holds already what would be written to it, for what the shim does not write:
 * the twin of compare.c. Reads as the JDK does, which no interrupt cuts short.
 */
final class Unchanged {
  /** How much is in memory at a time, of the file and of the source. */
  private static final int BLOCK_BYTES = 64 * 1024;

  private Unchanged() {}

  /** Tells whether {@code file} is a regular file of exactly the bytes of {@code source}. */
  static boolean holds(Path file, Source source) {
    try {
      // A pipe would be waited for if it was opened first.
      BasicFileAttributes found = Files.readAttributes(file, BasicFileAttributes.class);
      if (!found.isRegularFile() || found.size() > source.maxBytes()) {
        return false;
      }
      try (InputStream in = Files.newInputStream(file)) {
        return contentIs(in, found.size(), source);
      }
    } catch (IOException e) {
      return false; // what can't be read is written
    }
  }

  private static boolean contentIs(InputStream in, long size, Source source) throws IOException {
    Pieces pieces =
        new Pieces(source, ByteBuffer.allocate(Pieces.bufferBytes(source, BLOCK_BYTES)));
    byte[] block = new byte[(int) Math.min(size, BLOCK_BYTES)];
    long left = size;
    for (ByteBuffer piece = pieces.next(); piece != null; piece = pieces.next()) {
      int byteCount = piece.remaining();
      if (byteCount > left
          || in.readNBytes(block, 0, byteCount) != byteCount
          || !isSame(block, piece)) {
        return false;
      }
      left -= byteCount;
    }
    // The size may be an old one, or another writer's by now.
    return left == 0 && in.read() < 0;
  }

  private static boolean isSame(byte[] block, ByteBuffer piece) {
    int from = piece.arrayOffset() + piece.position();
    int byteCount = piece.remaining();
    return Arrays.equals(block, 0, byteCount, piece.array(), from, from + byteCount);
  }
}
