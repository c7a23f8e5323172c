package io.github.files2;

import java.io.IOException;
import java.nio.file.Path;

/** What {@link NativeOutputStream} needs of a native lane. */
sealed interface NativeStreams permits ShimBackend, LibcBackend {
  /** Writes the first {@code byteCount} bytes of {@code piece}. */
  void writePiece(long stream, byte[] piece, int byteCount, Path file, WritePlan plan)
      throws IOException;

  /**
   * Fixes the size, syncs unless a write has failed, and closes; the descriptor is closed in any
   * case.
   */
  void finish(long stream, long written, boolean hasFailed, Path file, WritePlan plan)
      throws IOException;
}
