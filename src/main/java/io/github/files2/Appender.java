package io.github.files2;

import java.io.Closeable;
import java.io.Flushable;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import java.util.concurrent.locks.StampedLock;

/**
 * Appends records to a file that stays open: a log, a journal. Nothing is buffered: each {@link
 * #write} is one {@code write(2)} on a descriptor with {@code O_APPEND}, so that a record of up to
 * 1 MiB is whole in a local regular file, whoever else appends to it, threads or processes. What is
 * longer goes in pieces. For one record now and then {@link Files2#appendStringSync(Path,
 * CharSequence)} does the same.
 *
 * <pre>{@code
 * try (Appender log = Appender.open(Path.of("app.log"))) {
 *   log.write("started\n");
 * }
 * }</pre>
 *
 * Safe for use by many threads, which don't wait for each other here, but for a {@link #close} and,
 * with {@link WriteOptions#reopenIfMoved}, for a new opening. On the {@code nio} lane, and with an
 * encoding that is a charset of Java's, they write one after the other.
 *
 * <p>A record that fails throws what any write throws, and the appender stays usable: {@link
 * PartialWriteException} tells how much of it is in the file. The descriptor stays on its file when
 * that is renamed or deleted, unless {@code reopenIfMoved} is chosen. On a native lane a child
 * process does not get it.
 */
public final class Appender implements Appendable, Flushable, Closeable {
  /** A {@link Opened#key} that no file has. */
  private static final Object GONE = new Object();

  private final Path file;
  private final String name;
  private final WritePlan plan;
  private final Backend lane;
  private final boolean reopensIfMoved;

  /** Held to write, alone to change the file: a closed number may be another's at once. */
  private final StampedLock lock = new StampedLock();

  private final Object surrogates = new Object();

  /** The file, {@code null} once closed. */
  private Opened opened;

  /** The largest size seen: a file that is smaller by now was truncated. */
  private volatile long seenBytes;

  /** The half of a pair that {@link #append(char)} keeps, 0 for none. */
  private volatile char highSurrogate;

  private Appender(Path file, WritePlan plan, boolean reopensIfMoved) throws IOException {
    this.file = file;
    this.name = file.toString();
    this.plan = plan;
    this.reopensIfMoved = reopensIfMoved;
    this.lane = Backends.preparedForPath(file);
    this.opened = openFile(plan.openFlags);
  }

  /**
   * What is open.
   *
   * @param owner the lane that knows the number: not every path can be left to native code
   * @param key what the path named before and after it was opened, {@link #GONE} where that was not
   *     the same, so that the next record opens it anew; {@code null} where there are no keys
   */
  private record Opened(int fd, Backend owner, Object key) {}

  /**
   * Opens a file to append to, as UTF-8, and creates it where it is missing.
   *
   * @param file the file
   * @return the appender
   * @throws IOException if it can't be opened
   */
  public static Appender open(Path file) throws IOException {
    return open(file, WriteOptions.DEFAULT);
  }

  /**
   * Opens a file to append to. Loads the native lane and waits for it.
   *
   * @param file the file
   * @param options encoding, malformed text, mode of a new file, {@code createParents}, {@code
   *     reopenIfMoved}; with {@code flush} each record is synced. The flag is one of those with
   *     {@code a}, or unset.
   * @return the appender
   * @throws IllegalArgumentException if {@code options} has another flag, {@code atomic} or {@code
   *     onlyIfChanged}
   * @throws IOException if it can't be opened
   */
  public static Appender open(Path file, WriteOptions options) throws IOException {
    Objects.requireNonNull(file, "file");
    Objects.requireNonNull(options, "options");
    WritePlan plan = options.appendPlan();
    plan.checkForAppender();
    return new Appender(file, plan, options.reopensIfMoved());
  }

  private Opened openFile(int openFlags) throws IOException {
    Object before = reopensIfMoved ? keyOf(look()) : null;
    int fd;
    try {
      fd = lane.open(file, openFlags, plan.mode);
    } catch (NoSuchFileException e) {
      Parents.make(file, plan, e);
      fd = lane.open(file, openFlags, plan.mode);
    }
    Backend owner = Descriptors.remove(fd); // nobody else may close it
    try {
      BasicFileAttributes found = reopensIfMoved ? look() : null;
      seenBytes = found == null ? 0 : found.size();
      boolean isSame = !reopensIfMoved || Objects.equals(before, keyOf(found));
      return new Opened(fd, owner, isSame ? before : GONE);
    } catch (IOException | RuntimeException e) {
      try {
        owner.close(fd);
      } catch (IOException later) {
        e.addSuppressed(later);
      }
      throw e;
    }
  }

  // --- Records

  /**
   * Appends a record: nothing is added to it, and no line end is. Text that is no {@code String} is
   * copied once. A surrogate that {@link #append(char)} has kept comes first, in the same {@code
   * write(2)}; before an empty record it is kept on.
   *
   * @param record the text
   * @return the number of bytes written, 0 or more
   * @throws ClosedChannelException if this is closed
   * @throws MalformedTextException if the options say {@code REPORT} and the encoding can't express
   *     the text; nothing is written then
   * @throws IOException if the write fails, the sync that the options ask for, or the new opening
   *     of a file that has moved; the next call tries that again
   */
  public long write(CharSequence record) throws IOException {
    String text = Objects.requireNonNull(record, "record").toString();
    return writeText(highSurrogate == 0 || text.isEmpty() ? text : takeHighSurrogate() + text);
  }

  private String takeHighSurrogate() {
    synchronized (surrogates) {
      String taken = highSurrogate == 0 ? "" : String.valueOf(highSurrogate);
      highSurrogate = 0;
      return taken;
    }
  }

  private long writeText(String text) throws IOException {
    // A charset's byte order mark depends on what is there already.
    boolean isAlone = plan.encoding.isCharset();
    long stamp = isAlone ? lock.writeLock() : lock.readLock();
    try {
      if (reopensIfMoved && isOpen() && hasMoved()) {
        stamp = toWriteLock(stamp);
        if (isOpen() && hasMoved()) {
          reopen();
        }
      }
      checkOpen();
      return isAlone
          ? CharsetWriter.write(opened.owner, opened.fd, text, plan)
          : opened.owner.writeText(opened.fd, text, plan);
    } catch (FileSystemException e) {
      throw named(e);
    } finally {
      lock.unlock(stamp);
    }
  }

  private long toWriteLock(long stamp) {
    long converted = lock.tryConvertToWriteLock(stamp);
    if (converted != 0) {
      return converted;
    }
    lock.unlock(stamp);
    return lock.writeLock();
  }

  private boolean isOpen() {
    return opened != null;
  }

  private void checkOpen() throws ClosedChannelException {
    if (!isOpen()) {
      throw new ClosedChannelException();
    }
  }

  /** A descriptor's errors name its number, which tells nobody anything. */
  private FileSystemException named(FileSystemException e) {
    if (e.getFile() == null || !e.getFile().startsWith("fd ")) {
      return e;
    }
    FileSystemException failure;
    if (e instanceof PartialWriteException partial) {
      failure = new PartialWriteException(name, e.getReason(), partial.bytesWritten());
    } else if (e instanceof AccessDeniedException) {
      failure = new AccessDeniedException(name, null, e.getReason());
    } else {
      failure = new FileSystemException(name, null, e.getReason());
    }
    failure.initCause(e);
    return failure;
  }

  /**
   * {@link #write}; {@code null} is "null".
   *
   * @return this
   */
  @Override
  public Appender append(CharSequence text) throws IOException {
    write(text == null ? "null" : text);
    return this;
  }

  /**
   * {@link #write} of a part; {@code null} is "null".
   *
   * @return this
   * @throws IndexOutOfBoundsException if the text has no such part
   */
  @Override
  public Appender append(CharSequence text, int start, int end) throws IOException {
    write((text == null ? "null" : text).subSequence(start, end));
    return this;
  }

  /**
   * {@link #write} of a char. The first half of a surrogate pair waits for whatever is appended
   * next, so that the pair is one character; {@link #close} writes it alone, as malformed text:
   * U+FFFD in UTF-8, or an error with {@code REPORT}. Pairs that two threads append at once may be
   * torn.
   *
   * @return this
   */
  @Override
  public Appender append(char unit) throws IOException {
    if (!isClosed() && Character.isHighSurrogate(unit)) {
      String before;
      synchronized (surrogates) {
        before = takeHighSurrogate();
        highSurrogate = unit;
      }
      if (!before.isEmpty()) {
        writeText(before);
      }
      return this;
    }
    write(String.valueOf(unit));
    return this;
  }

  private boolean isClosed() {
    long stamp = lock.readLock();
    try {
      return !isOpen();
    } finally {
      lock.unlockRead(stamp);
    }
  }

  // --- Files that move

  /** Looks at what the path names; {@code null} where that is nothing. */
  private BasicFileAttributes look() throws IOException {
    try {
      return Files.readAttributes(file, BasicFileAttributes.class);
    } catch (NoSuchFileException e) {
      return null;
    } catch (IOException e) {
      throw NioFailure.named(e, "stat", name);
    }
  }

  private static Object keyOf(BasicFileAttributes found) {
    return found == null ? GONE : found.fileKey();
  }

  /** Tells whether the path names another file than the open one, or that was truncated. */
  private boolean hasMoved() throws IOException {
    BasicFileAttributes found = look();
    if (found == null || !Objects.equals(keyOf(found), opened.key) || found.size() < seenBytes) {
      return true;
    }
    seenBytes = found.size();
    return false;
  }

  /** Opens the path anew; where that fails the old file stays open. */
  private void reopen() throws IOException {
    Opened old = opened;
    // What "x" asked for was true once.
    opened = openFile(plan.openFlags & ~OpenFlags.EXCL);
    old.owner.close(old.fd);
  }

  // --- Syncing and closing

  /**
   * Syncs what was written: {@code fdatasync(2)} where the options say {@link Flush#DATA}, else
   * {@code fsync(2)}. Nothing else waits to be written, but for half a pair. A new file's name is
   * durable only with its folder, which is not synced.
   *
   * @throws ClosedChannelException if this is closed
   * @throws IOException if the sync fails
   */
  @Override
  public void flush() throws IOException {
    int level = plan.flush == WritePlan.FLUSH_DATA ? WritePlan.FLUSH_DATA : WritePlan.FLUSH_FULL;
    long stamp = lock.readLock();
    try {
      checkOpen();
      opened.owner.sync(opened.fd, level);
    } catch (FileSystemException e) {
      throw named(e);
    } finally {
      lock.unlockRead(stamp);
    }
  }

  /**
   * Closes the file, after the records that are being written. A second call does nothing.
   *
   * @throws IOException if the close tells of a late error, or half a pair can't be written
   */
  @Override
  public void close() throws IOException {
    Closeable afterwards = this::closeFile;
    try (afterwards) {
      String rest = takeHighSurrogate();
      if (!rest.isEmpty()) {
        writeText(rest);
      }
    }
  }

  private void closeFile() throws IOException {
    long stamp = lock.writeLock();
    try {
      if (isOpen()) {
        Opened closing = opened;
        opened = null;
        closing.owner.close(closing.fd);
      }
    } catch (FileSystemException e) {
      throw named(e);
    } finally {
      lock.unlockWrite(stamp);
    }
  }

  /** Names the file, for a log. */
  @Override
  public String toString() {
    return "Appender[" + name + (isClosed() ? ", closed]" : "]");
  }
}
