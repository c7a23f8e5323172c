package io.github.files2;

import java.io.IOException;
import java.nio.file.FileSystemException;

/**
 * What an atomic write does, step by step, and how its failures read; the order is that of {@code
 * enum f2_step} in files2.h.
 */
enum AtomicStep {
  OPEN_FOLDER("open of the folder"),
  LOOK("statx"),
  FOLLOW("following the link"),
  REFUSE("replacing"),
  CREATE("creating a file beside it"),
  WRITE("write"),
  OWNER("fchown"),
  ATTRIBUTES("copying the attributes"),
  MODE("fchmod"),
  SYNC("fsync"),
  KEEP("dup"),
  CLOSE("close"),
  PUBLISH("rename"),
  TIDY("tidying up"),
  SYNC_FOLDER("fsync of the folder");

  private static final AtomicStep[] ALL = values();
  private static final String PUBLISHED = "; the new content is in place";

  private final String operation;

  AtomicStep(String operation) {
    this.operation = operation;
  }

  /** Returns the step of a number of files2.h, which begin with 1. */
  static AtomicStep of(int number) {
    return ALL[number - 1];
  }

  /** Returns the exception for a failure of this step. */
  IOException exception(int errno, String file) {
    String what = errno == 0 ? "no byte was taken, with no error" : Errno.describe(errno);
    if (this == REFUSE && errno == Errno.EINVAL) {
      what = "it is no regular file"; // EINVAL stands for it: no system call has failed
    }
    return Errno.ofKind(errno, file, "atomic write: " + operation + ": " + what + hint(errno));
  }

  /** Returns the exception for a failure of this step that the JDK, or another lane, has told. */
  IOException exception(IOException cause, String file) {
    int errno = NioFailure.errnoOf(cause);
    String reason = cause instanceof FileSystemException e ? e.getReason() : cause.getMessage();
    IOException failure =
        errno != 0
            ? exception(errno, file)
            : new FileSystemException(
                file, null, "atomic write: " + operation + ": " + reason + hint(0));
    failure.initCause(cause);
    return failure;
  }

  /** Tells whether a failed write has put the new content in place all the same. */
  static boolean isPublished(IOException e) {
    return String.valueOf(e.getMessage()).contains(PUBLISHED);
  }

  /** Returns what the caller can count on, and what might help. */
  private String hint(int errno) {
    return switch (this) {
      case TIDY, SYNC_FOLDER -> PUBLISHED;
      case REFUSE ->
          errno == Errno.EINVAL
              ? "; a write without atomic writes to it as it is"
              : "; it is as it was";
      case OPEN_FOLDER, CREATE, PUBLISH -> "; the file is as it was" + folderHint(errno);
      default -> "; the file is as it was";
    };
  }

  private static String folderHint(int errno) {
    return switch (errno) {
      case Errno.EACCES, Errno.EPERM ->
          "; a write without atomic needs the right to the file only, not to its folder";
      case Errno.EBUSY, Errno.EXDEV ->
          "; something is mounted there, which a write without atomic can write to";
      default -> "";
    };
  }
}
