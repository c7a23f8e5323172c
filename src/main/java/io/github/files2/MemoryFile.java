package io.github.files2;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NonReadableChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Path;
import java.util.Objects;

/**
 * A file that is held in memory while it is worked on, in steps of any size, and written back as a
 * whole when it is flushed or closed.
 *
 * <pre>{@code
 * WriteOptions safe = WriteOptions.DEFAULT.atomic(true);
 * try (MemoryFile file = MemoryFile.open(Path.of("report.json"), "w", safe)) {
 *   file.write("[");
 *   mapper.writeValue(file.outputStream(), rows);   // closes the file
 * }
 * }</pre>
 *
 * <p>How it is opened is one of Node's flag strings:
 *
 * <ul>
 *   <li>{@code r}: the content can be read. {@code r+}: it can be changed too.
 *   <li>{@code w}, {@code w+}: it begins empty. The file itself is untouched until {@link #flush}
 *       or {@link #close}, which write it even where nothing was written here, and are the first to
 *       tell that its folder is missing.
 *   <li>{@code wx}, {@code wx+}, {@code ax}, {@code ax+}: the empty file is created at once, and
 *       must not be there yet; {@link #discard} removes it.
 *   <li>{@code a}, {@code a+}: each write goes to the end. Only what was written since the open, or
 *       the last write-back, goes out, with {@code O_APPEND}: what others have appended meanwhile
 *       stays, before it. A missing file is created when it is written back. {@code a+} can be read
 *       from its start; {@code a} does not read the file, and a write-back frees its memory.
 *   <li>With an {@code s} the write-back is made with {@code O_SYNC}.
 * </ul>
 *
 * <p>Without a {@code +} the file can only be read ({@code r}), or only be written. The content is
 * read at the open, whole; {@code r+} and {@code a+} refuse what is no regular file. Such a thing
 * (a pipe, a device) can be opened with {@code w} and {@code a}; with {@code w} each write-back
 * that has something to write writes all.
 *
 * <p><b>Writing back</b> obeys the {@link WriteOptions} as any write: {@code flush}, {@code
 * atomic}, {@code mode}, {@code overwrite}, {@code onlyIfChanged}, {@code createParents}. Nothing
 * is written where nothing was changed. If the device, the inode, the size or the time of the last
 * change of the file is no longer what it was at the open or the last write-back, it is refused, so
 * that the work of another is not lost; not with {@code a}. The check and the write are two steps:
 * it does not see a writer who comes between them, nor one who changes the content within the
 * resolution of the file system's clock.
 *
 * <p><b>Size.</b> The size is what was written, or cut, and nothing else: memory beyond it can't be
 * read and is not written back. A write past the end leaves a gap of zeros, which takes no memory
 * where it spans blocks; a write of no bytes changes nothing, wherever the position is. A write
 * beyond {@code maxBytes} is a {@link java.nio.file.FileSystemException} (EFBIG), and so is a write
 * or an open for which there is too little memory (ENOMEM), or an {@link OutOfMemoryError} where
 * there is not even enough to say so; they change nothing.
 *
 * <p><b>Memory.</b> Bytes lie in blocks of 4 KiB, 8 KiB and so on up to 128 KiB, and are never
 * copied when the file grows, so a byte costs the same however large the file is. A file takes at
 * most twice its size plus 4 KiB, and at most its size plus 128 KiB, and 16 bytes for each 128 KiB
 * to find them by; once text was written, 30 KiB more. Writing back takes up to 1 MiB more for its
 * time, not a copy of the file. Closing gives all of it back.
 *
 * <p>Not safe for use by many threads; use one each. A program that ends without closing the file
 * loses what was not written back.
 */
public final class MemoryFile implements SeekableByteChannel {
  /** Room to encode text in, in bytes. */
  private static final int TEXT_PIECE_BYTES = 8 * 1024;

  private final MemoryTarget target;
  private final WritePlan options;
  private final long maxBytes;

  /** Where the blocks begin in the file: more than 0 only where appends need not be read. */
  private long start;

  private MemoryBlocks blocks;
  private long position;

  /** Where the bytes begin that are to be appended to the file. */
  private long appendedFrom;

  private boolean isChanged;
  private boolean isOpen = true;

  /** Made at the first text. */
  private Scratch scratch;

  private ByteBuffer piece;

  private MemoryFile(MemoryTarget target, WritePlan options, long maxBytes) throws IOException {
    this.target = target;
    this.options = options;
    this.maxBytes = maxBytes;
    this.isChanged = target.isChangedByOpen();
    if (target.appends() && !target.isReadable()) {
      start = target.size();
      position = start;
    }
    if (start > maxBytes) {
      throw tooLarge("open", start);
    }
    blocks = new MemoryBlocks(maxBytes - start);
    if (target.keepsContent()) {
      read();
    }
    appendedFrom = size();
  }

  /**
   * Opens {@code file} with the default options.
   *
   * @param file the file; a symbolic link is followed
   * @param flags one of Node's flag strings, see {@link WriteOptions#flag}; {@code null} is {@code
   *     "r"}
   * @return the file
   * @throws IllegalArgumentException if {@code flags} is no flag string
   * @throws java.nio.file.FileSystemException if the file can't be opened, read or, with an {@code
   *     x}, created
   * @throws IOException the declared type; only the above are thrown
   */
  public static MemoryFile open(Path file, String flags) throws IOException {
    return open(file, flags, WriteOptions.DEFAULT);
  }

  /**
   * Opens {@code file} to be written back as {@code options} say.
   *
   * @param file the file
   * @param flags one of Node's flag strings, or {@code null} for {@code "r"}; a flag in the options
   *     has no effect
   * @param options how texts are encoded and how the file is written back
   * @return the file
   * @throws IllegalArgumentException if {@code flags} is no flag string, or the options contradict
   *     it: {@code a} can't be atomic
   * @throws IOException as in {@link #open(Path, String)}
   */
  public static MemoryFile open(Path file, String flags, WriteOptions options) throws IOException {
    return open(file, flags, options, Long.MAX_VALUE);
  }

  /**
   * Opens {@code file}, which never becomes larger than {@code maxBytes}.
   *
   * @param file the file
   * @param flags one of Node's flag strings, or {@code null} for {@code "r"}
   * @param options how texts are encoded and how the file is written back
   * @param maxBytes the largest size, in bytes; also of what is there already
   * @return the file
   * @throws IllegalArgumentException also if {@code maxBytes} is negative
   * @throws IOException as in {@link #open(Path, String)}
   */
  public static MemoryFile open(Path file, String flags, WriteOptions options, long maxBytes)
      throws IOException {
    Objects.requireNonNull(file, "file");
    Objects.requireNonNull(options, "options");
    if (maxBytes < 0) {
      throw new IllegalArgumentException("maxBytes " + maxBytes + " is negative");
    }
    int openFlags = flags == null ? OpenFlags.RDONLY : OpenFlags.parse(flags);
    WritePlan plan = options.writePlan();
    return new MemoryFile(new MemoryTarget(file, openFlags, plan), plan, maxBytes);
  }

  private void read() throws IOException {
    try {
      if (!target.readInto(blocks)) {
        throw tooLarge("read", Math.max(target.size(), blocks.size() + 1));
      }
    } catch (OutOfMemoryError e) {
      blocks.drop();
      IOException failure = noMemory("read", target.size(), e);
      target.removeAfter(failure);
      throw failure;
    } catch (IOException | RuntimeException e) {
      target.removeAfter(e);
      throw e;
    }
  }

  // --- Refusals

  private void checkOpen() throws ClosedChannelException {
    if (!isOpen) {
      throw new ClosedChannelException();
    }
  }

  private void checkReadable() throws ClosedChannelException {
    checkOpen();
    if (!target.isReadable()) {
      throw new NonReadableChannelException();
    }
  }

  private void checkWritable() throws ClosedChannelException {
    checkOpen();
    if (!target.isWritable()) {
      throw new NonWritableChannelException();
    }
  }

  private IOException tooLarge(String operation, long byteCount) {
    String limit = maxBytes == Long.MAX_VALUE ? "can be held" : "maxBytes " + maxBytes + " allows";
    return refusal(operation, Errno.EFBIG, byteCount + " bytes are more than " + limit);
  }

  private IOException noMemory(String operation, long byteCount, OutOfMemoryError cause) {
    IOException e = refusal(operation, Errno.ENOMEM, "no memory for " + byteCount + " bytes more");
    e.initCause(cause);
    return e;
  }

  private IOException refusal(String operation, int errno, String detail) {
    String reason = operation + ": " + Errno.describe(errno) + ": " + detail;
    return Errno.ofKind(errno, target.toString(), reason + "; nothing was changed");
  }

  // --- Writing

  /**
   * Makes room for {@code byteCount} bytes, at least 1, where the next write goes.
   *
   * @return that place in the blocks
   */
  private long makeRoom(long byteCount) throws IOException {
    long offset = target.appends() ? blocks.size() : position;
    if (byteCount > blocks.limit() - offset) {
      long size = start + offset;
      throw tooLarge("write", size > Long.MAX_VALUE - byteCount ? size : size + byteCount);
    }
    try {
      blocks.reserve(offset, byteCount);
    } catch (OutOfMemoryError e) {
      throw noMemory("write", byteCount, e);
    }
    return offset;
  }

  /** Notes that the bytes before {@code end} in the blocks were written. */
  private void moveTo(long end) {
    position = start + end;
    isChanged = true;
  }

  /**
   * Writes all that remains in {@code source} at the position, or at the end of a file that was
   * opened to append. Afterwards the position is behind what was written.
   *
   * @param source the bytes
   * @return the number of bytes written: all
   * @throws NonWritableChannelException if the file was opened with {@code r}
   * @throws ClosedChannelException if it is closed
   * @throws java.nio.file.FileSystemException if {@code maxBytes} or the memory does not suffice;
   *     nothing has changed
   * @throws IOException the declared type; only the above are thrown
   */
  @Override
  public int write(ByteBuffer source) throws IOException {
    checkWritable();
    int byteCount = source.remaining();
    if (byteCount > 0) {
      long offset = makeRoom(byteCount);
      blocks.write(offset, source);
      moveTo(offset + byteCount);
    }
    return byteCount;
  }

  void write(byte value) throws IOException {
    checkWritable();
    long offset = makeRoom(1);
    blocks.write(offset, value);
    moveTo(offset + 1);
  }

  /**
   * Writes {@code text} in the encoding of the options, as {@link #write(ByteBuffer)} writes bytes.
   * Each call is a text of its own: a surrogate pair or a base64 group that is cut between two
   * calls is two broken ones. A byte order mark comes only before the first byte of an empty file.
   *
   * @param text the text; what is no {@code String} is copied once
   * @return the number of bytes written
   * @throws MalformedTextException if the options report malformed text and this is; nothing has
   *     changed
   * @throws IOException as in {@link #write(ByteBuffer)}
   */
  public long write(CharSequence text) throws IOException {
    checkWritable();
    if (scratch == null) {
      scratch = new Scratch(Scratch.CHARS);
      piece = ByteBuffer.allocate(TEXT_PIECE_BYTES);
    }
    TextSource source = TextSource.of(text.toString(), options, scratch);
    boolean isAtStart = size() == 0 && (target.appends() || position == 0);
    if (source instanceof CharsetSource charsetSource && !isAtStart) {
      charsetSource.continueFile();
    }
    if (source.maxBytes() + Source.MIN_TARGET_BYTES <= TEXT_PIECE_BYTES) {
      source.fill(piece.clear());
      return write(piece.flip());
    }
    long byteCount = source.countBytes();
    if (byteCount > 0) {
      long offset = makeRoom(byteCount);
      encode(source, offset);
      moveTo(offset + byteCount);
    }
    return byteCount;
  }

  private void encode(TextSource source, long offset) {
    long at = offset;
    boolean hasEnded;
    do {
      hasEnded = source.fill(piece.clear());
      int byteCount = piece.flip().remaining();
      blocks.write(at, piece);
      at += byteCount;
    } while (!hasEnded);
  }

  /**
   * Returns a stream that writes as {@link #write(ByteBuffer)}, at the position that this file has
   * by then. Closing it closes this file. Its {@code flush()} does nothing, since those who write
   * to streams call it often: {@link #flush()} writes back.
   *
   * @return the stream
   * @throws NonWritableChannelException if the file was opened with {@code r}
   */
  public OutputStream outputStream() {
    if (!target.isWritable()) {
      throw new NonWritableChannelException();
    }
    return new MemoryOutputStream(this);
  }

  // --- The rest of the channel

  /**
   * Reads from the position on, up to the end of the file.
   *
   * @param destination where to put the bytes
   * @return how many were read, -1 at the end and beyond; 0 where there is no room
   * @throws IllegalArgumentException if {@code destination} is read-only
   * @throws NonReadableChannelException if the file was opened with flags that allow no reading
   * @throws ClosedChannelException if it is closed
   * @throws IOException the declared type; only the above is thrown
   */
  @Override
  public int read(ByteBuffer destination) throws IOException {
    checkReadable();
    if (destination.isReadOnly()) {
      throw new IllegalArgumentException("a read-only buffer can't be read into");
    }
    if (!destination.hasRemaining()) {
      return 0;
    }
    if (position >= size()) {
      return -1;
    }
    int byteCount = blocks.read(position, destination);
    position += byteCount;
    return byteCount;
  }

  /**
   * Returns the position. It is 0 at first, but for a file that was opened with {@code a}: there it
   * is the end.
   *
   * @return the position, in bytes from the start
   * @throws ClosedChannelException if the file is closed
   */
  @Override
  public long position() throws ClosedChannelException {
    checkOpen();
    return position;
  }

  /**
   * Sets the position. Beyond the end is allowed: the file grows when something is written there.
   *
   * @param newPosition the position, in bytes from the start
   * @return this file
   * @throws IllegalArgumentException if {@code newPosition} is negative
   * @throws ClosedChannelException if the file is closed
   */
  @Override
  public MemoryFile position(long newPosition) throws ClosedChannelException {
    checkOpen();
    if (newPosition < 0) {
      throw new IllegalArgumentException("position " + newPosition + " is negative");
    }
    position = newPosition;
    return this;
  }

  /**
   * Returns the size. For a file that is appended to it is the size at the open and what was
   * written since; what others append meanwhile does not count.
   *
   * @return the size, in bytes
   * @throws ClosedChannelException if the file is closed
   */
  @Override
  public long size() throws ClosedChannelException {
    checkOpen();
    return endOffset();
  }

  private long endOffset() {
    return start + blocks.size();
  }

  /**
   * Cuts the file to {@code size} bytes, if it is longer. A position beyond becomes {@code size}.
   *
   * @param size the new size, in bytes
   * @return this file
   * @throws IllegalArgumentException if {@code size} is negative
   * @throws NonWritableChannelException if the file was opened with {@code r}
   * @throws ClosedChannelException if it is closed
   * @throws java.nio.file.FileSystemException if it was opened to append, and {@code size} would
   *     cut what is in the file already
   * @throws IOException the declared type; only the above are thrown
   */
  @Override
  public MemoryFile truncate(long size) throws IOException {
    checkWritable();
    if (size < 0) {
      throw new IllegalArgumentException("size " + size + " is negative");
    }
    if (size < endOffset()) {
      if (target.appends() && size < appendedFrom) {
        throw refusal(
            "truncate",
            Errno.EPERM,
            "opened to append, and the first " + appendedFrom + " bytes are in the file already");
      }
      blocks.truncate(size - start);
      isChanged = true;
    }
    position = Math.min(position, size);
    return this;
  }

  /** Tells whether the file is open. */
  @Override
  public boolean isOpen() {
    return isOpen;
  }

  // --- Writing back

  /**
   * Writes the file back, if it was changed. After a failure it is open and still changed, and a
   * later call tries again: of what was to be appended only the bytes that had not been written,
   * where the failure tells.
   *
   * @throws ClosedChannelException if the file is closed
   * @throws PartialWriteException if the write failed after some bytes
   * @throws java.nio.file.FileSystemException if another has changed the file since it was opened,
   *     or anything else fails
   * @throws IOException the declared type; only the above are thrown
   */
  public void flush() throws IOException {
    checkOpen();
    if (isChanged) {
      writeBack();
    }
  }

  private void writeBack() throws IOException {
    if (target.appends()) {
      append();
    } else {
      target.write(new MemorySource(blocks, 0));
    }
    isChanged = false;
  }

  private void append() throws IOException {
    long byteCount = endOffset() - appendedFrom;
    try {
      target.write(new MemorySource(blocks, appendedFrom - start));
    } catch (IOException e) {
      appendedFrom += MemoryTarget.appendedBefore(e, byteCount);
      throw e;
    }
    appendedFrom += byteCount;
    if (!target.isReadable()) {
      start = appendedFrom;
      blocks.truncate(0);
      blocks = new MemoryBlocks(maxBytes - start);
    }
  }

  /**
   * Writes the file back, if it was changed, and closes it. It is closed also when this throws, and
   * what was not written is lost then; with {@code atomic} the file keeps its old content. To be
   * able to try again, {@link #flush} first. Closing again does nothing.
   *
   * @throws IOException as in {@link #flush}
   */
  @Override
  public void close() throws IOException {
    if (!isOpen) {
      return;
    }
    isOpen = false;
    try {
      if (isChanged) {
        writeBack();
      }
    } finally {
      giveMemoryBack();
    }
  }

  private void giveMemoryBack() {
    blocks.truncate(0);
    blocks = new MemoryBlocks(0); // the list that finds the blocks is memory, too
    scratch = null;
    piece = null;
  }

  /**
   * Closes the file without writing it back. The empty file that an {@code x} has created is
   * removed, unless it was written back already or another has written to it. Does nothing where
   * the file is closed.
   *
   * @throws java.nio.file.FileSystemException if the file can't be removed; it is closed all the
   *     same
   * @throws IOException the declared type; only the above is thrown
   */
  public void discard() throws IOException {
    if (isOpen) {
      isOpen = false;
      giveMemoryBack();
      target.discard();
    }
  }
}
