package io.github.files2;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;

/** A write that {@link FaultProgram} lets fail: what it starts from and what it should leave. */
abstract class FaultJob {
  /** What becomes of the old content. */
  enum Kind {
    /** In place on a native lane, truncated first on nio. */
    REPLACES,
    TRUNCATES,
    APPENDS,
    /** The one or the other, whole. */
    IS_ATOMIC
  }

  final String name;
  final Kind kind;

  /** What the file holds before; {@code null} where there is none. */
  final byte[] old;

  /** What is written. */
  final byte[] added;

  private FaultJob(String name, Kind kind, byte[] old, byte[] added) {
    this.name = name;
    this.kind = kind;
    this.old = old;
    this.added = added;
  }

  /** Tells whether this is one of the methods that {@code java.nio.file.Files} has, too. */
  boolean isJavaNio() {
    return name.startsWith("Files2.");
  }

  /** Tells whether this goes by nio on each lane. */
  boolean isCharset() {
    return name.equals("charset");
  }

  /** The one call of Files2, during which system calls fail. Returns how many bytes it wrote. */
  abstract long write(Path file) throws IOException;

  /** Opens what the call writes to, where that is not the path. */
  void open(Path file) throws IOException {}

  /** Closes it. */
  void close() throws IOException {}

  /** Tells whether the file has what else belongs to it, however the call ended. */
  boolean isWhole(Path file) throws IOException {
    return true;
  }

  private interface Write {
    long run(Path file) throws IOException;
  }

  private static FaultJob of(String name, Kind kind, byte[] old, byte[] added, Write write) {
    return new FaultJob(name, kind, old, added) {
      @Override
      long write(Path file) throws IOException {
        return write.run(file);
      }
    };
  }

  private static FaultJob onFd(String name, Kind kind, String flags, byte[] old, String text) {
    return new FaultJob(name, kind, old, text.getBytes(UTF_8)) {
      private int fd;

      @Override
      void open(Path file) throws IOException {
        fd = Files2.openSync(file, flags);
      }

      @Override
      long write(Path file) throws IOException {
        return Files2.writeStringSync(fd, text);
      }

      @Override
      void close() throws IOException {
        Files2.closeSync(fd);
      }
    };
  }

  private static FaultJob onDescriptor(String name, byte[] old, String text, WriteOptions options) {
    return new FaultJob(name, Kind.APPENDS, old, text.getBytes(UTF_8)) {
      private FileOutputStream stream;

      @Override
      void open(Path file) throws IOException {
        stream = new FileOutputStream(file.toFile(), true);
      }

      @Override
      long write(Path file) throws IOException {
        return Files2.writeStringSync(stream.getFD(), text, options);
      }

      @Override
      void close() throws IOException {
        stream.close();
      }
    };
  }

  /** One record; what is open is closed again, as a whole part of the call. */
  private static FaultJob appender(String name, byte[] old, String text, WriteOptions options) {
    return of(
        name,
        Kind.APPENDS,
        old,
        text.getBytes(UTF_8),
        file -> {
          try (Appender appender = Appender.open(file, options)) {
            return appender.write(text);
          }
        });
  }

  /** The old file has an attribute, which stays whether the write fails or not. */
  private static FaultJob withAttribute(String name, byte[] old, String text) {
    return new FaultJob(name, Kind.IS_ATOMIC, old, text.getBytes(UTF_8)) {
      private static final String ATTRIBUTE = "files2";
      private boolean hasAttribute;

      @Override
      void open(Path file) throws IOException {
        hasAttribute = Files.getFileStore(file).supportsFileAttributeView("user");
        if (hasAttribute) {
          Files.setAttribute(file, "user:" + ATTRIBUTE, old);
        }
      }

      @Override
      long write(Path file) throws IOException {
        return Files2.writeStringSync(file, text, WriteOptions.DEFAULT.atomic(true));
      }

      @Override
      boolean isWhole(Path file) throws IOException {
        return !hasAttribute
            || Files.getFileAttributeView(file, UserDefinedFileAttributeView.class)
                .list()
                .contains(ATTRIBUTE);
      }
    };
  }

  /** Returns all jobs: each way to write, over each kind of old file. */
  static List<FaultJob> all() {
    String little = "a new text, żółć 🥳\n".repeat(3);
    String much = "жизнь 中文 🚀 text\n".repeat(15_000);
    String latin = "Straße à côté ".repeat(20_000);
    byte[] none = null;
    byte[] shortOld = "the old text\n".getBytes(UTF_8);
    byte[] longOld = "what was there before\n".repeat(20_000).getBytes(UTF_8);
    WriteOptions defaults = WriteOptions.DEFAULT;
    WriteOptions truncating = defaults.overwrite(Overwrite.TRUNCATE);
    return List.of(
        text("overwrite, grows", Kind.REPLACES, shortOld, much, defaults),
        text("overwrite, shrinks", Kind.REPLACES, longOld, little, defaults),
        text("overwrite, in pieces, shrinks", Kind.REPLACES, longOld, latin, defaults),
        text("overwrite, same size", Kind.REPLACES, little.getBytes(UTF_8), little, defaults),
        text("overwrite by nothing", Kind.REPLACES, shortOld, "", defaults),
        text("overwrite, flushed", Kind.REPLACES, longOld, little, defaults.flush(Flush.FULL)),
        text("overwrite, data flushed", Kind.REPLACES, shortOld, much, defaults.flush(Flush.DATA)),
        text("truncate", Kind.TRUNCATES, longOld, much, truncating),
        text("create", Kind.REPLACES, none, little, defaults),
        text("create, in pieces", Kind.REPLACES, none, much, defaults.flush(true)),
        text("create exclusively", Kind.REPLACES, none, little, defaults.flag("wx")),
        text("append", Kind.APPENDS, shortOld, little, defaults.flag("a")),
        text("append much", Kind.APPENDS, shortOld, much, defaults.flag("a").flush(true)),
        text("append, creates", Kind.APPENDS, none, latin, defaults.flag("a")),
        text("read and write", Kind.REPLACES, longOld, little, defaults.flag("w+")),
        of(
            "charset",
            Kind.REPLACES,
            longOld,
            much.getBytes(StandardCharsets.UTF_16),
            file -> Files2.writeStringSync(file, much, defaults.encoding(StandardCharsets.UTF_16))),
        of(
            "base64",
            Kind.REPLACES,
            shortOld,
            longOld,
            file ->
                Files2.writeStringSync(
                    file,
                    Base64.getEncoder().encodeToString(longOld),
                    defaults.encoding("base64"))),
        of("bytes", Kind.REPLACES, shortOld, longOld, file -> Files2.writeBytesSync(file, longOld)),
        buffer("buffer", shortOld, ByteBuffer.wrap(longOld)),
        buffer("read-only buffer", shortOld, ByteBuffer.wrap(longOld).asReadOnlyBuffer()),
        buffer(
            "direct buffer",
            longOld,
            ByteBuffer.allocateDirect(shortOld.length).put(shortOld).flip()),
        of(
            "Files2.writeString",
            Kind.REPLACES,
            shortOld,
            much.getBytes(UTF_8),
            file -> sizeAfter(Files2.writeString(file, much), much.getBytes(UTF_8).length)),
        of(
            "Files2.write, lines",
            Kind.REPLACES,
            longOld,
            (latin + "\n").repeat(2).getBytes(UTF_8),
            file ->
                sizeAfter(
                    Files2.write(file, List.of(latin, latin)),
                    2L * (latin.getBytes(UTF_8).length + 1))),
        text("atomic", Kind.IS_ATOMIC, longOld, little, defaults.atomic(true)),
        text("atomic, in pieces", Kind.IS_ATOMIC, shortOld, much, defaults.atomic(true)),
        text(
            "atomic, unsynced",
            Kind.IS_ATOMIC,
            shortOld,
            latin,
            defaults.atomic(true).flush(Flush.NONE)),
        text("atomic, creates", Kind.IS_ATOMIC, none, little, defaults.atomic(true)),
        text("atomic, exclusive", Kind.IS_ATOMIC, none, little, defaults.atomic(true).flag("wx")),
        of(
            "atomic bytes",
            Kind.IS_ATOMIC,
            shortOld,
            longOld,
            file -> Files2.writeBytesSync(file, longOld, defaults.atomic(true))),
        memory("memory", Kind.REPLACES, longOld, little, "w", defaults.flush(true)),
        memory("memory, in pieces", Kind.REPLACES, shortOld, much, "w", defaults),
        memory("memory, appends", Kind.APPENDS, shortOld, much, "a", defaults.flush(true)),
        memoryExclusive("memory, exclusive", little, "wx"),
        memoryExclusive("memory, exclusive, appends", little, "ax+"),
        memory("memory, atomic", Kind.IS_ATOMIC, shortOld, much, "w+", defaults.atomic(true)),
        withAttribute("atomic, attribute", shortOld, little),
        onFd("descriptor", Kind.APPENDS, "a", shortOld, little),
        onFd("descriptor, in pieces", Kind.APPENDS, "a", shortOld, much),
        onFd("descriptor, truncated", Kind.TRUNCATES, "w", shortOld, much),
        of(
            "descriptor, opened, synced, closed",
            Kind.APPENDS,
            shortOld,
            little.getBytes(UTF_8),
            file -> {
              int fd = Files2.openSync(file, "a");
              long written;
              try {
                written = Files2.writeStringSync(fd, little);
                Files2.fsyncSync(fd);
              } catch (IOException e) {
                Files2.closeSync(fd);
                throw e;
              }
              Files2.closeSync(fd);
              return written;
            }),
        appender("Appender", shortOld, little, WriteOptions.DEFAULT),
        appender("Appender, in pieces, synced", shortOld, much, WriteOptions.DEFAULT.flush(true)),
        appender("Appender, looks", none, little, WriteOptions.DEFAULT.reopenIfMoved(true)),
        onDescriptor("FileDescriptor", shortOld, little, defaults),
        onDescriptor("FileDescriptor, in pieces", shortOld, much, defaults),
        onDescriptor("FileDescriptor, flushed", shortOld, little, defaults.flush(true)),
        of(
            "Appender, flushed, closed",
            Kind.APPENDS,
            shortOld,
            little.getBytes(UTF_8),
            file -> {
              try (Appender appender = Appender.open(file)) {
                appender.write(little);
                appender.flush();
              }
              return little.getBytes(UTF_8).length;
            }));
  }

  private static FaultJob text(
      String name, Kind kind, byte[] old, String text, WriteOptions options) {
    byte[] added = text.getBytes(UTF_8);
    return of(name, kind, old, added, file -> Files2.writeStringSync(file, text, options));
  }

  private static FaultJob memory(
      String name, Kind kind, byte[] old, String text, String flags, WriteOptions options) {
    byte[] added = text.getBytes(UTF_8);
    return of(
        name,
        kind,
        old,
        added,
        path -> {
          try (MemoryFile file = MemoryFile.open(path, flags, options)) {
            return file.write(text);
          }
        });
  }

  /** Where the open fails after the file was created, that is gone again. */
  private static FaultJob memoryExclusive(String name, String text, String flags) {
    Kind kind = flags.startsWith("a") ? Kind.APPENDS : Kind.REPLACES;
    return of(
        name,
        kind,
        null,
        text.getBytes(UTF_8),
        path -> {
          try (MemoryFile file = openExclusive(path, flags)) {
            return file.write(text);
          }
        });
  }

  private static MemoryFile openExclusive(Path path, String flags) throws IOException {
    try {
      return MemoryFile.open(path, flags);
    } catch (IOException e) {
      boolean isCreated = e.getMessage().contains("stat: ") || e.getMessage().contains("read: ");
      boolean isRemoved = e.getSuppressed().length == 0; // else that failed, too, and says so
      if (isCreated && isRemoved && Files.exists(path)) {
        throw new AssertionError("the open failed and left the file", e);
      }
      throw e;
    }
  }

  /** The position of the buffer tells how far a write got, too. */
  private static FaultJob buffer(String name, byte[] old, ByteBuffer data) {
    byte[] added = new byte[data.remaining()];
    data.get(0, added);
    return of(
        name,
        Kind.REPLACES,
        old,
        added,
        file -> {
          ByteBuffer buffer = data.duplicate();
          long expected = 0;
          try {
            expected = Files2.writeBytesSync(file, buffer);
            return expected;
          } catch (PartialWriteException e) {
            expected = e.bytesWritten();
            throw e;
          } finally {
            if (buffer.position() != expected) {
              throw new AssertionError(name + " is at " + buffer.position() + " of " + expected);
            }
          }
        });
  }

  /** For methods that return the path and no count. */
  private static long sizeAfter(Path file, long count) {
    return file == null ? -1 : count;
  }

  /** Puts the file into the state that the job starts from. */
  void prepare(Path file) throws IOException {
    Files.deleteIfExists(file);
    if (old != null) {
      Files.write(file, old);
    }
    open(file);
  }

  /** Returns what the file holds after {@code count} of the bytes were written over the old. */
  byte[] contentAfter(int count) {
    byte[] before = kind == Kind.APPENDS && old != null ? old : new byte[0];
    byte[] content = Arrays.copyOf(before, before.length + count);
    System.arraycopy(added, 0, content, before.length, count);
    return content;
  }
}
