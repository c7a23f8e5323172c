package io.github.files2;

import java.io.Closeable;
import java.io.Flushable;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
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
 * with {@link WriteOptions#reopenIfMoved}, for a new opening. With an encoding that is a charset of
 * Java's they write one after the other.
 *
 * <p>A record that fails throws what any write throws, and the appender stays usable: {@link
 * PartialWriteException} tells how much of it is in the file. The descriptor stays on its file when
 * that is renamed or deleted, unless {@code reopenIfMoved} is chosen. On a native lane a child
 * process does not get it.
 */
public final class Appender implements Appendable, Flushable, Closeable {
  private static final int CLOSED = -1;

  /** A {@link #key} that no file has. */
  private static final Object GONE = new Object();

  private final Path file;
  private final String name;
  private final WritePlan plan;
  private final Backend backend;
  private final boolean reopensIfMoved;

  /** Held to write, alone to change {@link #fd}: a closed number may be another file's at once. */
  private final StampedLock lock = new StampedLock();

  private final Object surrogates = new Object();

  private int fd;

  /** What the path named when it was opened; {@code null} where the file system has no keys. */
  private Object key;

  /** The largest size seen: a file that is smaller by now was truncated. */
  private volatile long seenBytes;

  /** The half of a pair that {@link #append(char)} keeps, 0 for none. */
  private volatile char highSurrogate;

  private Appender(Path file, WritePlan plan, boolean reopensIfMoved) throws IOException {
    this.file = file;
    this.name = file.toString();
    this.plan = plan;
    this.reopensIfMoved = reopensIfMoved;
    this.backend = Backends.preparedForPath(file);
    this.fd = openFile(plan.openFlags);
  }

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
    plan.checkForPath();
    if (!plan.appends()) {
      throw new IllegalArgumentException(
          "an Appender needs a flag that appends (a, ax, as, a+, ax+, as+), not "
              + OpenFlags.toString(plan.openFlags));
    }
    return new Appender(file, plan, options.reopensIfMoved());
  }

  private int openFile(int openFlags) throws IOException {
    int opened;
    try {
      opened = backend.open(file, openFlags, plan.mode);
    } catch (NoSuchFileException e) {
      Parents.make(file, plan, e);
      opened = backend.open(file, openFlags, plan.mode);
    }
    if (reopensIfMoved) {
      remember(opened);
    }
    return opened;
  }

  // --- Records

  /**
   * Appends a record: nothing is added to it, and no line end is. Text that is no {@code String} is
   * copied once. A surrogate that {@link #append(char)} has kept comes first, in the same {@code
   * write(2)}.
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
    return writeText(highSurrogate == 0 ? text : takeHighSurrogate() + text);
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
      return plan.encoding.isCharset()
          ? CharsetWriter.write(backend, fd, text, plan)
          : backend.writeText(fd, text, plan);
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
    return fd != CLOSED;
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
    FileSystemException failure =
        e instanceof PartialWriteException partial
            ? new PartialWriteException(name, e.getReason(), partial.bytesWritten())
            : new FileSystemException(name, null, e.getReason());
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
   * next, so that the pair is one character; {@link #close} writes it alone, as malformed text.
   * Pairs that two threads append at once may be torn.
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

  private void remember(int opened) throws IOException {
    try {
      BasicFileAttributes found = attributesOf(opened);
      key = found.fileKey();
      seenBytes = found.size();
    } catch (NoSuchFileException e) {
      key = GONE; // moved again already: the next record opens the path anew
    } catch (IOException | RuntimeException e) {
      closeFile(opened);
      throw e;
    }
  }

  /** Looks at what is open: the path may name another file already. */
  private BasicFileAttributes attributesOf(int opened) throws IOException {
    if (opened < NioBackend.FIRST_FD) {
      try {
        Path link = Path.of("/proc/self/fd", String.valueOf(opened));
        return Files.readAttributes(link, BasicFileAttributes.class);
      } catch (NoSuchFileException e) {
        // No /proc: then as on the nio lane.
      }
    }
    return Files.readAttributes(file, BasicFileAttributes.class);
  }

  /** Tells whether the path names another file than the open one, or that was truncated. */
  private boolean hasMoved() throws IOException {
    BasicFileAttributes found;
    try {
      found = Files.readAttributes(file, BasicFileAttributes.class);
    } catch (NoSuchFileException e) {
      return true;
    }
    if (!Objects.equals(found.fileKey(), key) || found.size() < seenBytes) {
      return true;
    }
    seenBytes = found.size();
    return false;
  }

  /** Opens the path anew; where that fails the old file stays open. */
  private void reopen() throws IOException {
    int old = fd;
    // What "x" asked for was true once.
    fd = openFile(plan.openFlags & ~OpenFlags.EXCL);
    closeFile(old);
  }

  private static void closeFile(int fd) throws IOException {
    Descriptors.remove(fd).close(fd);
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
      backend.sync(fd, level);
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
    IOException failure = null;
    String rest = takeHighSurrogate();
    if (!rest.isEmpty()) {
      try {
        writeText(rest);
      } catch (IOException e) {
        failure = e;
      }
    }
    long stamp = lock.writeLock();
    try {
      if (isOpen()) {
        int closing = fd;
        try {
          closeFile(closing);
        } catch (FileSystemException e) {
          FileSystemException named = named(e);
          if (failure == null) {
            failure = named;
          } else {
            failure.addSuppressed(named);
          }
        } finally {
          fd = CLOSED;
        }
      }
    } finally {
      lock.unlockWrite(stamp);
    }
    if (failure != null) {
      throw failure;
    }
  }

  /** Names the file and the options, for a log. */
  @Override
  public String toString() {
    return "Appender[" + name + (isClosed() ? ", closed]" : "]");
  }
}
