package io.github.files2;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.SyncFailedException;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The lane of the JDK's own means: for every system, every file system and every charset. It always
 * truncates first.
 */
final class NioBackend implements Backend {
  /** The most that is encoded at a time, in bytes. */
  private static final int PIECE_BYTES = 128 * 1024;

  /** Text up to this many chars, without surrogates, is encoded by the JDK at once. */
  private static final int SHORT_TEXT_CHARS = 8 * 1024;

  /** The first number of this lane's own descriptors; the kernel's are far below. */
  static final int FIRST_FD = 1 << 20;

  /** What {@code openSync} opened here; {@code null} until then. */
  private volatile Map<Integer, NioFile> files;

  private int nextFd = FIRST_FD;

  /** Why there is no native lane, for a descriptor that only such a lane could write to. */
  private volatile String whyAlone = "";

  @Override
  public String name() {
    return "nio";
  }

  void setWhyAlone(String reason) {
    whyAlone = reason;
  }

  @Override
  public long writeText(Path file, String text, WritePlan plan) throws IOException {
    if (plan.writesOnlyIfChanged() && Unchanged.holds(file, TextSource.of(text, plan))) {
      return 0;
    }
    if (plan.isAtomic()) {
      return NioAtomicWriter.write(file, pieces(TextSource.of(text, plan)), plan);
    }
    if (plan.encoding.kind == TextEncoding.KIND_UTF8 && isShortAndWhole(text)) {
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      return writeAtOnce(file, bytes, 0, bytes.length, plan);
    }
    TextSource source = TextSource.of(text, plan);
    if (plan.encoding.isCharset() && !plan.truncates() && hasBytes(file)) {
      ((CharsetSource) source).continueFile();
    }
    return write(file, source, plan);
  }

  private static boolean isShortAndWhole(String text) {
    if (text.length() > SHORT_TEXT_CHARS) {
      return false;
    }
    for (int i = 0; i < text.length(); i++) {
      if (Character.isSurrogate(text.charAt(i))) {
        return false;
      }
    }
    return true;
  }

  private static boolean hasBytes(Path file) {
    try {
      return Files.size(file) > 0;
    } catch (IOException e) {
      return false; // opening it will say more
    }
  }

  @Override
  public long writeBytes(Path file, ByteBuffer data, WritePlan plan) throws IOException {
    if (plan.writesOnlyIfChanged() && Unchanged.holds(file, new BytesSource(data))) {
      return 0;
    }
    if (plan.isAtomic()) {
      return NioAtomicWriter.write(file, pieces(new BytesSource(data)), plan);
    }
    if (data.hasArray() && data.remaining() <= PIECE_BYTES) {
      int offset = data.arrayOffset() + data.position();
      return writeAtOnce(file, data.array(), offset, data.remaining(), plan);
    }
    return write(file, new BytesSource(data), plan);
  }

  @Override
  public long writeMemory(Path file, MemorySource data, WritePlan plan) throws IOException {
    data.rewind();
    if (plan.writesOnlyIfChanged() && Unchanged.holds(file, data)) {
      return 0;
    }
    data.rewind();
    return plan.isAtomic()
        ? NioAtomicWriter.write(file, pieces(data), plan)
        : write(file, data, plan);
  }

  /** The write that a program may make only once: it loads few classes. */
  private static long writeAtOnce(
      Path file, byte[] bytes, int offset, int byteCount, WritePlan plan) throws IOException {
    NioFile opened =
        NioFile.open(file, plan.openFlags, plan.mode, plan.flush != WritePlan.FLUSH_NONE);
    try {
      opened.write(bytes, offset, byteCount);
      opened.sync(plan.flush);
    } catch (IOException | RuntimeException | Error e) {
      closeAfter(opened, e);
      throw e;
    }
    opened.close();
    return byteCount;
  }

  private static void closeAfter(NioFile opened, Throwable first) {
    try {
      opened.close();
    } catch (IOException later) {
      first.addSuppressed(later);
    }
  }

  private static long write(Path file, Source source, WritePlan plan) throws IOException {
    Pieces pieces = pieces(source);
    boolean isLong = pieces.maxBytes() > PIECE_BYTES;
    if (isLong && (plan.appends() || (Files.exists(file) && !Files.isRegularFile(file)))) {
      join(pieces);
    }
    NioFile opened =
        NioFile.open(file, plan.openFlags, plan.mode, plan.flush != WritePlan.FLUSH_NONE);
    long written;
    try {
      written = opened.write(pieces);
      opened.sync(plan.flush);
    } catch (IOException | RuntimeException | Error e) {
      closeAfter(opened, e);
      throw e;
    }
    opened.close();
    return written;
  }

  private static Pieces pieces(Source source) {
    return new Pieces(source, ByteBuffer.allocate(Pieces.bufferBytes(source, PIECE_BYTES)));
  }

  private static void join(Pieces pieces) {
    int byteCount = pieces.joinBytes();
    if (byteCount > 0) {
      pieces.join(ByteBuffer.allocate(byteCount));
    }
  }

  @Override
  public OutputStream newOutputStream(Path file, WritePlan plan) throws IOException {
    return Files.newOutputStream(file, NioFile.options(plan.openFlags, false));
  }

  @Override
  public boolean removeLeftover(Path file) {
    return false; // the JDK can't see whether a writer is alive
  }

  // --- Numbers of this lane's own

  @Override
  public int open(Path file, int openFlags, int mode) throws IOException {
    // Not under the lock: opening a FIFO waits for its reader.
    return Descriptors.add(add(NioFile.open(file, openFlags, mode, true)), this);
  }

  private synchronized int add(NioFile opened) {
    if (files == null) {
      files = new ConcurrentHashMap<>();
    }
    files.put(nextFd, opened);
    return nextFd++;
  }

  private NioFile fileOf(int fd) throws IOException {
    NioFile file = files == null ? null : files.get(fd);
    if (file == null) {
      throw fd >= FIRST_FD
          ? Errno.exception("write", Errno.EBADF, Descriptors.name(fd), 0)
          : new FileSystemException(
              Descriptors.name(fd),
              null,
              "the nio lane knows only descriptors of its own openSync and 0, 1, 2; no native lane: "
                  + whyAlone);
    }
    return file;
  }

  private static FileDescriptor standard(int fd) {
    return switch (fd) {
      case 0 -> FileDescriptor.in;
      case 1 -> FileDescriptor.out;
      case 2 -> FileDescriptor.err;
      default -> null;
    };
  }

  @Override
  public long writeText(int fd, String text, WritePlan plan) throws IOException {
    return write(fd, TextSource.of(text, plan), plan);
  }

  @Override
  public long writeBytes(int fd, ByteBuffer data, WritePlan plan) throws IOException {
    return write(fd, new BytesSource(data), plan);
  }

  private long write(int fd, Source source, WritePlan plan) throws IOException {
    FileDescriptor standard = standard(fd);
    if (standard != null) {
      return write(standard, source, plan);
    }
    Pieces pieces = pieces(source);
    if (pieces.maxBytes() == 0 && plan.flush == WritePlan.FLUSH_NONE) {
      return 0; // no system call anywhere, so none that could fail
    }
    NioFile file = fileOf(fd);
    if (pieces.maxBytes() > PIECE_BYTES) {
      join(pieces);
    }
    synchronized (file) {
      long written = file.write(pieces);
      file.sync(plan.flush);
      return written;
    }
  }

  @Override
  public void close(int fd) throws IOException {
    NioFile file = files == null ? null : files.remove(fd);
    if (file != null) {
      synchronized (file) {
        file.close();
      }
    }
  }

  @Override
  public void sync(int fd, int flush) throws IOException {
    FileDescriptor standard = standard(fd);
    if (standard != null) {
      sync(standard, flush);
      return;
    }
    NioFile file = fileOf(fd);
    synchronized (file) {
      file.sync(flush);
    }
  }

  @Override
  public long sizeOf(int fd) throws IOException {
    return standard(fd) != null ? 0 : fileOf(fd).size();
  }

  // --- FileDescriptor

  @Override
  public long writeText(FileDescriptor fd, String text, WritePlan plan) throws IOException {
    return write(fd, TextSource.of(text, plan), plan);
  }

  @Override
  public long writeBytes(FileDescriptor fd, ByteBuffer data, WritePlan plan) throws IOException {
    return write(fd, new BytesSource(data), plan);
  }

  private static long write(FileDescriptor fd, Source source, WritePlan plan) throws IOException {
    Pieces pieces = pieces(source);
    if (pieces.maxBytes() > PIECE_BYTES) {
      join(pieces); // it may append, and nothing tells
    }
    FileOutputStream out = streamOf(fd);
    long written = 0;
    for (ByteBuffer piece = pieces.next(); piece != null; piece = pieces.next()) {
      int byteCount = piece.remaining();
      if (!fd.valid()) {
        throw Errno.exception("write", Errno.EBADF, Descriptors.name(fd), written);
      }
      try {
        out.write(piece.array(), piece.arrayOffset() + piece.position(), byteCount);
      } catch (IOException e) {
        throw NioFailure.ofWrite(e, Descriptors.name(fd), written);
      }
      written += byteCount;
    }
    sync(fd, plan.flush);
    return written;
  }

  /**
   * Returns a stream that writes to {@code fd}, always the same one: a FileDescriptor keeps every
   * stream that was ever made of it. Never closed: that would close the caller's descriptor.
   */
  private static FileOutputStream streamOf(FileDescriptor fd) {
    synchronized (Streams.OF_DESCRIPTORS) {
      WeakReference<FileOutputStream> known = Streams.OF_DESCRIPTORS.get(fd);
      FileOutputStream stream = known == null ? null : known.get();
      if (stream == null) {
        stream = new FileOutputStream(fd);
        Streams.OF_DESCRIPTORS.put(fd, new WeakReference<>(stream));
      }
      return stream;
    }
  }

  /** Apart, so that a first write to a path does not load it. */
  private static final class Streams {
    /** Weak on both sides, as a stream holds its descriptor and the descriptor its stream. */
    static final Map<FileDescriptor, WeakReference<FileOutputStream>> OF_DESCRIPTORS =
        new WeakHashMap<>();

    /** What has refused a sync and can't seek; guarded by {@link #OF_DESCRIPTORS}. */
    static final Set<FileDescriptor> PIPES = Collections.newSetFromMap(new WeakHashMap<>());
  }

  private static boolean isKnownPipe(FileDescriptor fd) {
    synchronized (Streams.OF_DESCRIPTORS) {
      return Streams.PIPES.contains(fd);
    }
  }

  private static void sync(FileDescriptor fd, int flush) throws IOException {
    if (flush == WritePlan.FLUSH_NONE) {
      return;
    }
    try {
      fd.sync();
    } catch (SyncFailedException e) {
      if (!fd.valid()) {
        throw Errno.exception("fsync", Errno.EBADF, Descriptors.name(fd), 0);
      }
      if (isKnownPipe(fd)) {
        return;
      }
      if (canSeek(fd)) {
        FileSystemException failure =
            new FileSystemException(Descriptors.name(fd), null, "fsync: " + e.getMessage());
        failure.initCause(e);
        throw failure;
      }
      synchronized (Streams.OF_DESCRIPTORS) {
        Streams.PIPES.add(fd); // so that it is asked once, by one more stream
      }
    }
  }

  /**
   * Tells pipes, sockets and terminals, which can't be synced, from files. Only a channel says so
   * on every JDK, and an interrupt would make it close the caller's descriptor: hence a thread that
   * nobody else knows.
   */
  private static boolean canSeek(FileDescriptor fd) {
    boolean[] answer = new boolean[1];
    Thread asking =
        new Thread(
            () -> {
              try {
                // Before JDK 21 this fails for a pipe, also for one opened to append.
                answer[0] =
                    new FileInputStream(fd).skip(0) == 0
                        && streamOf(fd).getChannel().position() >= 0;
              } catch (IOException e) {
                answer[0] = false;
              }
            },
            "files2-seek");
    asking.setDaemon(true);
    asking.start();
    boolean isInterrupted = false;
    while (asking.isAlive()) {
      try {
        asking.join();
      } catch (InterruptedException e) {
        isInterrupted = true;
      }
    }
    if (isInterrupted) {
      Thread.currentThread().interrupt();
    }
    return answer[0];
  }
}
