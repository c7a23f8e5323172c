package io.github.files2;

import java.io.IOException;

/**
 * Atomic writes by system calls through JNA: the order of atomic.c, in Java. One write is one
 * object. Its native memory is the scratch of the lease, where the target's path lies already.
 */
final class AtomicWriter {
  private static final int F_DUPFD_CLOEXEC = 1030;
  private static final int RENAME_NOREPLACE = 1;
  private static final int NEW_FILE = OpenFlags.WRONLY | OpenFlags.CREAT | OpenFlags.EXCL;

  /** Where in the scratch the temporary name goes, behind the longest path. */
  private static final int TEMP_OFFSET = Chunk.SCRATCH_BYTES / 2;

  private final LibcBackend.Lease lease;
  private final WritePlan plan;
  private final AtomicTarget target;

  /** What messages call the file. */
  private final String name;

  /** Where in the scratch the last part of the target's path begins. */
  private final int nameOffset;

  private int folder = -1;
  private int fd = -1;

  /** A second descriptor of the new file, which keeps its lock. */
  private int keeper = -1;

  private boolean isNamed;

  AtomicWriter(LibcBackend.Lease lease, WritePlan plan, AtomicTarget target, String name) {
    this.lease = lease;
    this.plan = plan;
    this.target = target;
    this.name = name;
    int offset = 0;
    for (int i = 0; lease.chunk.scratch.get(i) != 0; i++) {
      offset = lease.chunk.scratch.get(i) == '/' ? i + 1 : offset;
    }
    this.nameOffset = offset;
  }

  private long pathAddress() {
    return lease.chunk.scratchAddress;
  }

  private long nameAddress() {
    return pathAddress() + nameOffset;
  }

  private long tempAddress() {
    return pathAddress() + TEMP_OFFSET;
  }

  private boolean isDurable() {
    return plan.flush != WritePlan.FLUSH_NONE;
  }

  /** Writes all of {@code source}, or nothing. */
  long write(Source source) throws IOException {
    openFolder();
    try {
      long written = replace(source);
      IOException failure = tidy();
      if (isDurable()) {
        syncFolderAfter(failure);
      }
      if (failure != null) {
        throw failure;
      }
      return written;
    } finally {
      Libc.close(folder); // a folder's close holds nothing back
    }
  }

  /** The content has its name, which is to be durable whatever else went wrong. */
  private void syncFolderAfter(IOException failure) throws IOException {
    try {
      syncFolder();
    } catch (IOException e) {
      if (failure == null) {
        throw e;
      }
      failure.addSuppressed(e);
    }
  }

  private long replace(Source source) throws IOException {
    try {
      create();
      long written = complete(source);
      if (!isDurable()) {
        closeWritten(); // fsync has reported all
      }
      publish();
      return written;
    } catch (IOException | RuntimeException | Error e) {
      IOException later = tidy();
      if (later != null) {
        e.addSuppressed(later);
      }
      throw e;
    }
  }

  private IOException failure(AtomicStep step) {
    return step.exception(Libc.errno(), name);
  }

  // --- The temporary file

  /** Opens the folder: the path in the scratch up to its last part. */
  private void openFolder() throws IOException {
    byte first = lease.chunk.scratch.get(nameOffset);
    if (nameOffset > 0) {
      lease.chunk.scratch.put(nameOffset, (byte) 0);
    } else {
      putTemp(".");
    }
    int access = isDurable() ? OpenFlags.RDONLY : Libc.O_PATH;
    int flags = access | Libc.O_DIRECTORY | Libc.O_CLOEXEC;
    do {
      folder = Libc.open(nameOffset > 0 ? pathAddress() : tempAddress(), flags, 0);
    } while (folder < 0 && Libc.errno() == Errno.EINTR);
    IOException failure = folder < 0 ? failure(AtomicStep.OPEN_FOLDER) : null;
    lease.chunk.scratch.put(nameOffset, first);
    if (failure != null) {
      throw failure;
    }
  }

  private void putTemp(String ascii) {
    for (int i = 0; i < ascii.length(); i++) {
      lease.chunk.scratch.put(TEMP_OFFSET + i, (byte) ascii.charAt(i));
    }
    lease.chunk.scratch.put(TEMP_OFFSET + ascii.length(), (byte) 0);
  }

  private void create() throws IOException {
    int mode = target.exists() ? 0600 : plan.mode;
    int errno;
    int tries = 0;
    do {
      putTemp(TempName.next());
      fd = Libc.openat(folder, tempAddress(), NEW_FILE | Libc.O_CLOEXEC, mode);
      errno = fd < 0 ? Libc.errno() : 0;
      tries += errno == Errno.EEXIST ? 1 : 0;
    } while (errno == Errno.EINTR || (errno == Errno.EEXIST && tries < TempName.MAX_TRIES));
    if (fd < 0) {
      throw AtomicStep.CREATE.exception(errno, name);
    }
    isNamed = true;
    lock();
  }

  /**
   * Tells removeLeftovers that the file is not left over. Nobody else may make this wait; where
   * locks are not to be had, removeLeftovers removes nothing.
   */
  private void lock() {
    int errno;
    do {
      errno = Libc.flock(fd, Libc.LOCK_EX_NB) == 0 ? 0 : Libc.errno();
    } while (errno == Errno.EINTR);
  }

  private long complete(Source source) throws IOException {
    long[] written = {0};
    try {
      LibcBackend.pump(fd, name, new Pieces(source, lease.chunk.buffer), written, lease);
    } catch (IOException e) {
      throw AtomicStep.WRITE.exception(e, name);
    }
    if (target.exists()) {
      new FileMetadata(fd, target.old(), pathAddress(), name).copy();
    }
    if (isDurable()) {
      syncFile();
    }
    return written[0];
  }

  /** Not fdatasync(2): the mode has to be there too. */
  private void syncFile() throws IOException {
    int result;
    do {
      result = Libc.fsync(fd);
    } while (result != 0 && Libc.errno() == Errno.EINTR);
    if (result != 0) {
      throw failure(AtomicStep.SYNC);
    }
  }

  /** Closes what was written, since that may report a late error over a network; keeps the lock. */
  private void closeWritten() throws IOException {
    keeper = Libc.fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (keeper < 0) {
      throw failure(AtomicStep.KEEP);
    }
    int closing = fd;
    fd = -1;
    int errno = close(closing);
    if (errno != 0) {
      throw AtomicStep.CLOSE.exception(errno, name);
    }
  }

  /** Returns 0 or errno; EINTR is success. */
  private static int close(int fd) {
    int errno = Libc.close(fd) == 0 ? 0 : Libc.errno();
    return errno == Errno.EINTR ? 0 : errno;
  }

  // --- Publishing

  private void publish() throws IOException {
    if (plan.isExclusive()) {
      publishNew();
    } else if (Libc.renameat(folder, tempAddress(), folder, nameAddress()) != 0) {
      throw failure(AtomicStep.PUBLISH);
    } else {
      isNamed = false;
    }
  }

  /** Gives the file its name, which nothing may have yet. */
  private void publishNew() throws IOException {
    if (Libc.syscall(
            Libc.SYS_RENAMEAT2, folder, tempAddress(), folder, nameAddress(), RENAME_NOREPLACE)
        == 0) {
      isNamed = false;
      return;
    }
    int errno = Libc.errno();
    // No such call, no such flag there, or a filter that knows neither.
    if (errno == Errno.ENOSYS || errno == Errno.EINVAL || errno == Errno.EPERM) {
      errno = Libc.linkat(folder, tempAddress(), folder, nameAddress(), 0) == 0 ? 0 : Libc.errno();
    }
    if (errno != 0) {
      throw AtomicStep.PUBLISH.exception(errno, name);
    }
  }

  /** Closes and removes what is left of the file. Returns what fails, or {@code null}. */
  private IOException tidy() {
    int errno = 0;
    if (isNamed && Libc.unlinkat(folder, tempAddress(), 0) != 0) {
      errno = Libc.errno() == Errno.ENOENT ? 0 : Libc.errno();
    }
    int open = fd >= 0 ? fd : keeper; // one at most: the keeper comes when the file's own goes
    int closeErrno = open >= 0 ? close(open) : 0;
    errno = errno == 0 ? closeErrno : errno;
    return errno == 0 ? null : AtomicStep.TIDY.exception(errno, name);
  }

  /** Makes the new name durable. Some file systems can't, and need not. */
  private void syncFolder() throws IOException {
    int errno;
    do {
      errno = Libc.fsync(folder) == 0 ? 0 : Libc.errno();
    } while (errno == Errno.EINTR);
    if (errno != 0 && errno != Errno.EINVAL && errno != Errno.EOPNOTSUPP) {
      throw AtomicStep.SYNC_FOLDER.exception(errno, name);
    }
  }
}
