package io.github.files2;

import java.io.FileDescriptor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Objects;

/**
 * Writes text and bytes to files.
 *
 * <pre>{@code
 * long bytes = Files2.writeStringSync(Path.of("state.json"), "{\"ok\": true}");
 * Files2.appendStringSync(Path.of("log"), "started\n", WriteOptions.DEFAULT.flush(true));
 * Files2.writeString(Path.of("notes"), "as Files.writeString", StandardOpenOption.CREATE_NEW);
 * }</pre>
 *
 * <p>Two families. The methods that end in {@code Sync} behave as Node's {@code fs.*Sync} do: the
 * same bytes, flags, encodings and defaults; they return the number of bytes written. {@link
 * #writeString} and {@link #write} behave as the methods of {@link java.nio.file.Files} do.
 *
 * <p>A lane is a way to reach the kernel: {@code shim} (a small C library) and {@code libc} (system
 * calls through JNA) are the native ones, {@code nio} is the JDK, which a program begins on. The
 * lanes differ in what they promise; the package description has the contract.
 *
 * <p>All methods refuse {@code null} with a {@link NullPointerException}, and bad arguments before
 * any file is touched. A {@link CharSequence} that is no {@code String} is copied once. Safe for
 * use by many threads.
 */
public final class Files2 {
  private Files2() {}

  // --- Text to a path

  /**
   * Writes {@code data} as UTF-8 to {@code file}, creating or replacing it. A lone surrogate
   * becomes U+FFFD. On return the bytes are in the page cache, not on disk; see {@link
   * WriteOptions#flush(boolean)}.
   *
   * @param file the file; a symbolic link is followed
   * @param data the text
   * @return the number of bytes written
   * @throws PartialWriteException if the write failed after some bytes
   * @throws java.nio.file.FileSystemException if anything else fails; a missing folder is a {@link
   *     java.nio.file.NoSuchFileException}
   * @throws IOException the declared type; only the above are thrown
   */
  public static long writeStringSync(Path file, CharSequence data) throws IOException {
    return writeStringSync(file, data, WriteOptions.DEFAULT);
  }

  /**
   * Writes {@code data} as UTF-8 to {@code file}, opened as {@code flags} say.
   *
   * @param file the file
   * @param data the text
   * @param flags one of Node's flag strings, see {@link WriteOptions#flag}; {@code null} is {@code
   *     "w"}
   * @return the number of bytes written
   * @throws IllegalArgumentException if {@code flags} is no flag string
   * @throws IOException as in {@link #writeStringSync(Path, CharSequence)}
   */
  public static long writeStringSync(Path file, CharSequence data, String flags)
      throws IOException {
    return writeStringSync(file, data, withFlags(flags));
  }

  /**
   * Writes {@code data} to {@code file} as {@code options} say.
   *
   * @param file the file
   * @param data the text
   * @param options the options
   * @return the number of bytes written
   * @throws MalformedTextException if the options report malformed text and this is; the file is
   *     untouched
   * @throws IOException as in {@link #writeStringSync(Path, CharSequence)}
   */
  public static long writeStringSync(Path file, CharSequence data, WriteOptions options)
      throws IOException {
    Objects.requireNonNull(options, "options");
    return writeText(file, data, options.writePlan());
  }

  /**
   * Appends {@code data} as UTF-8 to {@code file}, creating it if need be. Up to 1 MiB goes out in
   * one {@code write(2)} on every lane, so that appends to one local file don't interleave.
   *
   * @param file the file
   * @param data the text
   * @return the number of bytes written
   * @throws IOException as in {@link #writeStringSync(Path, CharSequence)}
   */
  public static long appendStringSync(Path file, CharSequence data) throws IOException {
    return appendStringSync(file, data, WriteOptions.DEFAULT);
  }

  /**
   * Appends {@code data} to {@code file} as {@code options} say. A flag that is set wins: {@code w}
   * really truncates.
   *
   * @param file the file
   * @param data the text
   * @param options the options
   * @return the number of bytes written
   * @throws IOException as in {@link #writeStringSync(Path, CharSequence, WriteOptions)}
   */
  public static long appendStringSync(Path file, CharSequence data, WriteOptions options)
      throws IOException {
    Objects.requireNonNull(options, "options");
    return writeText(file, data, options.appendPlan());
  }

  private static WriteOptions withFlags(String flags) {
    return flags == null ? WriteOptions.DEFAULT : WriteOptions.DEFAULT.flag(flags);
  }

  private static long writeText(Path file, CharSequence data, WritePlan plan) throws IOException {
    Objects.requireNonNull(file, "file");
    String text = Objects.requireNonNull(data, "data").toString();
    plan.checkForPath();
    Backend backend =
        plan.encoding.isCharset() && !plan.isAtomic() ? Backends.nio() : laneFor(file, plan);
    long from = plan.encoding.isCharset() ? 0 : Backends.rentFrom(); // no lane is faster at it
    try {
      return backend.writeText(file, text, plan);
    } catch (NoSuchFileException e) {
      Parents.make(file, plan, e);
      return backend.writeText(file, text, plan);
    } finally {
      Backends.payRent(from);
    }
  }

  /** Returns the lane for {@code file}: what the JDK can't do is worth a wait. */
  private static Backend laneFor(Path file, WritePlan plan) {
    return plan.mode > 0777 || plan.isAtomic()
        ? Backends.preparedForPath(file)
        : Backends.forPath(file);
  }

  // --- Text to something open

  /**
   * Writes {@code data} as UTF-8 to the descriptor, at its current position. It is neither
   * truncated nor closed. Empty text does nothing, whatever the descriptor.
   *
   * @param fd a descriptor, from {@link #openSync(Path, String)} or from elsewhere
   * @param data the text
   * @return the number of bytes written
   * @throws IllegalArgumentException if {@code fd} is negative
   * @throws java.nio.file.FileSystemException if the write fails, with EBADF for a closed one
   * @throws IOException the declared type; only the above are thrown
   */
  public static long writeStringSync(int fd, CharSequence data) throws IOException {
    return writeStringSync(fd, data, WriteOptions.DEFAULT);
  }

  /**
   * Writes {@code data} as UTF-8 to the descriptor. The flags are checked but have no effect, as in
   * Node.
   *
   * @param fd the descriptor
   * @param data the text
   * @param flags one of Node's flag strings, or {@code null}
   * @return the number of bytes written
   * @throws IllegalArgumentException if {@code flags} is no flag string, or {@code fd} is negative
   * @throws IOException as in {@link #writeStringSync(int, CharSequence)}
   */
  public static long writeStringSync(int fd, CharSequence data, String flags) throws IOException {
    return writeStringSync(fd, data, withFlags(flags));
  }

  /**
   * Writes {@code data} to the descriptor in the encoding of {@code options}, and syncs it as they
   * say. Their flag and mode have no effect.
   *
   * @param fd the descriptor
   * @param data the text
   * @param options the options
   * @return the number of bytes written
   * @throws IOException as in {@link #writeStringSync(int, CharSequence)}
   */
  public static long writeStringSync(int fd, CharSequence data, WriteOptions options)
      throws IOException {
    String text = Objects.requireNonNull(data, "data").toString();
    WritePlan plan = Objects.requireNonNull(options, "options").writePlan().forOpen();
    Backend backend = Backends.forDescriptor(checkFd(fd));
    return plan.encoding.isCharset()
        ? CharsetWriter.write(backend, fd, text, plan)
        : backend.writeText(fd, text, plan);
  }

  /**
   * Does what {@link #writeStringSync(int, CharSequence)} does: the descriptor's own mode decides
   * where the text goes.
   *
   * @param fd the descriptor
   * @param data the text
   * @return the number of bytes written
   * @throws IOException as in {@link #writeStringSync(int, CharSequence)}
   */
  public static long appendStringSync(int fd, CharSequence data) throws IOException {
    return writeStringSync(fd, data);
  }

  /**
   * Does what {@link #writeStringSync(int, CharSequence, WriteOptions)} does: the descriptor's own
   * mode decides where the text goes.
   *
   * @param fd the descriptor
   * @param data the text
   * @param options the options
   * @return the number of bytes written
   * @throws IOException as in {@link #writeStringSync(int, CharSequence)}
   */
  public static long appendStringSync(int fd, CharSequence data, WriteOptions options)
      throws IOException {
    return writeStringSync(fd, data, options);
  }

  private static int checkFd(int fd) {
    if (fd < 0) {
      throw new IllegalArgumentException("fd " + fd + " is negative");
    }
    return fd;
  }

  /**
   * Writes {@code data} as UTF-8 to a descriptor of the JVM, at its current position; never closes
   * it.
   *
   * @param fd the descriptor, as in {@link FileDescriptor#out}
   * @param data the text
   * @return the number of bytes written
   * @throws java.nio.file.FileSystemException if the write fails, with EBADF for a closed one
   * @throws IOException the declared type; only the above are thrown
   */
  public static long writeStringSync(FileDescriptor fd, CharSequence data) throws IOException {
    return writeStringSync(fd, data, WriteOptions.DEFAULT);
  }

  /**
   * Writes {@code data} to a descriptor of the JVM in the encoding of {@code options}, and syncs it
   * as they say. Their flag and mode have no effect.
   *
   * @param fd the descriptor
   * @param data the text
   * @param options the options
   * @return the number of bytes written
   * @throws IOException as in {@link #writeStringSync(FileDescriptor, CharSequence)}
   */
  public static long writeStringSync(FileDescriptor fd, CharSequence data, WriteOptions options)
      throws IOException {
    Objects.requireNonNull(fd, "fd");
    String text = Objects.requireNonNull(data, "data").toString();
    WritePlan plan = Objects.requireNonNull(options, "options").writePlan().forOpen();
    Backend backend = plan.encoding.isCharset() ? Backends.nio() : Backends.current();
    return backend.writeText(fd, text, plan);
  }

  /**
   * Does what {@link #writeStringSync(FileDescriptor, CharSequence)} does: the descriptor's own
   * mode decides where the text goes.
   *
   * @param fd the descriptor
   * @param data the text
   * @return the number of bytes written
   * @throws IOException as in {@link #writeStringSync(FileDescriptor, CharSequence)}
   */
  public static long appendStringSync(FileDescriptor fd, CharSequence data) throws IOException {
    return writeStringSync(fd, data);
  }

  /**
   * Does what {@link #writeStringSync(FileDescriptor, CharSequence, WriteOptions)} does: the
   * descriptor's own mode decides where the text goes.
   *
   * @param fd the descriptor
   * @param data the text
   * @param options the options
   * @return the number of bytes written
   * @throws IOException as in {@link #writeStringSync(FileDescriptor, CharSequence)}
   */
  public static long appendStringSync(FileDescriptor fd, CharSequence data, WriteOptions options)
      throws IOException {
    return writeStringSync(fd, data, options);
  }

  /**
   * Writes {@code data} as UTF-8 to a channel, by the channel's own rules for positions, interrupts
   * and closing; never closes it.
   *
   * @param channel the channel
   * @param data the text
   * @return the number of bytes written
   * @throws java.nio.channels.IllegalBlockingModeException if the channel is in non-blocking mode
   * @throws IOException if the channel fails
   */
  public static long writeStringSync(WritableByteChannel channel, CharSequence data)
      throws IOException {
    return writeStringSync(channel, data, WriteOptions.DEFAULT);
  }

  /**
   * Writes {@code data} to a channel in the encoding of {@code options}; a {@link
   * java.nio.channels.FileChannel} is synced as they say. Their flag and mode have no effect.
   *
   * @param channel the channel
   * @param data the text
   * @param options the options
   * @return the number of bytes written
   * @throws java.nio.channels.IllegalBlockingModeException if the channel is in non-blocking mode
   * @throws IOException if the channel fails
   */
  public static long writeStringSync(
      WritableByteChannel channel, CharSequence data, WriteOptions options) throws IOException {
    Objects.requireNonNull(channel, "channel");
    String text = Objects.requireNonNull(data, "data").toString();
    return ChannelWriter.write(
        channel, text, Objects.requireNonNull(options, "options").writePlan().forOpen());
  }

  // --- Bytes

  /**
   * Writes {@code data} to {@code file}, creating or replacing it.
   *
   * @param file the file
   * @param data the bytes
   * @return the number of bytes written
   * @throws IOException as in {@link #writeStringSync(Path, CharSequence)}
   */
  public static long writeBytesSync(Path file, byte[] data) throws IOException {
    return writeBytesSync(file, data, WriteOptions.DEFAULT);
  }

  /**
   * Writes {@code data} to {@code file} as {@code options} say; their encoding has no effect.
   *
   * @param file the file
   * @param data the bytes
   * @param options the options
   * @return the number of bytes written
   * @throws IOException as in {@link #writeStringSync(Path, CharSequence)}
   */
  public static long writeBytesSync(Path file, byte[] data, WriteOptions options)
      throws IOException {
    return writeBytesSync(file, wrap(data), options);
  }

  /**
   * Writes what remains in {@code data} to {@code file}, creating or replacing it. The buffer's
   * position advances by what was written when the call returns or throws {@link
   * PartialWriteException}; else it stays.
   *
   * @param file the file
   * @param data the bytes
   * @return the number of bytes written
   * @throws IOException as in {@link #writeStringSync(Path, CharSequence)}
   */
  public static long writeBytesSync(Path file, ByteBuffer data) throws IOException {
    return writeBytesSync(file, data, WriteOptions.DEFAULT);
  }

  /**
   * Writes what remains in {@code data} to {@code file} as {@code options} say; their encoding has
   * no effect. The buffer's position advances by what was written when the call returns or throws
   * {@link PartialWriteException}; else it stays.
   *
   * @param file the file
   * @param data the bytes
   * @param options the options
   * @return the number of bytes written
   * @throws IOException as in {@link #writeStringSync(Path, CharSequence)}
   */
  public static long writeBytesSync(Path file, ByteBuffer data, WriteOptions options)
      throws IOException {
    return writeBytes(file, data, Objects.requireNonNull(options, "options").writePlan());
  }

  /**
   * Appends {@code data} to {@code file}, creating it if need be. Up to 1 MiB goes out in one
   * {@code write(2)}.
   *
   * @param file the file
   * @param data the bytes
   * @return the number of bytes written
   * @throws IOException as in {@link #writeStringSync(Path, CharSequence)}
   */
  public static long appendBytesSync(Path file, byte[] data) throws IOException {
    return appendBytesSync(file, data, WriteOptions.DEFAULT);
  }

  /**
   * Appends {@code data} to {@code file} as {@code options} say. A flag that is set wins.
   *
   * @param file the file
   * @param data the bytes
   * @param options the options
   * @return the number of bytes written
   * @throws IOException as in {@link #writeStringSync(Path, CharSequence)}
   */
  public static long appendBytesSync(Path file, byte[] data, WriteOptions options)
      throws IOException {
    return appendBytesSync(file, wrap(data), options);
  }

  /**
   * Appends what remains in {@code data} to {@code file}. The buffer's position advances by what
   * was written when the call returns or throws {@link PartialWriteException}; else it stays.
   *
   * @param file the file
   * @param data the bytes
   * @return the number of bytes written
   * @throws IOException as in {@link #writeStringSync(Path, CharSequence)}
   */
  public static long appendBytesSync(Path file, ByteBuffer data) throws IOException {
    return appendBytesSync(file, data, WriteOptions.DEFAULT);
  }

  /**
   * Appends what remains in {@code data} to {@code file} as {@code options} say. A flag that is set
   * wins. The buffer's position advances by what was written when the call returns or throws {@link
   * PartialWriteException}; else it stays.
   *
   * @param file the file
   * @param data the bytes
   * @param options the options
   * @return the number of bytes written
   * @throws IOException as in {@link #writeStringSync(Path, CharSequence)}
   */
  public static long appendBytesSync(Path file, ByteBuffer data, WriteOptions options)
      throws IOException {
    return writeBytes(file, data, Objects.requireNonNull(options, "options").appendPlan());
  }

  private static ByteBuffer wrap(byte[] data) {
    return ByteBuffer.wrap(Objects.requireNonNull(data, "data"));
  }

  private static long writeBytes(Path file, ByteBuffer data, WritePlan plan) throws IOException {
    Objects.requireNonNull(file, "file");
    Objects.requireNonNull(data, "data");
    plan.checkForPath();
    Backend backend = laneFor(file, plan);
    long from = Backends.rentFrom();
    try {
      return BytesWriter.write(backend, file, data, plan);
    } catch (NoSuchFileException e) {
      Parents.make(file, plan, e);
      return BytesWriter.write(backend, file, data, plan);
    } finally {
      Backends.payRent(from);
    }
  }

  /** Writes what a {@link MemoryFile} holds; {@code plan} is checked already. */
  static long writeMemory(Path file, MemorySource data, WritePlan plan) throws IOException {
    Backend backend = laneFor(file, plan);
    long from = Backends.rentFrom();
    try {
      return backend.writeMemory(file, data, plan);
    } catch (NoSuchFileException e) {
      Parents.make(file, plan, e);
      return backend.writeMemory(file, data, plan);
    } finally {
      Backends.payRent(from);
    }
  }

  /**
   * Writes {@code data} to the descriptor, at its current position.
   *
   * @param fd the descriptor
   * @param data the bytes
   * @return the number of bytes written
   * @throws IOException as in {@link #writeStringSync(int, CharSequence)}
   */
  public static long writeBytesSync(int fd, byte[] data) throws IOException {
    return writeBytesSync(fd, wrap(data), WriteOptions.DEFAULT);
  }

  /**
   * Writes {@code data} to the descriptor and syncs it as {@code options} say.
   *
   * @param fd the descriptor
   * @param data the bytes
   * @param options the options
   * @return the number of bytes written
   * @throws IOException as in {@link #writeStringSync(int, CharSequence)}
   */
  public static long writeBytesSync(int fd, byte[] data, WriteOptions options) throws IOException {
    return writeBytesSync(fd, wrap(data), options);
  }

  /**
   * Writes what remains in {@code data} to the descriptor. The buffer's position advances by what
   * was written when the call returns or throws {@link PartialWriteException}; else it stays.
   *
   * @param fd the descriptor
   * @param data the bytes
   * @return the number of bytes written
   * @throws IOException as in {@link #writeStringSync(int, CharSequence)}
   */
  public static long writeBytesSync(int fd, ByteBuffer data) throws IOException {
    return writeBytesSync(fd, data, WriteOptions.DEFAULT);
  }

  /**
   * Writes what remains in {@code data} to the descriptor and syncs it as {@code options} say. The
   * buffer's position advances by what was written when the call returns or throws {@link
   * PartialWriteException}; else it stays.
   *
   * @param fd the descriptor
   * @param data the bytes
   * @param options the options
   * @return the number of bytes written
   * @throws IOException as in {@link #writeStringSync(int, CharSequence)}
   */
  public static long writeBytesSync(int fd, ByteBuffer data, WriteOptions options)
      throws IOException {
    Objects.requireNonNull(data, "data");
    WritePlan plan = Objects.requireNonNull(options, "options").writePlan().forOpen();
    return BytesWriter.write(Backends.forDescriptor(checkFd(fd)), fd, data, plan);
  }

  /**
   * Writes {@code data} to a descriptor of the JVM, at its current position.
   *
   * @param fd the descriptor
   * @param data the bytes
   * @return the number of bytes written
   * @throws IOException as in {@link #writeStringSync(FileDescriptor, CharSequence)}
   */
  public static long writeBytesSync(FileDescriptor fd, byte[] data) throws IOException {
    return writeBytesSync(fd, wrap(data), WriteOptions.DEFAULT);
  }

  /**
   * Writes {@code data} to a descriptor of the JVM and syncs it as {@code options} say.
   *
   * @param fd the descriptor
   * @param data the bytes
   * @param options the options
   * @return the number of bytes written
   * @throws IOException as in {@link #writeStringSync(FileDescriptor, CharSequence)}
   */
  public static long writeBytesSync(FileDescriptor fd, byte[] data, WriteOptions options)
      throws IOException {
    return writeBytesSync(fd, wrap(data), options);
  }

  /**
   * Writes what remains in {@code data} to a descriptor of the JVM. The buffer's position advances
   * by what was written when the call returns or throws {@link PartialWriteException}; else it
   * stays.
   *
   * @param fd the descriptor
   * @param data the bytes
   * @return the number of bytes written
   * @throws IOException as in {@link #writeStringSync(FileDescriptor, CharSequence)}
   */
  public static long writeBytesSync(FileDescriptor fd, ByteBuffer data) throws IOException {
    return writeBytesSync(fd, data, WriteOptions.DEFAULT);
  }

  /**
   * Writes what remains in {@code data} to a descriptor of the JVM and syncs it as {@code options}
   * say. The buffer's position advances by what was written when the call returns or throws {@link
   * PartialWriteException}; else it stays.
   *
   * @param fd the descriptor
   * @param data the bytes
   * @param options the options
   * @return the number of bytes written
   * @throws IOException as in {@link #writeStringSync(FileDescriptor, CharSequence)}
   */
  public static long writeBytesSync(FileDescriptor fd, ByteBuffer data, WriteOptions options)
      throws IOException {
    Objects.requireNonNull(fd, "fd");
    Objects.requireNonNull(data, "data");
    WritePlan plan = Objects.requireNonNull(options, "options").writePlan().forOpen();
    return BytesWriter.write(Backends.current(), fd, data, plan);
  }

  /**
   * Does what {@link #writeBytesSync(int, byte[])} does: the descriptor's own mode decides where
   * the bytes go.
   *
   * @param fd the descriptor
   * @param data the bytes
   * @return the number of bytes written
   * @throws IOException as in {@link #writeStringSync(int, CharSequence)}
   */
  public static long appendBytesSync(int fd, byte[] data) throws IOException {
    return writeBytesSync(fd, data);
  }

  /**
   * Does what {@link #writeBytesSync(int, byte[], WriteOptions)} does: the descriptor's own mode
   * decides where the bytes go.
   *
   * @param fd the descriptor
   * @param data the bytes
   * @param options the options
   * @return the number of bytes written
   * @throws IOException as in {@link #writeStringSync(int, CharSequence)}
   */
  public static long appendBytesSync(int fd, byte[] data, WriteOptions options) throws IOException {
    return writeBytesSync(fd, data, options);
  }

  /**
   * Does what {@link #writeBytesSync(int, ByteBuffer)} does: the descriptor's own mode decides
   * where the bytes go.
   *
   * @param fd the descriptor
   * @param data the bytes
   * @return the number of bytes written
   * @throws IOException as in {@link #writeStringSync(int, CharSequence)}
   */
  public static long appendBytesSync(int fd, ByteBuffer data) throws IOException {
    return writeBytesSync(fd, data);
  }

  /**
   * Does what {@link #writeBytesSync(int, ByteBuffer, WriteOptions)} does: the descriptor's own
   * mode decides where the bytes go.
   *
   * @param fd the descriptor
   * @param data the bytes
   * @param options the options
   * @return the number of bytes written
   * @throws IOException as in {@link #writeStringSync(int, CharSequence)}
   */
  public static long appendBytesSync(int fd, ByteBuffer data, WriteOptions options)
      throws IOException {
    return writeBytesSync(fd, data, options);
  }

  /**
   * Does what {@link #writeBytesSync(FileDescriptor, byte[])} does: the descriptor's own mode
   * decides where the bytes go.
   *
   * @param fd the descriptor
   * @param data the bytes
   * @return the number of bytes written
   * @throws IOException as in {@link #writeStringSync(FileDescriptor, CharSequence)}
   */
  public static long appendBytesSync(FileDescriptor fd, byte[] data) throws IOException {
    return writeBytesSync(fd, data);
  }

  /**
   * Does what {@link #writeBytesSync(FileDescriptor, byte[], WriteOptions)} does: the descriptor's
   * own mode decides where the bytes go.
   *
   * @param fd the descriptor
   * @param data the bytes
   * @param options the options
   * @return the number of bytes written
   * @throws IOException as in {@link #writeStringSync(FileDescriptor, CharSequence)}
   */
  public static long appendBytesSync(FileDescriptor fd, byte[] data, WriteOptions options)
      throws IOException {
    return writeBytesSync(fd, data, options);
  }

  /**
   * Does what {@link #writeBytesSync(FileDescriptor, ByteBuffer)} does: the descriptor's own mode
   * decides where the bytes go.
   *
   * @param fd the descriptor
   * @param data the bytes
   * @return the number of bytes written
   * @throws IOException as in {@link #writeStringSync(FileDescriptor, CharSequence)}
   */
  public static long appendBytesSync(FileDescriptor fd, ByteBuffer data) throws IOException {
    return writeBytesSync(fd, data);
  }

  /**
   * Does what {@link #writeBytesSync(FileDescriptor, ByteBuffer, WriteOptions)} does: the
   * descriptor's own mode decides where the bytes go.
   *
   * @param fd the descriptor
   * @param data the bytes
   * @param options the options
   * @return the number of bytes written
   * @throws IOException as in {@link #writeStringSync(FileDescriptor, CharSequence)}
   */
  public static long appendBytesSync(FileDescriptor fd, ByteBuffer data, WriteOptions options)
      throws IOException {
    return writeBytesSync(fd, data, options);
  }

  // --- Descriptors

  /**
   * Opens {@code file} and returns its descriptor, which a child process does not inherit. Close it
   * with {@link #closeSync}.
   *
   * @param file the file
   * @param flags one of Node's flag strings, see {@link WriteOptions#flag}; {@code null} is {@code
   *     "r"}, as in Node
   * @return the descriptor
   * @throws IllegalArgumentException if {@code flags} is no flag string
   * @throws java.nio.file.FileSystemException if it can't be opened
   * @throws IOException the declared type; only the above are thrown
   */
  public static int openSync(Path file, String flags) throws IOException {
    return openSync(file, flags, WritePlan.DEFAULT_MODE);
  }

  /**
   * Opens {@code file}, giving a new one the permission bits {@code mode} less the umask.
   *
   * @param file the file
   * @param flags one of Node's flag strings, or {@code null} for {@code "r"}
   * @param mode the bits, as in {@code 0600}; mind the leading 0
   * @return the descriptor
   * @throws IllegalArgumentException if {@code flags} is no flag string or {@code mode} is negative
   * @throws IOException as in {@link #openSync(Path, String)}
   */
  public static int openSync(Path file, String flags, int mode) throws IOException {
    Objects.requireNonNull(file, "file");
    int openFlags = flags == null ? OpenFlags.RDONLY : OpenFlags.parse(flags);
    int modeBits = WriteOptions.checkMode(mode);
    return Backends.preparedForPath(file).open(file, openFlags, modeBits);
  }

  /**
   * Closes a descriptor that {@link #openSync(Path, String)} gave. The number must not be used
   * afterwards: by then it may belong to another file.
   *
   * @param fd the descriptor
   * @throws IllegalArgumentException if {@code fd} is negative
   * @throws java.nio.file.FileSystemException if it is not open, did not come from {@code
   *     openSync}, or the close reports an error; it is closed then all the same
   * @throws IOException the declared type; only the above are thrown
   */
  public static void closeSync(int fd) throws IOException {
    Descriptors.remove(checkFd(fd)).close(fd);
  }

  /**
   * Syncs a descriptor with {@code fsync(2)}. What can't be synced at all (pipe, socket, terminal)
   * is left alone.
   *
   * @param fd the descriptor
   * @throws IllegalArgumentException if {@code fd} is negative
   * @throws java.nio.file.FileSystemException if the sync fails; it must not be tried again, the
   *     kernel may have dropped what it could not write
   * @throws IOException the declared type; only the above are thrown
   */
  public static void fsyncSync(int fd) throws IOException {
    Backends.forDescriptor(checkFd(fd)).sync(fd, WritePlan.FLUSH_FULL);
  }

  /**
   * Removes what {@link WriteOptions#atomic atomic} writes have left in {@code folder} when they
   * were killed: regular files with a name like {@code .files2-0123456789abcdef.tmp} that were not
   * changed for a minute and whose lock nobody holds. A live writer holds it, in whatever process
   * or container. Folders below are not looked into. Nothing is removed on network file systems,
   * nor on the {@code nio} lane, where nobody can tell.
   *
   * @param folder the folder
   * @return how many files were removed
   * @throws java.nio.file.FileSystemException if the folder can't be read, or such a file not be
   *     removed; all that can be are gone by then
   * @throws IOException the declared type; only the above are thrown
   */
  public static int removeLeftovers(Path folder) throws IOException {
    Objects.requireNonNull(folder, "folder");
    return Leftovers.remove(Backends.preparedForPath(folder), folder);
  }

  // --- java.nio

  /**
   * Does what {@link Files#writeString(Path, CharSequence, OpenOption...)} does.
   *
   * @param file the file
   * @param text the text, written as UTF-8
   * @param options how to open the file; none is {@code CREATE}, {@code TRUNCATE_EXISTING} and
   *     {@code WRITE}
   * @return {@code file}
   * @throws java.nio.charset.CharacterCodingException if the text holds a lone surrogate; the file
   *     is untouched
   * @throws IOException as in {@code Files}, or a subclass; on a native lane a failed write tells
   *     path, errno and how far it got
   */
  public static Path writeString(Path file, CharSequence text, OpenOption... options)
      throws IOException {
    return writeString(file, text, StandardCharsets.UTF_8, options);
  }

  /**
   * Does what {@link Files#writeString(Path, CharSequence, Charset, OpenOption...)} does.
   *
   * @param file the file
   * @param text the text
   * @param charset the encoding; UTF-8, ISO-8859-1 and US-ASCII have fast encoders
   * @param options how to open the file
   * @return {@code file}
   * @throws java.nio.charset.CharacterCodingException if the charset can't express the text; the
   *     file is untouched
   * @throws IOException as in {@code Files}, or a subclass; on a native lane a failed write tells
   *     path, errno and how far it got
   */
  public static Path writeString(
      Path file, CharSequence text, Charset charset, OpenOption... options) throws IOException {
    Backend backend = laneOf(file);
    if (backend != Backends.nio()) {
      return DropIn.writeString(backend, file, text, charset, options);
    }
    long from = Backends.rentFrom();
    try {
      return Files.writeString(file, text, charset, options);
    } finally {
      Backends.payRent(from);
    }
  }

  private static Backend laneOf(Path file) {
    return Backends.forPath(Objects.requireNonNull(file));
  }

  /**
   * Does what {@link Files#write(Path, byte[], OpenOption...)} does.
   *
   * @param file the file
   * @param bytes the bytes
   * @param options how to open the file
   * @return {@code file}
   * @throws IOException as in {@code Files}, or a subclass; on a native lane a failed write tells
   *     path, errno and how far it got
   */
  public static Path write(Path file, byte[] bytes, OpenOption... options) throws IOException {
    Backend backend = laneOf(file);
    if (backend != Backends.nio()) {
      return DropIn.write(backend, file, bytes, options);
    }
    long from = Backends.rentFrom();
    try {
      return Files.write(file, bytes, options);
    } finally {
      Backends.payRent(from);
    }
  }

  /**
   * Does what {@link Files#write(Path, Iterable, OpenOption...)} does.
   *
   * @param file the file
   * @param lines the lines, each followed by the system's line separator; iterated once, after the
   *     file was opened
   * @param options how to open the file
   * @return {@code file}
   * @throws IOException as in {@code Files}, or a subclass; on a native lane a failed write tells
   *     path, errno and how far it got
   */
  public static Path write(Path file, Iterable<? extends CharSequence> lines, OpenOption... options)
      throws IOException {
    return write(file, lines, StandardCharsets.UTF_8, options);
  }

  /**
   * Does what {@link Files#write(Path, Iterable, Charset, OpenOption...)} does. A {@link
   * Collection} may be written in place; other lines, which may be read from the file itself while
   * they are written, find it truncated first.
   *
   * @param file the file
   * @param lines the lines
   * @param charset the encoding
   * @param options how to open the file
   * @return {@code file}
   * @throws java.nio.charset.CharacterCodingException if the charset can't express a line; the
   *     lines before it are written by then
   * @throws IOException as in {@code Files}, or a subclass; on a native lane a failed write tells
   *     path, errno and how far it got
   */
  public static Path write(
      Path file, Iterable<? extends CharSequence> lines, Charset charset, OpenOption... options)
      throws IOException {
    Backend backend = laneOf(file);
    if (backend != Backends.nio()) {
      return DropIn.write(backend, file, lines, charset, options);
    }
    long from = Backends.rentFrom();
    try {
      return Files.write(file, lines, charset, options);
    } finally {
      Backends.payRent(from);
    }
  }

  /**
   * Tells which lane writes, and why the others were passed over; a few lines of text for a person.
   *
   * @return the report
   */
  public static String backendReport() {
    return Backends.report();
  }
}
