package io.github.files2;

import com.sun.jna.JNIEnv;
import com.sun.jna.Library;
import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Platform;
import java.io.File;
import java.io.FileDescriptor;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The lane of our C library: each write is one crossing. JNA loads the library and calls {@code
 * files2_bind} once, which binds the native methods below; src/main/c/files2.h tells what they do.
 */
final class ShimBackend implements Backend, NativeStreams {
  /** The number of the C interface; the library's file name carries it too. */
  private static final int ABI = 1;

  private static final String LIBRARY = "files2-" + ABI;

  // Bits of the rules argument, as in bind.c; the lowest two are the flush level.
  private static final int RULE_REPORT = 4;
  private static final int RULE_TRUNCATE_FIRST = 8;
  private static final int RULE_DIRECT = 16;
  private static final int RULE_ONLY_IF_CHANGED = 32;
  private static final int RULE_ATOMIC = 64;

  // Bits of the options of files2_bind, as in bind.c.
  private static final int BIND_REGIONS = 1;
  private static final int BIND_PATH_IS_UTF8 = 2;
  private static final int BIND_SCALAR = 4;
  private static final int BIND_AVX2 = 8;
  private static final int BIND_AVX512 = 16;

  /** Answers of files2_bind; below 0 are refusals. */
  private static final int BOUND_BY_REGION = 1;

  private static final int NO_SUCH_KERNELS = -2;

  /** What surely encodes to less than this needs no chunk: bind.c has a buffer of 16 KiB. */
  private static final int SMALL_BYTES = 16 * 1024 - 64;

  /** As in text.c: no encoding makes more bytes of a char. */
  private static final int MAX_BYTES_PER_CHAR = 3;

  private final ChunkPool pool;
  private final NioBackend nio;
  private final boolean truncatesByDefault;
  private final String details;
  private final Settings settings;

  /** Made at its first use. */
  private LibcBackend twin;

  private ShimBackend(ChunkPool pool, NioBackend nio, Settings settings, String details) {
    this.pool = pool;
    this.nio = nio;
    this.truncatesByDefault = settings.truncatesByDefault();
    this.settings = settings;
    this.details = details;
  }

  /**
   * Loads, binds and tests the library.
   *
   * @throws LinkageError if there is none for this machine, or it does not fit or fails its test
   */
  static ShimBackend load(ChunkPool pool, NioBackend nio, Settings settings) {
    ClassLoader loader = ShimBackend.class.getClassLoader();
    String resource = Platform.RESOURCE_PREFIX + "/lib" + LIBRARY + ".so";
    if (loader.getResource(resource) == null) {
      throw new UnsatisfiedLinkError("no " + resource + " on the class path");
    }
    Native.register(Binder.class, open(loader));
    int options =
        (settings.readsStringsByRegion() ? BIND_REGIONS : 0)
            | (settings.hasUtf8Paths() ? BIND_PATH_IS_UTF8 : 0)
            | simdOption(settings.simd());
    int answer = Binder.files2_bind(JNIEnv.CURRENT, ShimBackend.class, ABI, options);
    if (answer == NO_SUCH_KERNELS) {
      throw new UnsatisfiedLinkError("this processor has no " + settings.simd());
    }
    if (answer < 0) {
      throw new UnsatisfiedLinkError(LIBRARY + " refused to be bound: " + answer);
    }
    testEncoders();
    String details =
        "encoders " + kernelsName() + (answer == BOUND_BY_REGION ? ", strings by region" : "");
    return new ShimBackend(pool, nio, settings, details);
  }

  /**
   * Loads the bundled library, unpacked if need be. By its bare name JNA would look for it on the
   * library paths first, and take a stranger.
   */
  private static NativeLibrary open(ClassLoader loader) {
    File file;
    try {
      file = Native.extractFromResourcePath(LIBRARY, loader);
    } catch (IOException e) {
      UnsatisfiedLinkError error = new UnsatisfiedLinkError("can't unpack " + LIBRARY);
      error.initCause(e);
      throw error;
    }
    boolean isUnpacked = !file.getName().equals("lib" + LIBRARY + ".so");
    try {
      return NativeLibrary.getInstance(
          file.getAbsolutePath(),
          Map.of(Library.OPTION_CLASSLOADER, loader, Library.OPTION_ALLOW_OBJECTS, true));
    } finally {
      if (isUnpacked && !file.delete()) {
        file.deleteOnExit(); // what is loaded needs no name, but no trouble either
      }
    }
  }

  private static int simdOption(String simd) {
    return switch (simd) {
      case "" -> 0;
      case "scalar" -> BIND_SCALAR;
      case "avx2" -> BIND_AVX2;
      case "avx512" -> BIND_AVX512;
      default ->
          throw new IllegalStateException(
              Settings.SIMD + "=" + simd + " is not one of scalar, avx2, avx512");
    };
  }

  /**
   * Encodes a Latin-1 and a UTF-16 string: a String laid out otherwise shows here, not in a file.
   */
  private static void testEncoders() {
    for (String text : new String[] {"plain", "caf\u00e9", "\u4e2d\u6587 \ud83d\ude00 a"}) {
      byte[] expected = text.getBytes(StandardCharsets.UTF_8);
      byte[] found = new byte[expected.length];
      long count = encode(text, TextEncoding.KIND_UTF8, 0, found);
      if (count != expected.length || !Arrays.equals(found, expected)) {
        throw new UnsatisfiedLinkError(LIBRARY + " reads strings wrongly on this JVM");
      }
    }
  }

  /** What JNA binds. Its name is the symbol's. */
  private static final class Binder {
    static native int files2_bind(JNIEnv env, Object owner, int abi, int options);
  }

  // Bound by files2_bind. A result below 0 is a fault, see ShimFault.

  private static native long writeText(
      String file,
      String text,
      int encoding,
      int openFlags,
      int mode,
      int rules,
      long chunk,
      int chunkBytes,
      long nonce);

  private static native long writeTextTo(
      int fd,
      FileDescriptor descriptor,
      String text,
      int encoding,
      int rules,
      long chunk,
      int chunkBytes);

  private static native long writeBytes(
      String file,
      Object data,
      int offset,
      int byteCount,
      int openFlags,
      int mode,
      int rules,
      long chunk,
      int chunkBytes,
      long nonce);

  private static native long writeBytesTo(
      int fd,
      FileDescriptor descriptor,
      Object data,
      int offset,
      int byteCount,
      int rules,
      long chunk,
      int chunkBytes);

  private static native long open(String file, int openFlags, int mode);

  private static native long openStream(String file, int openFlags, int mode, int rules);

  private static native long finish(long stream, long written, int rules, boolean hasFailed);

  // The native method "close" can't share its name with Backend.close(int).
  private static native long closeFd(int fd);

  private static native long syncFd(int fd, int rules);

  private static native long sizeOfFd(int fd);

  // The native method "removeLeftover" is told from Backend's by its parameter.
  private static native long removeLeftover(String file);

  private static native long encode(String text, int encoding, int rules, byte[] target);

  private static native String kernelsName();

  @Override
  public String name() {
    return "shim";
  }

  /** Returns which encoders run and how strings are read. */
  String details() {
    return details;
  }

  private int rules(WritePlan plan) {
    return plan.flush
        | (plan.reportsMalformed ? RULE_REPORT : 0)
        | (plan.truncatesFirst(truncatesByDefault) ? RULE_TRUNCATE_FIRST : 0)
        | (plan.writesOnlyIfChanged() ? RULE_ONLY_IF_CHANGED : 0)
        | (plan.isAtomic() ? RULE_ATOMIC : 0);
  }

  /** Returns a chunk where {@code maxBytes} need one, else {@code null}. */
  private Chunk takeFor(long maxBytes) {
    return maxBytes <= SMALL_BYTES ? null : pool.take(maxBytes);
  }

  /** Returns what a temporary file is named after, where one is made. */
  private static long nonce(WritePlan plan) {
    return plan.isAtomic() ? ThreadLocalRandom.current().nextLong() : 0;
  }

  private static long address(Chunk chunk) {
    return chunk == null ? 0 : chunk.address;
  }

  private static int size(Chunk chunk) {
    return chunk == null ? 0 : chunk.buffer.capacity();
  }

  @Override
  public long writeText(Path file, String text, WritePlan plan) throws IOException {
    if (plan.encoding.isCharset()) {
      return twin().writeText(file, text, plan);
    }
    long result;
    try (Chunk chunk = takeFor((long) MAX_BYTES_PER_CHAR * text.length())) {
      result =
          writeText(
              file.toString(),
              text,
              plan.encoding.kind,
              plan.openFlags,
              plan.mode,
              rules(plan),
              address(chunk),
              size(chunk),
              nonce(plan));
    }
    if (result < 0) {
      if (ShimFault.isForeign(result)) {
        return nio.writeText(file, text, plan);
      }
      throw ShimFault.toException(result, file.toString(), plan);
    }
    return result;
  }

  @Override
  public long writeBytes(Path file, ByteBuffer data, WritePlan plan) throws IOException {
    if (!isAddressable(data)) {
      return writeCopies(file, data, plan);
    }
    long result;
    try (Chunk chunk = data.isDirect() ? null : takeFor(data.remaining())) {
      result =
          writeBytes(
              file.toString(),
              base(data),
              offset(data),
              data.remaining(),
              plan.openFlags,
              plan.mode,
              rules(plan) | directRule(data),
              address(chunk),
              size(chunk),
              nonce(plan));
    }
    if (result < 0) {
      if (ShimFault.isForeign(result)) {
        return nio.writeBytes(file, data, plan);
      }
      throw ShimFault.toException(result, file.toString(), plan);
    }
    return result;
  }

  @Override
  public long writeMemory(Path file, MemorySource data, WritePlan plan) throws IOException {
    return twin().writeMemory(file, data, plan);
  }

  /** Returns the lane for what is made in Java and must not be in memory as a whole. */
  private synchronized LibcBackend twin() {
    if (twin == null) {
      twin = LibcBackend.load(pool, nio, settings);
    }
    return twin;
  }

  /** Writes a buffer that hides its memory; what is long is copied piece by piece. */
  private long writeCopies(Path file, ByteBuffer data, WritePlan plan) throws IOException {
    ByteBuffer rest = data.duplicate();
    if (rest.remaining() <= Pieces.SINGLE_WRITE_BYTES) {
      return writeBytes(file, copy(rest), plan);
    }
    if (plan.isAtomic() || plan.writesOnlyIfChanged()) {
      return twin().writeBytes(file, data, plan);
    }
    try (OutputStream out = newOutputStream(file, plan)) {
      while (rest.hasRemaining()) {
        out.write(copy(rest).array());
      }
    }
    return data.remaining();
  }

  /** Takes up to {@link Pieces#SINGLE_WRITE_BYTES} out of {@code data}. */
  private static ByteBuffer copy(ByteBuffer data) {
    byte[] bytes = new byte[Math.min(data.remaining(), Pieces.SINGLE_WRITE_BYTES)];
    data.get(bytes);
    return ByteBuffer.wrap(bytes);
  }

  /** A read-only heap buffer hides its array. */
  private static boolean isAddressable(ByteBuffer data) {
    return data.isDirect() || data.hasArray();
  }

  @SuppressWarnings("ByteBufferBackingArray") // offset() has the rest of it
  private static Object base(ByteBuffer data) {
    return data.isDirect() ? data : data.array();
  }

  private static int offset(ByteBuffer data) {
    return data.isDirect() ? data.position() : data.arrayOffset() + data.position();
  }

  private static int directRule(ByteBuffer data) {
    return data.isDirect() ? RULE_DIRECT : 0;
  }

  @Override
  public long writeText(int fd, String text, WritePlan plan) throws IOException {
    return writeTextTo(fd, null, text, plan);
  }

  @Override
  public long writeText(FileDescriptor fd, String text, WritePlan plan) throws IOException {
    return writeTextTo(-1, fd, text, plan);
  }

  /** Writes to {@code descriptor}, or to {@code fd} where that is {@code null}. */
  private long writeTextTo(int fd, FileDescriptor descriptor, String text, WritePlan plan)
      throws IOException {
    long result;
    try (Chunk chunk = takeFor((long) MAX_BYTES_PER_CHAR * text.length())) {
      int rules = rules(plan);
      result =
          writeTextTo(fd, descriptor, text, plan.encoding.kind, rules, address(chunk), size(chunk));
    }
    if (result < 0) {
      throw ShimFault.toException(result, name(fd, descriptor), plan);
    }
    return result;
  }

  private static String name(int fd, FileDescriptor descriptor) {
    return descriptor == null ? Descriptors.name(fd) : Descriptors.name(descriptor);
  }

  @Override
  public long writeBytes(int fd, ByteBuffer data, WritePlan plan) throws IOException {
    return writeBytesTo(fd, null, data, plan);
  }

  @Override
  public long writeBytes(FileDescriptor fd, ByteBuffer data, WritePlan plan) throws IOException {
    return writeBytesTo(-1, fd, data, plan);
  }

  private long writeBytesTo(int fd, FileDescriptor descriptor, ByteBuffer data, WritePlan plan)
      throws IOException {
    if (!isAddressable(data)) {
      return writeCopiesTo(fd, descriptor, data, plan);
    }
    long result;
    try (Chunk chunk = data.isDirect() ? null : takeFor(data.remaining())) {
      result =
          writeBytesTo(
              fd,
              descriptor,
              base(data),
              offset(data),
              data.remaining(),
              rules(plan) | directRule(data),
              address(chunk),
              size(chunk));
    }
    if (result < 0) {
      throw ShimFault.toException(result, name(fd, descriptor), plan);
    }
    return result;
  }

  private long writeCopiesTo(int fd, FileDescriptor descriptor, ByteBuffer data, WritePlan plan)
      throws IOException {
    ByteBuffer rest = data.duplicate();
    long written = 0;
    try {
      while (rest.remaining() > Pieces.SINGLE_WRITE_BYTES) {
        written += writeBytesTo(fd, descriptor, copy(rest), plan.withoutFlush());
      }
      return written + writeBytesTo(fd, descriptor, copy(rest), plan);
    } catch (IOException e) {
      throw written == 0 ? e : PartialWriteException.after(e, name(fd, descriptor), written);
    }
  }

  @Override
  public OutputStream newOutputStream(Path file, WritePlan plan) throws IOException {
    NativeOutputStream out = new NativeOutputStream(this, file, plan);
    long stream = openStream(file.toString(), plan.openFlags, plan.mode, rules(plan));
    if (stream < 0) {
      if (ShimFault.isForeign(stream)) {
        return nio.newOutputStream(file, plan);
      }
      throw ShimFault.toException(stream, file.toString(), plan);
    }
    out.begin(stream);
    return out;
  }

  @Override
  public void writePiece(long stream, byte[] piece, int byteCount, Path file, WritePlan plan)
      throws IOException {
    long result;
    try (Chunk chunk = takeFor(byteCount)) {
      result =
          writeBytesTo((int) stream, null, piece, 0, byteCount, 0, address(chunk), size(chunk));
    }
    if (result < 0) {
      throw ShimFault.toException(result, file.toString(), plan);
    }
  }

  @Override
  public void finish(long stream, long written, boolean hasFailed, Path file, WritePlan plan)
      throws IOException {
    long result = finish(stream, written, plan.flush, hasFailed);
    if (result < 0) {
      throw ShimFault.toException(result, file.toString(), plan);
    }
  }

  @Override
  public int open(Path file, int openFlags, int mode) throws IOException {
    long result = open(file.toString(), openFlags, mode);
    if (result < 0) {
      if (ShimFault.isForeign(result)) {
        return nio.open(file, openFlags, mode);
      }
      throw ShimFault.openException(result, file.toString(), openFlags, mode);
    }
    return Descriptors.add((int) result, this);
  }

  @Override
  public void close(int fd) throws IOException {
    long result = closeFd(fd);
    if (result < 0) {
      throw ShimFault.toException(result, Descriptors.name(fd), null);
    }
  }

  @Override
  public void sync(int fd, int flush) throws IOException {
    long result = syncFd(fd, flush);
    if (result < 0) {
      throw ShimFault.toException(result, Descriptors.name(fd), null);
    }
  }

  @Override
  public long sizeOf(int fd) throws IOException {
    long result = sizeOfFd(fd);
    if (result < 0) {
      throw ShimFault.toException(result, Descriptors.name(fd), null);
    }
    return result;
  }

  @Override
  public boolean removeLeftover(Path file) throws IOException {
    long result = removeLeftover(file.toString());
    if (result < 0) {
      if (ShimFault.isForeign(result)) {
        return false;
      }
      throw ShimFault.toException(result, file.toString(), null);
    }
    return result > 0;
  }
}
