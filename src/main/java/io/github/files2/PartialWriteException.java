package io.github.files2;

import java.io.IOException;
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
   * Returns the failure of a write that came piece by piece.
   *
   * @param failure that of the last piece, which may have been taken in part
   * @param written the bytes of the pieces before it
   */
  static PartialWriteException after(IOException failure, String file, long written) {
    long last = failure instanceof PartialWriteException partial ? partial.bytesWritten : 0;
    long all = written + last;
    String reason = failure instanceof FileSystemException e ? e.getReason() : failure.getMessage();
    String known = reason == null ? "write" : reason.replaceFirst(" after [0-9]+ bytes$", "");
    PartialWriteException whole =
        new PartialWriteException(file, known + " after " + all + " bytes", all);
    whole.initCause(failure);
    return whole;
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
