package io.github.files2;

import java.io.FileDescriptor;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The descriptors that {@code openSync} gave and that are not closed yet, each with the lane that
 * opened it: a stale number must not close a file of the JVM. Safe for use by many threads.
 */
final class Descriptors {
  private static final Map<Integer, Backend> OPEN = new ConcurrentHashMap<>();

  private Descriptors() {}

  /** Adds {@code fd} and returns it. */
  static int add(int fd, Backend owner) {
    OPEN.put(fd, owner);
    return fd;
  }

  /**
   * Returns the lane that has {@code fd} open: {@code prepared}, but for the nio lane's own
   * numbers. Does not look the kernel's numbers up, which would make an object of each.
   */
  static Backend ownerOr(int fd, Backend prepared) {
    return fd < NioBackend.FIRST_FD ? prepared : OPEN.getOrDefault(fd, prepared);
  }

  /**
   * Takes {@code fd} out, before it is closed, so that its number can be given anew meanwhile.
   *
   * @throws java.nio.file.FileSystemException if it is not in
   */
  static Backend remove(int fd) throws IOException {
    Backend owner = OPEN.remove(fd);
    if (owner == null) {
      throw Errno.exception("close (not open by openSync)", Errno.EBADF, name(fd), 0);
    }
    return owner;
  }

  /** Returns what an error message calls {@code fd}. */
  static String name(int fd) {
    return "fd " + fd;
  }

  static String name(FileDescriptor fd) {
    int number = numberOf(fd);
    return number < 0 ? "FileDescriptor" : name(number);
  }

  /** Returns the number of a standard descriptor that is open, -1 for any other. */
  static int numberOf(FileDescriptor fd) {
    if (!fd.valid()) {
      return -1;
    }
    if (fd == FileDescriptor.in) {
      return 0;
    }
    if (fd == FileDescriptor.out) {
      return 1;
    }
    return fd == FileDescriptor.err ? 2 : -1;
  }
}
