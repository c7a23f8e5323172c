package io.github.files2;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Set;

/**
 * A file that the nio lane has open. It is written through {@code Files.newOutputStream}, which no
 * interrupt can cut short; a channel of its own syncs it. Not safe for use by many threads.
 */
final class NioFile implements AutoCloseable {
  private static final int OWNER_WRITE = 0200;
  private static final int SPECIAL_BITS = 07000;
  private static final int MAX_LINKS = 40; // as in the kernel

  /** The path is looked at again once it is open: a log may be rotated in between. */
  private static final int MAX_TRIES = 10;

  private final Path file;
  private final String name;
  private final boolean appends;

  /** {@code null} where the flags allow no writing. */
  private final OutputStream out;

  /** Opened for {@code flush}; {@code null} where nothing can be synced. */
  private FileChannel syncChannel;

  /** Which file {@link #syncChannel} has open. */
  private final Object syncKey;

  /** The size at the open, to tell later how much of a failed write was taken. */
  private final long startBytes;

  private final boolean isRegular;
  private long written;

  private NioFile(
      Path file,
      boolean appends,
      OutputStream out,
      FileChannel syncChannel,
      long startBytes,
      boolean isRegular)
      throws IOException {
    this.file = file;
    this.name = file.toString();
    this.appends = appends;
    this.out = out;
    this.syncChannel = syncChannel;
    this.syncKey =
        syncChannel == null
            ? null
            : Files.readAttributes(file, BasicFileAttributes.class).fileKey();
    this.startBytes = startBytes;
    this.isRegular = isRegular;
  }

  /** Opens {@code file}; {@code syncs}: it may be synced later. */
  static NioFile open(Path file, int openFlags, int mode, boolean syncs) throws IOException {
    try {
      if ((openFlags & (OpenFlags.WRONLY | OpenFlags.RDWR)) == 0) {
        Files.newByteChannel(file, StandardOpenOption.READ).close();
        return new NioFile(file, false, null, null, 0, false);
      }
      if (openFlags == OpenFlags.WRITE && mode == WritePlan.DEFAULT_MODE && !syncs) {
        // The plain overwrite, which a program may do only once: nothing more is loaded for it.
        return new NioFile(file, false, Files.newOutputStream(file), null, 0, true);
      }
      for (int tries = 1; ; tries++) {
        try {
          return openWith(file, openFlags, mode, syncs);
        } catch (NoSuchFileException e) {
          if (tries == MAX_TRIES || !mayHaveMoved(file, openFlags)) {
            throw e;
          }
        }
      }
    } catch (IOException e) {
      throw NioFailure.named(e, Errno.openOperation(openFlags, mode), file.toString());
    }
  }

  /** Tells whether a file that is created can only be missing because it was moved meanwhile. */
  private static boolean mayHaveMoved(Path file, int openFlags) {
    Path folder = file.toAbsolutePath().getParent();
    boolean creates = (openFlags & OpenFlags.CREAT) != 0;
    return creates && folder != null && Files.isDirectory(folder) && !Files.isSymbolicLink(file);
  }

  private static NioFile openWith(Path file, int openFlags, int mode, boolean syncs)
      throws IOException {
    boolean appends = (openFlags & OpenFlags.APPEND) != 0;
    boolean creates = (openFlags & OpenFlags.CREAT) != 0;
    // What is synced is opened twice, which a umask like 0777 would not let it be.
    boolean isSpecial = mode != WritePlan.DEFAULT_MODE || syncs;
    boolean hasMode = creates && isSpecial && knows(file, "posix");
    if ((openFlags & OpenFlags.RDWR) != 0 && (openFlags & OpenFlags.EXCL) == 0) {
      needReadable(file);
    }
    Path created = hasMode ? create(file, openFlags, mode) : null;
    Object key = null;
    OutputStream out = null;
    FileChannel syncChannel = null;
    try {
      key = created == null ? null : keyOf(created);
      boolean isLent = created != null && lendWrite(created);
      out = Files.newOutputStream(file, options(openFlags, hasMode));
      boolean isRegular = Files.isRegularFile(file);
      if (syncs && isRegular) {
        syncChannel = openToSync(file);
      }
      if (created != null) {
        restrict(created, mode, isLent);
      }
      boolean keeps = (openFlags & OpenFlags.TRUNC) == 0;
      long startBytes = keeps && isRegular ? Files.size(file) : 0;
      return new NioFile(file, appends, out, syncChannel, startBytes, isRegular);
    } catch (IOException | RuntimeException e) {
      closeAfter(out, e);
      closeAfter(syncChannel, e);
      if (created != null && !(e instanceof NoSuchFileException)) {
        try {
          delete(created, key);
        } catch (IOException later) {
          e.addSuppressed(later);
        }
      }
      throw e;
    }
  }

  /**
   * Deletes what was created, unless another file was moved there since: a log may be rotated.
   *
   * @param key what was created, {@code null} where that can't be told
   */
  private static void delete(Path created, Object key) throws IOException {
    try {
      if (key == null || key.equals(keyOf(created))) {
        Files.deleteIfExists(created);
      }
    } catch (NoSuchFileException e) {
      // moved or deleted
    }
  }

  private static Object keyOf(Path file) throws IOException {
    return Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
        .fileKey();
  }

  /** Streams of the JDK are for writing only, and open what may not be read. */
  private static void needReadable(Path file) throws IOException {
    if (Files.isRegularFile(file)) {
      Files.newByteChannel(file, StandardOpenOption.READ).close();
    }
  }

  private static void closeAfter(Closeable resource, Exception first) {
    try {
      if (resource != null) {
        resource.close();
      }
    } catch (IOException e) {
      first.addSuppressed(e);
    }
  }

  private static boolean knows(Path file, String view) {
    return file.getFileSystem().supportedFileAttributeViews().contains(view);
  }

  /** Returns {@code openFlags} as the JDK has them; what is created already needs no creation. */
  static OpenOption[] options(int openFlags, boolean isCreated) {
    Set<StandardOpenOption> options = EnumSet.of(StandardOpenOption.WRITE);
    if ((openFlags & OpenFlags.EXCL) != 0 && !isCreated) {
      options.add(StandardOpenOption.CREATE_NEW);
    } else if ((openFlags & OpenFlags.CREAT) != 0 && !isCreated) {
      options.add(StandardOpenOption.CREATE);
    }
    if ((openFlags & OpenFlags.TRUNC) != 0) {
      options.add(StandardOpenOption.TRUNCATE_EXISTING);
    }
    if ((openFlags & OpenFlags.APPEND) != 0) {
      options.add(StandardOpenOption.APPEND);
    }
    if ((openFlags & OpenFlags.SYNC) == OpenFlags.SYNC) {
      options.add(StandardOpenOption.SYNC);
    } else if ((openFlags & OpenFlags.DSYNC) != 0) {
      options.add(StandardOpenOption.DSYNC);
    }
    return options.toArray(new OpenOption[0]);
  }

  // --- Modes, which newOutputStream can't set

  /**
   * Creates the file with {@code mode}, and the owner's right to open it, where it is missing.
   *
   * @return what was created, or {@code null} where it exists
   */
  private static Path create(Path file, int openFlags, int mode) throws IOException {
    boolean isExclusive = (openFlags & OpenFlags.EXCL) != 0;
    Path target = file;
    for (int links = 0; links < MAX_LINKS; links++) {
      try {
        return Files.createFile(
            target, PosixFilePermissions.asFileAttribute(permissions(mode | OWNER_WRITE)));
      } catch (FileAlreadyExistsException e) {
        if (isExclusive) {
          throw e;
        }
        if (!Files.isSymbolicLink(target) || Files.exists(target)) {
          return null;
        }
        // A dangling link: open(2) would create what it names.
        target = target.resolveSibling(Files.readSymbolicLink(target));
      }
    }
    return null; // a loop, which the open will name
  }

  private static Set<PosixFilePermission> permissions(int mode) {
    char[] letters = "rwxrwxrwx".toCharArray();
    for (int i = 0; i < letters.length; i++) {
      if ((mode & 0400 >> i) == 0) {
        letters[i] = '-';
      }
    }
    return PosixFilePermissions.fromString(new String(letters));
  }

  /** Gives the owner the right to open it, where the umask took it. Returns whether it did. */
  private static boolean lendWrite(Path created) throws IOException {
    Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(created);
    boolean isLent = permissions.add(PosixFilePermission.OWNER_WRITE);
    if (isLent) {
      Files.setPosixFilePermissions(created, permissions);
    }
    return isLent;
  }

  /** Takes back the owner's right if it was only lent, and sets the special bits. */
  private static void restrict(Path created, int mode, boolean isLent) throws IOException {
    if (isLent || (mode & OWNER_WRITE) == 0) {
      Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(created);
      permissions.remove(PosixFilePermission.OWNER_WRITE);
      Files.setPosixFilePermissions(created, permissions);
    }
    if ((mode & SPECIAL_BITS) != 0 && knows(created, "unix")) {
      int found = (Integer) Files.getAttribute(created, "unix:mode");
      Files.setAttribute(created, "unix:mode", found & 0777 | mode & SPECIAL_BITS);
    }
  }

  // --- Writing

  /** Writes all pieces and returns how many bytes they were. */
  long write(Pieces pieces) throws IOException {
    long before = written;
    for (ByteBuffer piece = pieces.next(); piece != null; piece = pieces.next()) {
      int offset = piece.arrayOffset() + piece.position();
      write(piece.array(), offset, piece.remaining(), before);
    }
    return written - before;
  }

  /** Writes bytes that are a whole write of their own. */
  void write(byte[] bytes, int offset, int byteCount) throws IOException {
    if (byteCount > 0) {
      write(bytes, offset, byteCount, written);
    }
  }

  /** Writes a piece of a write that began after {@code before} bytes. */
  private void write(byte[] bytes, int offset, int byteCount, long before) throws IOException {
    if (out == null) {
      throw Errno.exception("write", Errno.EBADF, name, 0);
    }
    try {
      out.write(bytes, offset, byteCount);
    } catch (IOException e) {
      throw NioFailure.ofWrite(e, name, written + takenOf(byteCount) - before);
    } catch (RuntimeException e) {
      if (e.getClass() != RuntimeException.class) {
        throw e;
      }
      // What the JDK's stream throws where write(2) takes nothing and reports no error.
      IOException failure =
          Errno.exception("write", 0, name, written + takenOf(byteCount) - before);
      failure.initCause(e);
      throw failure;
    }
    written += byteCount;
  }

  /** Tells how much of a failed piece was taken, as far as the file's size shows it. */
  private long takenOf(int byteCount) {
    try {
      if (!isRegular) {
        return 0;
      }
      long position = appends ? startBytes + written : written;
      long taken = Files.size(file) - position;
      boolean showsIt = appends || position >= startBytes || taken > startBytes - position;
      return showsIt ? Math.max(0, Math.min(taken, byteCount)) : 0;
    } catch (IOException e) {
      return 0;
    }
  }

  /** Returns the size of the file by now; what is known of it where the path no longer names it. */
  long size() throws IOException {
    if (!isRegular) {
      return 0;
    }
    try {
      return Files.size(file);
    } catch (NoSuchFileException e) {
      return startBytes + written;
    }
  }

  // --- Syncing

  private static FileChannel openToSync(Path file) throws IOException {
    if (file.getFileSystem() != FileSystems.getDefault()) {
      return null; // a zip file's channel is a copy, which its close would write back
    }
    try {
      return FileChannel.open(file, StandardOpenOption.WRITE);
    } catch (AccessDeniedException e) {
      return FileChannel.open(file, StandardOpenOption.READ);
    } catch (UnsupportedOperationException e) {
      return null; // a file system without channels has nothing to sync
    }
  }

  /** Syncs the file; what can't be synced is left alone. The interrupt flag stays as it is. */
  void sync(int flush) throws IOException {
    if (flush == WritePlan.FLUSH_NONE || syncChannel == null) {
      return;
    }
    // An interrupted thread's channel closes instead of syncing.
    boolean isInterrupted = Thread.interrupted();
    try {
      while (true) {
        try {
          syncChannel.force(flush == WritePlan.FLUSH_FULL);
          return;
        } catch (ClosedByInterruptException e) {
          isInterrupted |= Thread.interrupted();
          syncChannel = reopenToSync();
        } catch (IOException e) {
          throw NioFailure.named(e, "fsync", name);
        }
      }
    } finally {
      if (isInterrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private FileChannel reopenToSync() throws IOException {
    Object key = Files.readAttributes(file, BasicFileAttributes.class).fileKey();
    if (key == null || !key.equals(syncKey)) {
      throw new FileSystemException(
          name, null, "fsync: interrupted, and the path names another file by now");
    }
    return openToSync(file);
  }

  /** Closes. */
  @Override
  public void close() throws IOException {
    IOException failure = null;
    try {
      if (out != null) {
        out.close();
      }
    } catch (IOException e) {
      failure = NioFailure.named(e, "close", name);
    }
    if (syncChannel != null) {
      try {
        syncChannel.close();
      } catch (IOException e) {
        if (failure == null) {
          failure = NioFailure.named(e, "close", name);
        } else {
          failure.addSuppressed(e);
        }
      }
    }
    if (failure != null) {
      throw failure;
    }
  }
}
