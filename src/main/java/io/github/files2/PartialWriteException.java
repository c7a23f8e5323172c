package io.github.files2;

import java.nio.file.FileSystemException;

/** Thrown when a write failed after some of its bytes had been written. */
public final class PartialWriteException extends FileSystemException {
  private static final long serialVersionUID = 1L;

  /** How many bytes were written before the failure. */
  private final long bytesWritten;

  PartialWriteException(String file, String reason, long bytesWritten) {
    super(file, null, reason);
    this.bytesWritten = bytesWritten;
  }

  /**
   * Returns how many bytes of this call the target took before the failure; at least 1.
   *
   * @return the number of bytes written
   */
  public long bytesWritten() {
    return bytesWritten;
  }
}
