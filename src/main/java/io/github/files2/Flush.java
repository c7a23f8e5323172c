package io.github.files2;

/** What a write makes durable before it returns. */
public enum Flush {
  /** Nothing: the bytes are in the page cache and reach the disk when the kernel gets to it. */
  NONE,

  /** {@code fdatasync(2)}: the bytes and the file's size, but not its times. */
  DATA,

  /** {@code fsync(2)}: the bytes and all that the file system records about the file. */
  FULL
}
