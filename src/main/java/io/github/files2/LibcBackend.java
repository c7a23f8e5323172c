package io.github.files2;

import com.sun.jna.Pointer;
import java.io.FileDescriptor;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * The lane of plain system calls through JNA: what write.c does in one crossing, in Java, with the
 * text encoded in Java into a pooled direct buffer.
 */
final class LibcBackend implements Backend, NativeStreams {
  /** Linux moves at most this many bytes a call (write(2)). */
  private static final long MAX_WRITE_BYTES = 0x7ffff000L;

  /** An overlay copies a lower file up, whole; above this size that costs more than truncating. */
  private static final int MAX_COPY_UP_BYTES = 64 * 1024;

  /** A chunk's size where no direct memory is left. */
  private static final int SMALL_BYTES = 16 * 1024;

  private static final int POLL_MILLIS = 1000;

  /** Set in a stream's number where its size has to be fixed at the end. */
  private static final long SIZED = 1L << 32;

  private final ChunkPool pool;
  private final NioBackend nio;
  private final boolean truncatesByDefault;
  private final boolean hasUtf8Paths;
  private final Places places = new Places();
  private boolean isOverlayRoot;

  private LibcBackend(ChunkPool pool, NioBackend nio, Settings settings) {
    this.pool = pool;
    this.nio = nio;
    this.truncatesByDefault = settings.truncatesByDefault();
    this.hasUtf8Paths = settings.hasUtf8Paths();
  }

  /**
   * Binds the system calls and tries them.
   *
   * @throws LinkageError where this is no Linux that has them
   */
  static LibcBackend load(ChunkPool pool, NioBackend nio, Settings settings) {
    Libc.bind();
    LibcBackend backend = new LibcBackend(pool, nio, settings);
    try (Lease lease = backend.lease()) {
      Chunk chunk = lease.chunk;
      backend.isOverlayRoot = backend.places.isOverlayRoot(chunk);
      chunk.scratch.put(0, (byte) '/').put(1, (byte) 0);
      if (backend.places.look(-1, chunk) == null) {
        throw new UnsatisfiedLinkError("statx: " + Errno.describe(Libc.errno()));
      }
    }
    return backend;
  }

  @Override
  public String name() {
    return "libc";
  }

  /** The native memory of one write: a chunk, and a block where it must go out uncut. */
  static final class Lease implements AutoCloseable {
    final Chunk chunk;

    /** Where the chunk's memory came from, if not from the pool; else 0. */
    private final long chunkAddress;

    private long blockAddress;

    Lease(ChunkPool pool) {
      Chunk pooled = pool.take();
      int byteCount = SMALL_BYTES + Chunk.SCRATCH_BYTES;
      chunkAddress = pooled == null ? malloc(byteCount) : 0;
      chunk =
          pooled == null
              ? new Chunk(pool, new Pointer(chunkAddress).getByteBuffer(0, byteCount), SMALL_BYTES)
              : pooled;
    }

    /** Joins {@code pieces}, unless they are one piece already or too many bytes. */
    void join(Pieces pieces) {
      int byteCount = pieces.joinBytes();
      if (byteCount > 0) {
        blockAddress = malloc(byteCount);
        pieces.join(new Pointer(blockAddress).getByteBuffer(0, byteCount));
      }
    }

    /** Returns where the buffer begins that the pieces are made in. */
    long pieceAddress() {
      return blockAddress == 0 ? chunk.address : blockAddress;
    }

    @Override
    public void close() {
      if (blockAddress != 0) {
        Libc.free(blockAddress);
      }
      if (chunkAddress == 0) {
        chunk.close();
      } else {
        Libc.free(chunkAddress);
      }
    }
  }

  private Lease lease() {
    return new Lease(pool);
  }

  private static long malloc(long byteCount) {
    long address = Libc.malloc(byteCount);
    if (address == 0) {
      throw new OutOfMemoryError("malloc of " + byteCount + " bytes");
    }
    return address;
  }

  /** A file that was opened to be written. */
  private static final class Opened {
    final int fd;
    final String name;

    /** The old content is still there: the size has to be fixed. */
    boolean isSized;

    boolean isSpecial;
    boolean isReserved;
    Places.Stat old;
    int promises;

    Opened(int fd, String name) {
      this.fd = fd;
      this.name = name;
    }
  }

  // --- Whole writes

  @Override
  public long writeText(Path file, String text, WritePlan plan) throws IOException {
    return put(
        file,
        chunk -> TextSource.of(text, plan, chunk.javaScratch()),
        plan,
        () -> nio.writeText(file, text, plan));
  }

  @Override
  public long writeBytes(Path file, ByteBuffer data, WritePlan plan) throws IOException {
    return put(file, chunk -> new BytesSource(data), plan, () -> nio.writeBytes(file, data, plan));
  }

  @Override
  public long writeMemory(Path file, MemorySource data, WritePlan plan) throws IOException {
    return put(file, chunk -> data.rewind(), plan, () -> nio.writeMemory(file, data, plan));
  }

  /** What is written, from its start each time: it may be compared with the file before. */
  private interface Sources {
    Source fresh(Chunk chunk) throws IOException;
  }

  /** The same write by another lane. */
  private interface Otherwise {
    long write() throws IOException;
  }

  private long put(Path file, Sources sources, WritePlan plan, Otherwise otherwise)
      throws IOException {
    try (Lease lease = lease()) {
      if (plan.writesOnlyIfChanged() && Unchanged.holds(file, sources.fresh(lease.chunk))) {
        return 0;
      }
      return put(file, sources.fresh(lease.chunk), plan, lease, otherwise);
    }
  }

  /** Writes in the way that the plan asks for; what native code must not translate, otherwise. */
  private long put(Path file, Source source, WritePlan plan, Lease lease, Otherwise otherwise)
      throws IOException {
    if (!plan.isAtomic()) {
      return putPath(file.toString(), lease.chunk)
          ? write(file, source, plan, lease)
          : otherwise.write();
    }
    AtomicTarget target = AtomicTarget.of(file, plan.isExclusive());
    return putPath(target.file().toString(), lease.chunk)
        ? new AtomicWriter(lease, plan, target, file.toString()).write(source)
        : otherwise.write();
  }

  /** Writes to the path in the scratch. */
  private long write(Path file, Source source, WritePlan plan, Lease lease) throws IOException {
    Pieces pieces = new Pieces(source, lease.chunk.buffer);
    boolean isInPlace = mayGoInPlace(plan) && pieces.maxBytes() > 0;
    boolean looks = !plan.appends() && !pieces.isWhole();
    Opened opened = open(file.toString(), plan, pieces.maxBytes(), isInPlace, looks, lease.chunk);
    boolean isSingle = plan.appends() || opened.isSpecial;
    return writeOpened(opened, pieces, isSingle, plan.flush, lease);
  }

  private long writeOpened(Opened opened, Pieces pieces, boolean isSingle, int flush, Lease lease)
      throws IOException {
    long[] written = {0};
    try {
      if (isSingle) {
        lease.join(pieces);
      }
      reserve(opened, pieces, lease.chunk);
      pump(opened.fd, opened.name, pieces, written, lease);
    } catch (IOException | RuntimeException | Error e) {
      finish(opened, written[0], flush, e, lease.chunk);
      throw e;
    }
    finish(opened, written[0], flush, null, lease.chunk);
    return written[0];
  }

  @Override
  public boolean removeLeftover(Path file) throws IOException {
    try (Lease lease = lease()) {
      if (!putPath(file.toString(), lease.chunk)) {
        return false;
      }
      int flags = Libc.O_NOFOLLOW | Libc.O_NONBLOCK | Libc.O_CLOEXEC;
      int fd;
      do {
        fd = Libc.open(lease.chunk.scratchAddress, OpenFlags.RDONLY | flags, 0);
      } while (fd < 0 && Libc.errno() == Errno.EINTR);
      if (fd < 0) {
        return false; // somebody else's, or gone
      }
      try {
        return isAbandoned(fd, lease.chunk) && unlink(file.toString(), lease.chunk);
      } finally {
        Libc.close(fd); // it was only looked at
      }
    }
  }

  /** Takes the file's lock, which a live writer holds: see leftover.c. */
  private boolean isAbandoned(int fd, Chunk chunk) {
    Places.Stat stat = places.look(fd, chunk);
    if (stat == null
        || !stat.isRegular()
        || (places.promises(fd, stat, chunk) & Places.FRESH) == 0) {
      return false;
    }
    int errno;
    do {
      errno = Libc.flock(fd, Libc.LOCK_EX_NB) == 0 ? 0 : Libc.errno();
    } while (errno == Errno.EINTR);
    return errno == 0;
  }

  /** Removes the path in the scratch; false where it is gone. */
  private static boolean unlink(String name, Chunk chunk) throws IOException {
    if (Libc.unlinkat(Libc.AT_FDCWD, chunk.scratchAddress, 0) == 0) {
      return true;
    }
    int errno = Libc.errno();
    if (errno == Errno.ENOENT) {
      return false;
    }
    throw Errno.exception("unlink", errno, name, 0);
  }

  // --- Opening and closing

  /** Puts the path into the scratch as a C string; false where native code must not translate. */
  private boolean putPath(String path, Chunk chunk) {
    int length = path.length();
    int limit = Chunk.SCRATCH_BYTES / 2;
    if (length == 0 || length >= limit) {
      return false; // the JDK says what is wrong with it
    }
    boolean isAscii = true;
    for (int i = 0; i < length; i++) {
      char unit = path.charAt(i);
      if (unit == 0 || unit == '\ufffd') {
        return false; // what a name that doesn't decode holds
      }
      isAscii &= unit < 0x80;
      chunk.scratch.put(i, (byte) unit);
    }
    if (isAscii) {
      chunk.scratch.put(length, (byte) 0);
      return true;
    }
    if (!hasUtf8Paths || TextSource.findLoneSurrogate(path) >= 0) {
      return false;
    }
    byte[] bytes = path.getBytes(StandardCharsets.UTF_8);
    if (bytes.length >= limit) {
      return false;
    }
    chunk.scratch.put(0, bytes).put(bytes.length, (byte) 0);
    return true;
  }

  private boolean mayGoInPlace(WritePlan plan) {
    // O_SYNC and O_DSYNC would cover the writes but not a truncation that comes later.
    return plan.truncates()
        && (plan.openFlags & OpenFlags.SYNC) == 0
        && !plan.truncatesFirst(truncatesByDefault);
  }

  private boolean copiesUp(Chunk chunk) {
    if (!isOverlayRoot) {
      return false;
    }
    Places.Stat stat = places.look(-1, chunk);
    return stat != null
        && stat.isRegular()
        && stat.size() > MAX_COPY_UP_BYTES
        && (places.promises(-1, stat, chunk) & Places.OVERLAY) != 0;
  }

  /** Opens the path in the scratch for {@code maxBytes} or fewer. */
  private Opened open(
      String name, WritePlan plan, long maxBytes, boolean mayBeInPlace, boolean looks, Chunk chunk)
      throws IOException {
    boolean isInPlace = mayBeInPlace && !copiesUp(chunk);
    int without = isInPlace ? OpenFlags.TRUNC : 0;
    Opened opened = new Opened(openFile(name, plan.openFlags, without, plan.mode, chunk), name);
    if (!isInPlace && !looks) {
      return opened;
    }
    try {
      opened.old = places.look(opened.fd, chunk);
      if (opened.old == null) {
        throw Errno.exception("statx", Libc.errno(), name, 0);
      }
      opened.isSpecial = !opened.old.isRegular();
      if (isInPlace && !opened.isSpecial) {
        opened.promises = places.promises(opened.fd, opened.old, chunk);
        opened.isSized = (opened.promises & Places.FRESH) != 0 && hasRoom(opened, maxBytes, chunk);
        if (!opened.isSized) {
          truncate(opened, 0, 0); // the size may be an old one: truncate first after all
        }
      }
      return opened;
    } catch (IOException e) {
      closeAfter(opened.fd, name, 0, e);
      throw e;
    }
  }

  /** On a nearly full disk that copies on write the cut at the end could fail. */
  private static boolean hasRoom(Opened opened, long maxBytes, Chunk chunk) {
    return (opened.promises & Places.COPIES) == 0
        || opened.old.size() == 0
        || Places.hasRoom(opened.fd, maxBytes + opened.old.size(), chunk);
  }

  /** Opens the path in the scratch with {@code flags} but {@code without}. */
  private static int openFile(String name, int flags, int without, int mode, Chunk chunk)
      throws IOException {
    int fd;
    int errno = 0;
    do {
      fd = Libc.open(chunk.scratchAddress, flags & ~without | Libc.O_CLOEXEC, mode);
      errno = fd < 0 ? Libc.errno() : 0;
    } while (errno == Errno.EINTR);
    if (fd < 0) {
      throw Errno.openException(errno, name, flags, mode);
    }
    return fd;
  }

  private static void truncate(Opened opened, long size, long written) throws IOException {
    int result;
    int errno;
    do {
      result = Libc.ftruncate(opened.fd, size);
      errno = result == 0 ? 0 : Libc.errno();
    } while (errno == Errno.EINTR);
    if (result != 0) {
      throw Errno.exception("ftruncate", errno, opened.name, written);
    }
  }

  /** Closes; EINTR is success, Linux has closed the descriptor by then. */
  private static void closeFile(int fd, String name, long written) throws IOException {
    if (Libc.close(fd) != 0) {
      int errno = Libc.errno();
      if (errno != Errno.EINTR) {
        throw Errno.exception("close", errno, name, written);
      }
    }
  }

  private static void closeAfter(int fd, String name, long written, Throwable first) {
    try {
      closeFile(fd, name, written);
    } catch (IOException e) {
      first.addSuppressed(e);
    }
  }

  // --- In place

  /** Takes the blocks that the new content needs beyond the old one's: see write.c. */
  private static void reserve(Opened opened, Pieces pieces, Chunk chunk) throws IOException {
    if (!opened.isSized || (opened.promises & Places.RESERVES) == 0 || opened.old.size() == 0) {
      return;
    }
    long size = opened.old.size();
    boolean hasHoles = opened.old.blockBytes() < size;
    long from = hasHoles ? 0 : Places.roundUp(size, opened.promises);
    if (pieces.maxBytes() <= size && !hasHoles) {
      return;
    }
    if (pieces.countBytes() > size && isOverLimit(pieces.countBytes(), chunk)) {
      throw Errno.exception("fallocate", Errno.EFBIG, opened.name, 0);
    }
    if (pieces.countBytes() <= from) {
      return;
    }
    opened.isReserved = true; // a part of it perhaps, on failure
    int errno;
    do {
      int result =
          Libc.fallocate(opened.fd, Libc.FALLOC_FL_KEEP_SIZE, from, pieces.countBytes() - from);
      errno = result == 0 ? 0 : Libc.errno();
    } while (errno == Errno.EINTR);
    if (errno == Errno.ENOSPC || errno == Errno.EDQUOT || errno == Errno.EFBIG) {
      throw Errno.exception("fallocate", errno, opened.name, 0);
    }
  }

  /** Asks RLIMIT_FSIZE, which {@code fallocate} does not when it keeps the size. */
  private static boolean isOverLimit(long size, Chunk chunk) {
    // struct rlimit: the soft limit first; all ones is none.
    return Libc.getrlimit(Libc.RLIMIT_FSIZE, chunk.answerAddress) == 0
        && Long.compareUnsigned(size, chunk.scratch.getLong(Chunk.ANSWER_OFFSET)) > 0;
  }

  /** Cuts the file to what was written, or gives back what was reserved for nothing. */
  private void fixSize(Opened opened, long written, boolean hasFailed, Chunk chunk)
      throws IOException {
    if (!opened.isSized) {
      return;
    }
    if (hasFailed && written == 0) {
      Places.Stat now = opened.isReserved ? places.look(opened.fd, chunk) : null;
      if (now != null && now.size() == opened.old.size()) {
        truncate(opened, now.size(), 0);
      }
    } else if (hasFailed || opened.old.size() > written || written == 0) {
      // Nothing written moves the mtime all the same.
      shrinkTo(opened, written, chunk);
    }
  }

  /**
   * Cuts the file to {@code written}, if it is longer by now: another writer may have cut it
   * already, and must not get zeros behind its text.
   */
  private void shrinkTo(Opened opened, long written, Chunk chunk) throws IOException {
    Places.Stat now = written == 0 || opened.isReserved ? null : places.look(opened.fd, chunk);
    if (now == null || now.size() > written) {
      truncate(opened, written, written);
    }
  }

  /**
   * Fixes the size, syncs and closes. After {@code failure} what goes wrong here is added to it,
   * otherwise it is thrown.
   */
  private void finish(Opened opened, long written, int flush, Throwable failure, Chunk chunk)
      throws IOException {
    Throwable first = failure;
    try {
      fixSize(opened, written, failure != null, chunk);
      if (failure == null) {
        syncFile(opened.fd, opened.name, flush, written, chunk);
      }
    } catch (IOException e) {
      first = added(first, e);
    }
    try {
      closeFile(opened.fd, opened.name, written);
    } catch (IOException e) {
      first = added(first, e);
    }
    if (failure == null && first instanceof IOException e) {
      throw e;
    }
  }

  private static Throwable added(Throwable first, IOException later) {
    if (first == null) {
      return later;
    }
    first.addSuppressed(later);
    return first;
  }

  // --- The write loop

  /** Writes all pieces; {@code written[0]} counts the bytes, also when it throws. */
  static void pump(int fd, String name, Pieces pieces, long[] written, Lease lease)
      throws IOException {
    for (ByteBuffer piece = pieces.next(); piece != null; piece = pieces.next()) {
      // SAFETY: the lease holds the memory until after the call.
      long address = lease.pieceAddress() + piece.position();
      writeAll(fd, name, address, piece.remaining(), written, lease.chunk);
    }
  }

  private static void writeAll(
      int fd, String name, long address, long byteCount, long[] written, Chunk chunk)
      throws IOException {
    long done = 0;
    while (done < byteCount) {
      long taken = Libc.write(fd, address + done, Math.min(byteCount - done, MAX_WRITE_BYTES));
      if (taken > 0) {
        done += taken;
        written[0] += taken;
        continue;
      }
      int errno = taken == 0 ? 0 : Libc.errno();
      if (errno == Errno.EAGAIN) {
        errno = waitUntilWritable(fd, chunk);
      }
      if (taken == 0 || (errno != 0 && errno != Errno.EINTR)) {
        // A zero return is an error: retrying it could spin for ever.
        throw Errno.exception("write", errno, name, written[0]);
      }
    }
  }

  /** Waits in {@code poll}; whatever it says, the next write tells more. Returns 0 or errno. */
  private static int waitUntilWritable(int fd, Chunk chunk) {
    // struct pollfd: int fd, short events, short revents.
    int offset = Chunk.ANSWER_OFFSET;
    chunk.scratch.putInt(offset, fd).putShort(offset + 4, Libc.POLLOUT);
    chunk.scratch.putShort(offset + 6, (short) 0);
    return Libc.poll(chunk.answerAddress, 1, POLL_MILLIS) < 0 ? Libc.errno() : 0;
  }

  private void syncFile(int fd, String name, int flush, long written, Chunk chunk)
      throws IOException {
    if (flush == WritePlan.FLUSH_NONE) {
      return;
    }
    int errno;
    // A signal is no verdict on the data; any other error is, and is never retried.
    do {
      int result = flush == WritePlan.FLUSH_DATA ? Libc.fdatasync(fd) : Libc.fsync(fd);
      errno = result == 0 ? 0 : Libc.errno();
    } while (errno == Errno.EINTR);
    if (errno == Errno.EINVAL || errno == Errno.EOPNOTSUPP || errno == Errno.EROFS) {
      Places.Stat stat = places.look(fd, chunk);
      if (stat != null && !stat.isRegular()) {
        return; // a pipe, a terminal: nothing that could be synced
      }
    }
    if (errno != 0) {
      throw Errno.exception("fsync", errno, name, written);
    }
  }

  // --- Descriptors

  @Override
  public long writeText(int fd, String text, WritePlan plan) throws IOException {
    try (Lease lease = lease()) {
      return write(fd, TextSource.of(text, plan, lease.chunk.javaScratch()), plan, lease);
    }
  }

  @Override
  public long writeBytes(int fd, ByteBuffer data, WritePlan plan) throws IOException {
    try (Lease lease = lease()) {
      return write(fd, new BytesSource(data), plan, lease);
    }
  }

  private long write(int fd, Source source, WritePlan plan, Lease lease) throws IOException {
    String name = Descriptors.name(fd);
    Pieces pieces = new Pieces(source, lease.chunk.buffer);
    if (!pieces.isWhole() && needsSingleWrite(fd, name, lease.chunk)) {
      lease.join(pieces);
    }
    long[] written = {0};
    pump(fd, name, pieces, written, lease);
    syncFile(fd, name, plan.flush, written[0], lease.chunk);
    return written[0];
  }

  private boolean needsSingleWrite(int fd, String name, Chunk chunk) throws IOException {
    int statusFlags = Libc.fcntl(fd, Libc.F_GETFL, 0);
    Places.Stat stat = statusFlags < 0 ? null : places.look(fd, chunk);
    if (stat == null) {
      throw Errno.exception("write", Libc.errno(), name, 0);
    }
    return !stat.isRegular() || (statusFlags & OpenFlags.APPEND) != 0;
  }

  // A FileDescriptor hides its number from everything but JNI; the standard ones are known.

  @Override
  public long writeText(FileDescriptor fd, String text, WritePlan plan) throws IOException {
    int number = Descriptors.numberOf(fd);
    return number < 0 ? nio.writeText(fd, text, plan) : writeText(number, text, plan);
  }

  @Override
  public long writeBytes(FileDescriptor fd, ByteBuffer data, WritePlan plan) throws IOException {
    int number = Descriptors.numberOf(fd);
    return number < 0 ? nio.writeBytes(fd, data, plan) : writeBytes(number, data, plan);
  }

  @Override
  public int open(Path file, int openFlags, int mode) throws IOException {
    try (Lease lease = lease()) {
      if (!putPath(file.toString(), lease.chunk)) {
        return nio.open(file, openFlags, mode);
      }
      return Descriptors.add(openFile(file.toString(), openFlags, 0, mode, lease.chunk), this);
    }
  }

  @Override
  public void close(int fd) throws IOException {
    closeFile(fd, Descriptors.name(fd), 0);
  }

  @Override
  public void sync(int fd, int flush) throws IOException {
    try (Lease lease = lease()) {
      syncFile(fd, Descriptors.name(fd), flush, 0, lease.chunk);
    }
  }

  @Override
  public long sizeOf(int fd) throws IOException {
    try (Lease lease = lease()) {
      Places.Stat stat = places.look(fd, lease.chunk);
      if (stat == null) {
        throw Errno.exception("statx", Libc.errno(), Descriptors.name(fd), 0);
      }
      return stat.size();
    }
  }

  // --- Streams

  @Override
  public OutputStream newOutputStream(Path file, WritePlan plan) throws IOException {
    try (Lease lease = lease()) {
      if (!putPath(file.toString(), lease.chunk)) {
        return nio.newOutputStream(file, plan);
      }
      NativeOutputStream out = new NativeOutputStream(this, file, plan);
      Opened opened = open(file.toString(), plan, 0, mayGoInPlace(plan), false, lease.chunk);
      out.begin(opened.fd | (opened.isSized ? SIZED : 0));
      return out;
    }
  }

  @Override
  public void writePiece(long stream, byte[] piece, int byteCount, Path file, WritePlan plan)
      throws IOException {
    try (Lease lease = lease()) {
      Pieces pieces =
          new Pieces(new BytesSource(ByteBuffer.wrap(piece, 0, byteCount)), lease.chunk.buffer);
      pump((int) stream, file.toString(), pieces, new long[1], lease);
    }
  }

  @Override
  public void finish(long stream, long written, boolean hasFailed, Path file, WritePlan plan)
      throws IOException {
    Opened opened = new Opened((int) stream, file.toString());
    IOException failure = null;
    try (Lease lease = lease()) {
      try {
        if ((stream & SIZED) != 0) {
          cutTo(opened, written, hasFailed, lease.chunk);
        }
        if (!hasFailed) {
          syncFile(opened.fd, opened.name, plan.flush, written, lease.chunk);
        }
      } catch (IOException e) {
        failure = e;
      }
    }
    if (failure != null) {
      closeAfter(opened.fd, opened.name, written, failure);
      throw failure;
    }
    closeFile(opened.fd, opened.name, written);
  }

  private void cutTo(Opened opened, long written, boolean hasFailed, Chunk chunk)
      throws IOException {
    if (hasFailed) {
      if (written > 0) { // before the first byte the old content stays
        truncate(opened, written, written);
      }
      return;
    }
    shrinkTo(opened, written, chunk); // not knowing the size costs a call, not a stale tail
  }
}
