package io.github.files2;

/** How a call that replaces an existing regular file goes about it on a native lane. */
public enum Overwrite {
  /**
   * Writes over the old bytes and cuts the file afterwards where the new content is shorter: the
   * same file as truncating first, without its cost. A reader in the middle sees old and new bytes
   * mixed, and so may a crash leave them.
   */
  IN_PLACE,

  /** Truncates first and writes then, as {@code open(2)} with {@code O_TRUNC} does. */
  TRUNCATE
}
