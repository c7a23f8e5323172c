package io.github.files2;

import com.sun.jna.Pointer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What a file keeps when an atomic write of the libc lane replaces it: the twin of metadata.c. Used
 * once.
 */
final class FileMetadata {
  /** XATTR_LIST_MAX and XATTR_SIZE_MAX of the kernel. */
  private static final int MAX_XATTR_BYTES = 64 * 1024;

  private static final String ACL = "system.posix_acl_access";
  private static final String LABEL = "security.selinux";
  private static final String USER_PREFIX = "user.";
  private static final int PERMISSION_BITS = 07777;

  private final int fd;
  private final AtomicTarget.Old old;

  /** The path of the old file as a C string. */
  private final long oldAddress;

  private final String name;

  /** Names come first, a value behind them. */
  private long block;

  FileMetadata(int fd, AtomicTarget.Old old, long oldAddress, String name) {
    this.fd = fd;
    this.old = old;
    this.oldAddress = oldAddress;
    this.name = name;
  }

  /** Gives the file behind the descriptor what the old one has. */
  void copy() throws IOException {
    boolean hasOwner = changeOwner(old.uid(), old.gid());
    boolean hasGroup = hasOwner || changeOwner(-1, old.gid()); // his group is his to give
    copyAttributes(); // before the mode, which may forbid it
    copyMode(old.modeFor(hasOwner, hasGroup)); // after the owner, whose change drops bits
  }

  /** Tells whether the file system, or the user, can't do this. */
  private static boolean isRefusal(int errno) {
    return errno == Errno.EPERM
        || errno == Errno.EINVAL
        || errno == Errno.EOPNOTSUPP
        || errno == Errno.ENOSYS;
  }

  // --- Owner and mode

  /** Returns whether it could be changed: not everybody may give files away. */
  private boolean changeOwner(int uid, int gid) throws IOException {
    int errno;
    do {
      errno = Libc.fchown(fd, uid, gid) == 0 ? 0 : Libc.errno();
    } while (errno == Errno.EINTR);
    if (errno != 0 && !isRefusal(errno)) {
      throw AtomicStep.OWNER.exception(errno, name);
    }
    return errno == 0;
  }

  private void copyMode(int mode) throws IOException {
    int errno;
    do {
      errno = Libc.fchmod(fd, mode) == 0 ? 0 : Libc.errno();
    } while (errno == Errno.EINTR);
    // A file system without modes refuses what it has given already.
    if (errno != 0 && !(isRefusal(errno) && modeOfFd() == mode)) {
      throw AtomicStep.MODE.exception(errno, name);
    }
  }

  private int modeOfFd() throws IOException {
    return (Integer) Files.getAttribute(Path.of("/proc/self/fd", String.valueOf(fd)), "unix:mode")
        & PERMISSION_BITS;
  }

  // --- Attributes

  private void copyAttributes() throws IOException {
    block = Libc.malloc(2L * MAX_XATTR_BYTES);
    if (block == 0) {
      throw new OutOfMemoryError("malloc of " + 2L * MAX_XATTR_BYTES + " bytes");
    }
    try {
      boolean hasAcl = false;
      for (String attribute : list(Libc.listxattr(oldAddress, block, MAX_XATTR_BYTES))) {
        copyAttribute(attribute);
        hasAcl |= attribute.equals(ACL);
      }
      // What the folder has given: fchmod(2) would open its mask.
      if (!hasAcl && hasName(list(Libc.flistxattr(fd, block, MAX_XATTR_BYTES)), ACL)) {
        check(Libc.fremovexattr(fd, put(ACL)));
      }
    } finally {
      Libc.free(block);
    }
  }

  private static boolean hasName(String[] names, String wanted) {
    for (String each : names) {
      if (each.equals(wanted)) {
        return true;
      }
    }
    return false;
  }

  /** Returns the names that a call has put into the block. */
  private String[] list(long byteCount) throws IOException {
    if (byteCount < 0) {
      int errno = Libc.errno();
      if (errno == Errno.EOPNOTSUPP || errno == Errno.ENOSYS || isGone(errno)) {
        return new String[0];
      }
      throw AtomicStep.ATTRIBUTES.exception(errno, name);
    }
    byte[] names = new byte[(int) byteCount];
    new Pointer(block).read(0, names, 0, names.length);
    // One char a byte, there and back: names need not decode.
    String text = new String(names, StandardCharsets.ISO_8859_1);
    return text.isEmpty() ? new String[0] : text.split("\0");
  }

  private static boolean isGone(int errno) {
    return errno == Errno.ENODATA || errno == Errno.ENOENT;
  }

  /** Puts a name where the list was. */
  private long put(String attribute) {
    byte[] bytes = attribute.getBytes(StandardCharsets.ISO_8859_1);
    ByteBuffer buffer = new Pointer(block).getByteBuffer(0, bytes.length + 1L);
    buffer.put(bytes).put((byte) 0);
    return block;
  }

  private void copyAttribute(String attribute) throws IOException {
    if (!attribute.startsWith(USER_PREFIX) && !attribute.equals(ACL) && !attribute.equals(LABEL)) {
      return;
    }
    long nameAddress = put(attribute);
    long value = block + MAX_XATTR_BYTES;
    long byteCount = Libc.getxattr(oldAddress, nameAddress, value, MAX_XATTR_BYTES);
    if (byteCount < 0) {
      check(-1);
      return;
    }
    if (Libc.fsetxattr(fd, nameAddress, value, byteCount, 0) != 0) {
      int errno = Libc.errno();
      boolean isLabelled = attribute.equals(LABEL) && (isRefusal(errno) || errno == Errno.EACCES);
      boolean mayMiss = errno == Errno.EOPNOTSUPP && !attribute.equals(ACL);
      if (!isLabelled && !mayMiss) {
        throw AtomicStep.ATTRIBUTES.exception(errno, name);
      }
    }
  }

  /** Throws what a call has failed with, but for what is gone meanwhile. */
  private void check(int result) throws IOException {
    int errno = result == 0 ? 0 : Libc.errno();
    if (errno != 0 && !isGone(errno) && errno != Errno.EOPNOTSUPP) {
      throw AtomicStep.ATTRIBUTES.exception(errno, name);
    }
  }
}
