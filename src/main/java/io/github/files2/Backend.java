package io.github.files2;

import java.io.FileDescriptor;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * A lane: one way to get bytes into a file. All lanes keep one contract (the package description
 * has it). Counts are bytes; data buffers keep their position. Safe for use by many threads.
 */
sealed interface Backend permits ShimBackend, LibcBackend, NioBackend {
  /** Returns the lane's name as in {@code -Dfiles2.backend}. */
  String name();

  /** Opens, writes, syncs as planned and closes. Returns the bytes written. */
  long writeText(Path file, String text, WritePlan plan) throws IOException;

  long writeBytes(Path file, ByteBuffer data, WritePlan plan) throws IOException;

  /** As {@link #writeBytes(Path, ByteBuffer, WritePlan)}, from the start of {@code data}. */
  long writeMemory(Path file, MemorySource data, WritePlan plan) throws IOException;

  /** Writes at the descriptor's position; {@code plan} tells encoding and flush. */
  long writeText(int fd, String text, WritePlan plan) throws IOException;

  long writeBytes(int fd, ByteBuffer data, WritePlan plan) throws IOException;

  long writeText(FileDescriptor fd, String text, WritePlan plan) throws IOException;

  long writeBytes(FileDescriptor fd, ByteBuffer data, WritePlan plan) throws IOException;

  /**
   * Opens {@code file} to be written from its start, for bytes that are made while they are
   * written. Closing cuts the file to what was written.
   */
  OutputStream newOutputStream(Path file, WritePlan plan) throws IOException;

  /** Opens {@code file} and returns the descriptor. */
  int open(Path file, int openFlags, int mode) throws IOException;

  void close(int fd) throws IOException;

  /** Syncs; {@code flush} is not {@link WritePlan#FLUSH_NONE}. */
  void sync(int fd, int flush) throws IOException;

  /** Returns the size of the file behind {@code fd}, 0 for what has none. */
  long sizeOf(int fd) throws IOException;

  /**
   * Removes {@code file}, a temporary file by its name, if no writer holds its lock. Returns
   * whether it did.
   */
  boolean removeLeftover(Path file) throws IOException;
}
