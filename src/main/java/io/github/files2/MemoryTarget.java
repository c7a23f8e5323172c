package io.github.files2;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Objects;

/**
 * The file that a {@link MemoryFile} was opened on and is written back to. Knows what the file was
 * when it was seen last, so that a change by another is not overwritten. Not safe for use by many
 * threads.
 */
final class MemoryTarget {
  private static final int ACCESS = OpenFlags.WRONLY | OpenFlags.RDWR;

  private final Path file;
  private final String name;
  private final int openFlags;

  /** How the file is written back. */
  private final WritePlan plan;

  private State seen;

  /** What a write of ours may have left that was not seen yet; {@code null} for nothing. */
  private Left left;

  /** The file was created by the open, and nothing was written back yet. */
  private boolean isOurs;

  /**
   * What tells one content of a path from another.
   *
   * @param key device and inode, where the file system has them
   */
  private record State(Object key, long size, FileTime modified, Kind kind) {
    static final State ABSENT = new State(null, 0, null, Kind.ABSENT);
  }

  /**
   * What a write may leave.
   *
   * @param isNew it may be another inode than before: the file was replaced
   * @param sizes the sizes that it may have
   */
  private record Left(boolean isNew, List<Long> sizes) {
    boolean mayBe(State found, State before) {
      boolean isSame = isNew || before.kind == Kind.ABSENT || Objects.equals(found.key, before.key);
      return found.kind == Kind.REGULAR && isSame && sizes.contains(found.size);
    }
  }

  private enum Kind {
    ABSENT,
    REGULAR,
    FOLDER,
    SPECIAL
  }

  /**
   * Opens {@code file}: looks at it, refuses what could not be read or written later, and creates
   * what is to be new.
   *
   * @throws IllegalArgumentException if {@code openFlags} and the options contradict each other
   */
  MemoryTarget(Path file, int openFlags, WritePlan options) throws IOException {
    this.file = file;
    this.name = file.toString();
    this.openFlags = openFlags;
    this.plan = options.withOpenFlags(flagsToWriteBack(openFlags));
    if (isWritable()) {
      plan.checkForPath();
    }
    if ((openFlags & OpenFlags.EXCL) != 0) {
      create(options);
    }
    try {
      this.seen = look();
      check();
    } catch (IOException | RuntimeException e) {
      removeAfter(e);
      throw e;
    }
  }

  /** What is written back replaces all or appends; what the open has created stays the same. */
  private static int flagsToWriteBack(int openFlags) {
    boolean creates = (openFlags & (OpenFlags.CREAT | OpenFlags.EXCL)) == OpenFlags.CREAT;
    return OpenFlags.WRONLY
        | (openFlags & (OpenFlags.APPEND | OpenFlags.SYNC))
        | (creates ? OpenFlags.CREAT : 0)
        | ((openFlags & OpenFlags.APPEND) == 0 ? OpenFlags.TRUNC : 0);
  }

  boolean isWritable() {
    return (openFlags & ACCESS) != 0;
  }

  boolean isReadable() {
    return (openFlags & OpenFlags.WRONLY) == 0;
  }

  boolean appends() {
    return plan.appends();
  }

  /** Tells whether what is in the file is to be seen in memory. */
  boolean keepsContent() {
    return isReadable() && (openFlags & OpenFlags.TRUNC) == 0 && seen.kind != Kind.ABSENT;
  }

  /** Tells whether there is something to write back though nothing was written yet. */
  boolean isChangedByOpen() {
    return (openFlags & OpenFlags.TRUNC) != 0 || seen.kind == Kind.ABSENT;
  }

  /** Returns the size that the file had when it was seen last; 0 where it has none. */
  long size() {
    return seen.size;
  }

  @Override
  public String toString() {
    return name;
  }

  // --- Opening

  /** Creates the file, empty, and lets nothing wait for the disk. */
  private void create(WritePlan options) throws IOException {
    int flags = OpenFlags.WRONLY | OpenFlags.CREAT | OpenFlags.EXCL | OpenFlags.TRUNC;
    MemorySource nothing = new MemorySource(new MemoryBlocks(0), 0);
    Files2.writeMemory(file, nothing, options.withOpenFlags(flags).withoutFlush());
    isOurs = true;
  }

  private State look() throws IOException {
    BasicFileAttributes found;
    try {
      found = Files.readAttributes(file, BasicFileAttributes.class);
    } catch (NoSuchFileException e) {
      return State.ABSENT;
    } catch (IOException e) {
      throw NioFailure.named(e, "stat", name);
    }
    Kind kind =
        found.isRegularFile() ? Kind.REGULAR : found.isDirectory() ? Kind.FOLDER : Kind.SPECIAL;
    long size = kind == Kind.REGULAR ? found.size() : 0;
    return new State(found.fileKey(), size, found.lastModifiedTime(), kind);
  }

  /** Refuses at the open what would fail for sure when the work is done. */
  private void check() throws IOException {
    switch (seen.kind) {
      case ABSENT -> checkMayBeCreated();
      case FOLDER -> throw openException(Errno.EISDIR);
      case SPECIAL -> {
        if (keepsContent()) {
          throw openException(Errno.EINVAL); // it may never end
        }
      }
      case REGULAR -> checkMayBeWritten();
    }
  }

  private IOException openException(int errno) {
    return Errno.openException(errno, name, openFlags, plan.mode);
  }

  private void checkMayBeCreated() throws IOException {
    Path parent = file.getParent();
    boolean hasFolder = parent == null || plan.createsParents() || Files.isDirectory(parent);
    if ((openFlags & OpenFlags.CREAT) == 0 || !hasFolder) {
      throw openException(Errno.ENOENT);
    }
  }

  private void checkMayBeWritten() throws IOException {
    // An atomic write replaces a read-only file, too.
    if (!isWritable() || plan.isAtomic() || Files.isWritable(file)) {
      return;
    }
    try {
      Files.newOutputStream(file, StandardOpenOption.WRITE).close(); // why not?
    } catch (IOException e) {
      throw NioFailure.named(e, Errno.openOperation(openFlags, plan.mode), name);
    }
  }

  /** Reads the file into {@code blocks}; returns false where it is too large for them. */
  boolean readInto(MemoryBlocks blocks) throws IOException {
    if (seen.size > blocks.limit()) {
      return false;
    }
    // A stream, since an interrupt closes a channel.
    try (InputStream in = Files.newInputStream(file)) {
      return blocks.readAll(in);
    } catch (IOException e) {
      throw NioFailure.named(e, "read", name);
    }
  }

  // --- Writing back

  /**
   * Writes {@code data}: in place of the old content, or behind it.
   *
   * @throws FileSystemException if another has changed the file since it was seen last, and it was
   *     to be replaced
   */
  void write(MemorySource data) throws IOException {
    // What is no regular file changes by itself; an append takes nothing away.
    if (!appends() && seen.kind != Kind.SPECIAL && !accept(look())) {
      throw new FileSystemException(
          name,
          null,
          "changed by another since it was opened or written back; nothing was written, and the"
              + " memory is as it was");
    }
    long end = (appends() ? seen.size : 0) + data.countBytes();
    try {
      Files2.writeMemory(file, data, plan);
      isOurs = false;
      left = new Left(plan.isAtomic(), List.of(end));
    } catch (IOException e) {
      left = leftBy(e, end);
      throw e;
    } finally {
      lookAgain();
    }
  }

  /** Returns what a write that failed has left, which is no change by another, either. */
  private Left leftBy(IOException e, long end) {
    if (plan.isAtomic()) {
      return AtomicStep.isPublished(e) ? new Left(true, List.of(end)) : null;
    }
    long begin = appends() ? seen.size : 0;
    long written = e instanceof PartialWriteException partial ? partial.bytesWritten() : 0;
    // Nothing, a part, all of it where the sync or the close failed, or all and the old tail.
    boolean hasTail = String.valueOf(e.getMessage()).contains("ftruncate");
    return new Left(false, List.of(begin, begin + written, end, hasTail ? seen.size : begin));
  }

  /** Tells whether {@code found} is what was seen last, or what our own write has left. */
  private boolean accept(State found) {
    boolean isAccepted = found.equals(seen) || (left != null && left.mayBe(found, seen));
    if (isAccepted) {
      seen = found;
      left = null;
    }
    return isAccepted;
  }

  /** Looks at what a write has left. What can't be seen now is left to the next write. */
  private void lookAgain() {
    try {
      accept(look());
      left = null; // anything else is another's
    } catch (IOException e) {
      // Whether the write succeeded is known already.
    }
  }

  /** Removes the file if the open has created it and nobody has written to it. */
  void discard() throws IOException {
    if (!isOurs || !look().equals(seen)) {
      return;
    }
    remove();
  }

  private void remove() throws IOException {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      throw NioFailure.named(e, "unlink", name);
    }
  }

  /** An open that fails leaves no new file; another's that was moved there meanwhile stays. */
  void removeAfter(Throwable failure) {
    if (!isOurs || failure instanceof NoSuchFileException) {
      return;
    }
    try {
      if (seen == null || look().equals(seen)) {
        remove();
      }
    } catch (IOException later) {
      failure.addSuppressed(later);
    }
  }

  /** Returns how many of {@code byteCount} bytes had been appended when {@code e} was thrown. */
  static long appendedBefore(IOException e, long byteCount) {
    if (e instanceof PartialWriteException partial) {
      return partial.bytesWritten();
    }
    // After the last byte a sync or a close may fail; a second append would repeat them all.
    String reason = e instanceof FileSystemException failure ? failure.getReason() : null;
    String operation = Objects.requireNonNullElse(reason, "");
    return operation.startsWith("fsync: ") || operation.startsWith("close: ") ? byteCount : 0;
  }
}
