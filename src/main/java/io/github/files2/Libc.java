package io.github.files2;

import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Platform;

/**
 * The system calls of the libc lane, bound by JNA direct mapping. Each returns what the C function
 * returns; {@link #errno} tells why it was -1. Fixed arities stand in for variadic ones, which is
 * right on Linux on x86-64 and aarch64 and only there.
 */
final class Libc {
  /** Flags that {@link OpenFlags} has no use for. */
  static final int O_CLOEXEC = 02000000;

  static final int O_PATH = 010000000;
  static final int O_DIRECTORY = Platform.isIntel() ? 0200000 : 040000;
  static final int O_NOFOLLOW = Platform.isIntel() ? 0400000 : 0100000;
  static final int O_NONBLOCK = 04000;

  /** Of flock(2): exclusive, without waiting. */
  static final int LOCK_EX_NB = 2 | 4;

  static final int F_GETFL = 3;
  static final int FALLOC_FL_KEEP_SIZE = 1;
  static final short POLLOUT = 4;
  static final int RLIMIT_FSIZE = 1;
  static final int AT_FDCWD = -100;
  static final int AT_EMPTY_PATH = 0x1000;

  /** statx(2) is newer than the oldest glibc that this runs on: it goes through syscall(2). */
  static final int SYS_STATX = Platform.isIntel() ? 332 : 291;

  /** As new; and its flag is what matters here. */
  static final int SYS_RENAMEAT2 = Platform.isIntel() ? 316 : 276;

  private Libc() {}

  /**
   * Binds the calls.
   *
   * @throws LinkageError where that can't be done
   */
  static void bind() {
    if (!Platform.isLinux() || !Platform.is64Bit() || !(Platform.isIntel() || Platform.isARM())) {
      throw new UnsatisfiedLinkError("no Linux on x86-64 or aarch64");
    }
    Native.register(Libc.class, NativeLibrary.getProcess());
  }

  /** Returns the error of this thread's last call. */
  static int errno() {
    return Native.getLastError();
  }

  static native int open(long path, int flags, int mode);

  static native long write(int fd, long bytes, long byteCount);

  static native int close(int fd);

  static native int fsync(int fd);

  static native int fdatasync(int fd);

  static native int ftruncate(int fd, long size);

  static native int fallocate(int fd, int mode, long offset, long byteCount);

  static native int getrlimit(int resource, long answer);

  static native int fcntl(int fd, int command, long argument);

  static native int poll(long entries, long entryCount, int timeoutMillis);

  static native int fstatfs(int fd, long answer);

  static native int statfs(long path, long answer);

  static native long syscall(long number, long a, long b, long c, long d, long e);

  static native int openat(int folder, long name, int flags, int mode);

  static native int unlinkat(int folder, long name, int flags);

  static native int renameat(int fromFolder, long from, int toFolder, long to);

  static native int linkat(int fromFolder, long from, int toFolder, long to, int flags);

  static native int flock(int fd, int operation);

  static native int fchown(int fd, int uid, int gid);

  static native int fchmod(int fd, int mode);

  static native long listxattr(long path, long names, long capacity);

  static native long flistxattr(int fd, long names, long capacity);

  static native long getxattr(long path, long name, long value, long capacity);

  static native int fsetxattr(int fd, long name, long value, long byteCount, int flags);

  static native int fremovexattr(int fd, long name);

  static native long malloc(long byteCount);

  static native void free(long address);
}
