package io.github.files2.bench;

import io.github.files2.MemoryFile;
import java.io.ByteArrayOutputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/** The ways to make a file grow by small writes. */
enum GrowingFile {
  /** What this is about. */
  MEMORY_FILE("MemoryFile") {
    @Override
    OutputStream open(Path file) throws IOException {
      return MemoryFile.open(file, "w").outputStream();
    }
  },

  /** A system call a write; with a buffer before it, {@code BufferedOutputStream}. */
  STREAM("FileOutputStream") {
    @Override
    OutputStream open(Path file) throws IOException {
      return new FileOutputStream(file.toFile());
    }
  },

  BYTE_ARRAY("ByteArrayOutputStream + Files.write") {
    @Override
    OutputStream open(Path file) {
      return new ByteArrayOutputStream() {
        @Override
        public void close() throws IOException {
          Files.write(file, toByteArray());
        }
      };
    }
  },

  /** An array that is replaced by one of twice its length. */
  DOUBLING("doubling") {
    @Override
    OutputStream open(Path file) {
      return new GrowingArray(file, 2);
    }
  },

  /** An array that is replaced at each write by one that is just long enough. */
  NAIVE("copy on extend") {
    @Override
    OutputStream open(Path file) {
      return new GrowingArray(file, 1);
    }
  };

  final String label;

  GrowingFile(String label) {
    this.label = label;
  }

  /** Opens {@code file} to be written anew; complete when the stream is closed. */
  abstract OutputStream open(Path file) throws IOException;

  /** The algorithms that {@link MemoryFile} is there to replace. */
  private static final class GrowingArray extends OutputStream {
    private final Path file;
    private final int factor;
    private byte[] bytes = new byte[0];
    private int size;

    GrowingArray(Path file, int factor) {
      this.file = file;
      this.factor = factor;
    }

    @Override
    public void write(int b) {
      write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] source, int offset, int byteCount) {
      if (size + byteCount > bytes.length) {
        bytes = Arrays.copyOf(bytes, Math.max(size + byteCount, factor * bytes.length));
      }
      System.arraycopy(source, offset, bytes, size, byteCount);
      size += byteCount;
    }

    @Override
    public void close() throws IOException {
      Files.write(file, Arrays.copyOf(bytes, size));
    }
  }
}
