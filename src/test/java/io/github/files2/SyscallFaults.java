package io.github.files2;

import com.sun.jna.Function;
import com.sun.jna.NativeLibrary;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * System calls of the current thread that fail on purpose, whoever makes them: see syscall_faults.c
 * beside the C tests. For a JVM of its own, as the thread stays marked.
 */
final class SyscallFaults {
  private final Function arm;
  private final Function disarm;

  /**
   * Puts the current thread under test.
   *
   * @param folder only calls on files below it ever fail
   */
  SyscallFaults(Path library, Path folder) {
    NativeLibrary loaded = NativeLibrary.getInstance(library.toString());
    arm = loaded.getFunction("f2_faults_arm");
    disarm = loaded.getFunction("f2_faults_disarm");
    int errno = loaded.getFunction("f2_faults_install").invokeInt(new Object[] {folder + "/"});
    if (errno != 0) {
      throw new AssertionError("no seccomp filter: " + Errno.describe(errno));
    }
  }

  /** Returns where the build puts the library; the test is skipped where there is none. */
  static Path neededLibrary() {
    Path library =
        ChildProgram.homeOf(SyscallFaults.class).resolveSibling("c-test/libsyscall_faults.so");
    Needs.that(Files.exists(library), "needs a C compiler for x86-64, for " + library);
    return library;
  }

  /**
   * Lets calls fail from the {@code nth} on.
   *
   * @param answer the errno, negated; 0 for a call that returns 0; or the most bytes it moves
   */
  void arm(Syscall call, int nth, int times, long answer) {
    arm.invokeVoid(new Object[] {(long) call.number, (long) nth, (long) times, answer});
  }

  /** Ends it, and returns how many calls have failed. */
  long disarm() {
    return (Long) disarm.invoke(Long.class, null);
  }

  /** The calls that a lane may make for a write, with their numbers on x86-64. */
  enum Syscall {
    OPEN(2),
    OPENAT(257),
    WRITE(1),
    PWRITE64(18),
    WRITEV(20),
    FTRUNCATE(77),
    FALLOCATE(285),
    FSYNC(74),
    FDATASYNC(75),
    CLOSE(3),
    STATX(332),
    FSTAT(5),
    NEWFSTATAT(262),
    FSTATFS(138),
    LSEEK(8),
    FCNTL(72),
    FLOCK(73),
    FCHMOD(91),
    FCHOWN(93),
    RENAME(82),
    RENAMEAT(264),
    RENAMEAT2(316),
    LINKAT(265),
    UNLINK(87),
    UNLINKAT(263),
    GETXATTR(191),
    FGETXATTR(193),
    LISTXATTR(194),
    FLISTXATTR(196),
    FSETXATTR(190),
    FREMOVEXATTR(199);

    final int number;

    Syscall(int number) {
      this.number = number;
    }

    boolean opens() {
      return this == OPEN || this == OPENAT;
    }

    boolean writes() {
      return this == WRITE || this == PWRITE64 || this == WRITEV;
    }

    /** Tells whether the call removes a name. */
    boolean removes() {
      return this == UNLINK || this == UNLINKAT;
    }

    boolean renames() {
      return this == RENAME || this == RENAMEAT;
    }

    /** Tells whether the call is one of xattr(7). */
    boolean isOnAttributes() {
      return name().endsWith("XATTR");
    }

    boolean syncs() {
      return this == FSYNC || this == FDATASYNC;
    }
  }
}
