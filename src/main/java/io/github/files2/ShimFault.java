package io.github.files2;

import java.io.IOException;

/** Unpacks the faults that the C side returns as one negative number (fault.c) into exceptions. */
final class ShimFault {
  // From bit 0: close errno, truncate errno, errno, operation, count.
  private static final int TRUNCATE_SHIFT = 8;
  private static final int ERROR_SHIFT = 16;
  private static final int OPERATION_SHIFT = 24;
  private static final int COUNT_SHIFT = 28;
  private static final int ERRNO_MASK = 0xff;
  private static final int OPERATION_MASK = 0xf;
  private static final long COUNT_MASK = (1L << 35) - 1;

  private static final int OPEN = 1;
  private static final int ENCODE = 8;
  private static final int FOREIGN = 10;
  private static final int ATOMIC = 11;

  /** The operations by their number in files2.h. */
  private static final String[] OPERATIONS = {
    "",
    "open",
    "statx",
    "fallocate",
    "write",
    "ftruncate",
    "fsync",
    "close",
    "encode",
    "malloc",
    "a name of the JVM's own",
    "atomic",
    "unlink"
  };

  private ShimFault() {}

  private static int operation(long fault) {
    return (int) (fault >> OPERATION_SHIFT) & OPERATION_MASK;
  }

  /** Tells whether native code must not translate the path: another lane has to. */
  static boolean isForeign(long fault) {
    return operation(fault) == FOREIGN;
  }

  /**
   * Returns the exception for {@code fault}; {@code plan} is {@code null} where none was needed.
   */
  static IOException toException(long fault, String file, WritePlan plan) {
    int operation = operation(fault);
    long count = fault >> COUNT_SHIFT & COUNT_MASK;
    if (operation == ENCODE) {
      return new MalformedTextException(plan.encoding.name, count);
    }
    if (operation == OPEN) {
      return openException(fault, file, plan.openFlags, plan.mode);
    }
    if (operation == ATOMIC) {
      return withErrors(
          fault, file, "unlink", AtomicStep.of((int) count).exception(errno(fault), file), 0);
    }
    return withErrors(
        fault,
        file,
        "ftruncate",
        Errno.exception(OPERATIONS[operation], errno(fault), file, count),
        count);
  }

  static IOException openException(long fault, String file, int openFlags, int mode) {
    return Errno.openException(errno(fault), file, openFlags, mode);
  }

  private static int errno(long fault) {
    return (int) (fault >> ERROR_SHIFT) & ERRNO_MASK;
  }

  /** Adds the errors of the clean-up. */
  private static IOException withErrors(
      long fault, String file, String truncation, IOException first, long count) {
    int truncateErrno = (int) (fault >> TRUNCATE_SHIFT) & ERRNO_MASK;
    if (truncateErrno != 0) {
      first.addSuppressed(Errno.exception(truncation, truncateErrno, file, count));
    }
    int closeErrno = (int) fault & ERRNO_MASK;
    if (closeErrno != 0) {
      first.addSuppressed(Errno.exception("close", closeErrno, file, count));
    }
    return first;
  }
}
