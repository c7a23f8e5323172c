package io.github.files2;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;

/** Turns the JDK's exceptions into those of all lanes: with path, operation and errno's name. */
final class NioFailure {
  private NioFailure() {}

  /** Returns the failure of a write in the terms of all lanes. */
  static IOException ofWrite(IOException e, String name, long taken) {
    int errno = Errno.ofText(e.getMessage());
    IOException failure;
    if (errno != 0) {
      failure = Errno.exception("write", errno, name, taken);
    } else {
      String reason = "write: " + e.getMessage();
      failure =
          taken > 0
              ? new PartialWriteException(name, reason + " after " + taken + " bytes", taken)
              : new FileSystemException(name, null, reason);
    }
    failure.initCause(e);
    return failure;
  }

  /** Returns an exception of the same kind that tells the operation and the errno's name. */
  static IOException named(IOException e, String operation, String name) {
    if (!(e instanceof FileSystemException given)) {
      int errno = Errno.ofText(e.getMessage());
      return errno == 0 ? e : withCause(Errno.exception(operation, errno, name, 0), e);
    }
    if (e.getClass() == NoSuchFileException.class) {
      return withCause(Errno.exception(operation, Errno.ENOENT, name, 0), e);
    }
    if (e.getClass() == FileAlreadyExistsException.class) {
      return withCause(Errno.exception(operation, Errno.EEXIST, name, 0), e);
    }
    if (e.getClass() == AccessDeniedException.class) {
      return withCause(Errno.exception(operation, Errno.EACCES, name, 0), e);
    }
    if (e.getClass() == NotDirectoryException.class) {
      return withCause(Errno.exception(operation, Errno.ENOTDIR, name, 0), e);
    }
    String reason = given.getReason();
    int errno = e.getClass() == FileSystemException.class ? Errno.ofTextWithin(reason) : 0;
    return errno == 0 ? e : withCause(Errno.exception(operation, errno, name, 0), e);
  }

  private static IOException withCause(IOException failure, IOException cause) {
    failure.initCause(cause);
    return failure;
  }

  /** Returns the errno that {@code e}, the JDK's or ours, tells in its class or text, or 0. */
  static int errnoOf(IOException e) {
    if (e instanceof NoSuchFileException) {
      return Errno.ENOENT;
    }
    if (e instanceof FileAlreadyExistsException) {
      return Errno.EEXIST;
    }
    if (e instanceof AccessDeniedException) {
      return Errno.EACCES;
    }
    String text = e instanceof FileSystemException given ? given.getReason() : e.getMessage();
    int errno = Errno.ofTextWithin(text);
    return errno != 0 ? errno : Errno.ofReason(text);
  }

  /** Tells whether the user, or the file system, can't do this. */
  static boolean isRefusal(IOException e) {
    return isUnsupported(e) || errnoOf(e) == Errno.EPERM;
  }

  /** Tells whether the file system can't do this. */
  static boolean isUnsupported(IOException e) {
    int errno = errnoOf(e);
    return errno == Errno.EINVAL || errno == Errno.EOPNOTSUPP || errno == Errno.ENOSYS;
  }
}
