package io.github.files2;

import java.nio.file.OpenOption;
import java.nio.file.StandardOpenOption;

/** All that one write needs to know, checked once; what the lanes see of the options. Immutable. */
final class WritePlan {
  /** What a file gets before the umask when nothing else is asked for. */
  static final int DEFAULT_MODE = 0666;

  /** {@link #overwrite}: what {@code -Dfiles2.overwrite} says. */
  static final int OVERWRITE_UNSET = 0;

  static final int OVERWRITE_IN_PLACE = 1;
  static final int OVERWRITE_TRUNCATE = 2;

  /** {@link #flush}: the levels of {@link Flush}; files2.h has the same numbers. */
  static final int FLUSH_NONE = 0;

  static final int FLUSH_DATA = 1;
  static final int FLUSH_FULL = 2;

  /** {@link #extras}: make missing folders. */
  static final int CREATE_PARENTS = 1;

  /** {@link #extras}: write nothing where the file holds the bytes already. */
  static final int ONLY_IF_CHANGED = 2;

  /** {@link #extras}: all or nothing. */
  static final int ATOMIC = 4;

  /** {@link #extras}: for an {@link Appender} alone. */
  static final int REOPEN_IF_MOVED = 8;

  /** What of {@link #extras} is about the whole content of a file. */
  private static final int WHOLE_FILE = ATOMIC | ONLY_IF_CHANGED;

  /** The drop-in for {@code Files} without options: create, truncate, and refuse bad text. */
  static final WritePlan REPLACE =
      new WritePlan(
          OpenFlags.WRITE, DEFAULT_MODE, FLUSH_NONE, TextEncoding.UTF8, true, OVERWRITE_UNSET, 0);

  /** Bits of {@link OpenFlags}. */
  final int openFlags;

  /** Permission bits of a new file before the umask, 0 to 07777. */
  final int mode;

  final int flush;
  final TextEncoding encoding;

  /** Whether text that the encoding can't express is refused instead of replaced. */
  final boolean reportsMalformed;

  final int overwrite;

  /** Bits for what only the calls with a path and {@link WriteOptions} can do. */
  final int extras;

  WritePlan(
      int openFlags,
      int mode,
      int flush,
      TextEncoding encoding,
      boolean reportsMalformed,
      int overwrite,
      int extras) {
    this.openFlags = openFlags;
    this.mode = mode;
    this.flush = flush;
    this.encoding = encoding;
    this.reportsMalformed = reportsMalformed;
    this.overwrite = overwrite;
    this.extras = extras;
  }

  /**
   * Returns the plan for {@code options} as {@code Files.newOutputStream} understands them, or
   * {@code null} where only the real {@code Files} method knows what they mean or how to refuse
   * them.
   */
  static WritePlan of(TextEncoding encoding, OpenOption... options) {
    if (options.length == 0 && encoding == TextEncoding.UTF8) {
      return REPLACE;
    }
    int flags = options.length == 0 ? OpenFlags.WRITE : openFlags(options);
    return flags < 0
        ? null
        : new WritePlan(flags, DEFAULT_MODE, FLUSH_NONE, encoding, true, OVERWRITE_UNSET, 0);
  }

  private static int openFlags(OpenOption... options) {
    int flags = OpenFlags.WRONLY;
    for (OpenOption option : options) {
      if (!(option instanceof StandardOpenOption standard)) {
        return -1; // null, LinkOption or a provider's own
      }
      switch (standard) {
        case WRITE, SPARSE -> {} // SPARSE is a hint that Linux needs no flag for
        case CREATE -> flags |= OpenFlags.CREAT;
        case CREATE_NEW -> flags |= OpenFlags.CREAT | OpenFlags.EXCL;
        case TRUNCATE_EXISTING -> flags |= OpenFlags.TRUNC;
        case APPEND -> flags |= OpenFlags.APPEND;
        case SYNC -> flags |= OpenFlags.SYNC;
        case DSYNC -> flags |= OpenFlags.DSYNC;
        default -> {
          return -1; // READ is refused by the JDK, DELETE_ON_CLOSE is done by it
        }
      }
    }
    boolean contradicts = (flags & OpenFlags.APPEND) != 0 && (flags & OpenFlags.TRUNC) != 0;
    return contradicts ? -1 : flags;
  }

  /** Returns this plan for a piece that more follow. */
  WritePlan withoutFlush() {
    return new WritePlan(
        openFlags, mode, FLUSH_NONE, encoding, reportsMalformed, overwrite, extras);
  }

  /** Returns this plan with other bits of {@link OpenFlags}. */
  WritePlan withOpenFlags(int changed) {
    return new WritePlan(changed, mode, flush, encoding, reportsMalformed, overwrite, extras);
  }

  /** Returns this plan with the old content gone before the first byte is made. */
  WritePlan truncatingFirst() {
    return new WritePlan(
        openFlags, mode, flush, encoding, reportsMalformed, OVERWRITE_TRUNCATE, extras);
  }

  /** Tells whether an existing file loses its old content. */
  boolean truncates() {
    return (openFlags & (OpenFlags.TRUNC | OpenFlags.EXCL)) == OpenFlags.TRUNC;
  }

  boolean appends() {
    return (openFlags & OpenFlags.APPEND) != 0;
  }

  /** Tells whether the old content goes before the first byte comes, given what the default is. */
  boolean truncatesFirst(boolean isDefault) {
    return overwrite == OVERWRITE_UNSET ? isDefault : overwrite == OVERWRITE_TRUNCATE;
  }

  /** Tells whether missing folders are made for a file that is to be created. */
  boolean createsParents() {
    return (extras & CREATE_PARENTS) != 0 && (openFlags & OpenFlags.CREAT) != 0;
  }

  /** Tells whether a file that holds the bytes already is left alone. */
  boolean writesOnlyIfChanged() {
    return (extras & ONLY_IF_CHANGED) != 0 && !isExclusive();
  }

  /** Tells whether readers see the old or the new content, and nothing else. */
  boolean isAtomic() {
    return (extras & ATOMIC) != 0;
  }

  /** Tells whether nothing may be there yet. */
  boolean isExclusive() {
    return (openFlags & OpenFlags.EXCL) != 0;
  }

  /**
   * Checks this plan, for a path.
   *
   * @throws IllegalArgumentException if its options contradict its flags
   */
  void checkForPath() {
    if ((extras & WHOLE_FILE) != 0 && (openFlags & OpenFlags.TRUNC) == 0) {
      throw new IllegalArgumentException(
          wholeFileNames() + "it needs the flag w, w+, wx or wx+, not " + flagName());
    }
  }

  /**
   * Checks this plan, for an {@link Appender}.
   *
   * @throws IllegalArgumentException if it does not append, or its options can't be had there
   */
  void checkForAppender() {
    if ((extras & WHOLE_FILE) != 0) {
      throw new IllegalArgumentException(wholeFileNames() + "an Appender can't have it");
    }
    if (!appends()) {
      throw new IllegalArgumentException(
          "an Appender needs a flag that appends (a, ax, as, a+, ax+, as+), not " + flagName());
    }
  }

  private String wholeFileNames() {
    return extraNames(extras & WHOLE_FILE).substring(2) + " is about the whole file: ";
  }

  private String flagName() {
    return OpenFlags.nameOf(openFlags);
  }

  /**
   * Returns this plan, for something that is open already.
   *
   * @throws IllegalArgumentException if it asks for what needs a path
   */
  WritePlan forOpen() {
    int needsPath = extras & ~REOPEN_IF_MOVED;
    if (needsPath != 0) {
      throw new IllegalArgumentException(
          extraNames(needsPath).substring(2) + " needs a path: what is open already has its file");
    }
    return this;
  }

  /** Names the options in {@code extras}, each after a comma and a space. */
  static String extraNames(int extras) {
    return ((extras & ATOMIC) != 0 ? ", atomic" : "")
        + ((extras & ONLY_IF_CHANGED) != 0 ? ", onlyIfChanged" : "")
        + ((extras & CREATE_PARENTS) != 0 ? ", createParents" : "")
        + ((extras & REOPEN_IF_MOVED) != 0 ? ", reopenIfMoved" : "");
  }
}
