package io.github.files2;

import java.nio.charset.Charset;
import java.nio.charset.CodingErrorAction;
import java.util.Objects;

/**
 * How a write of the Node family is done. Each method returns a changed copy; what it is given is
 * checked at once. Immutable.
 *
 * <pre>{@code
 * static final WriteOptions DURABLE = WriteOptions.DEFAULT.flush(true).mode(0600);
 * Files2.writeStringSync(path, text, DURABLE);
 * }</pre>
 */
public final class WriteOptions {
  private static final int UNSET_FLAGS = -1;
  private static final int UNSET_FLUSH = -1;
  private static final int MODE_BITS = 07777;

  /**
   * The defaults: flag {@code w} to write and {@code a} to append, encoding utf8, mode 0666 less
   * the umask, no flush (but see {@link #atomic}), malformed text replaced.
   */
  public static final WriteOptions DEFAULT =
      new WriteOptions(
          UNSET_FLAGS,
          TextEncoding.UTF8,
          WritePlan.DEFAULT_MODE,
          UNSET_FLUSH,
          false,
          WritePlan.OVERWRITE_UNSET,
          0);

  private final int openFlags;
  private final TextEncoding encoding;
  private final int mode;
  private final int flush;
  private final boolean reportsMalformed;
  private final int overwrite;

  /** Bits of {@link WritePlan#extras}. */
  private final int extras;

  /** What a write and an append with these options do. */
  private final WritePlan writePlan;

  private final WritePlan appendPlan;

  private WriteOptions(
      int openFlags,
      TextEncoding encoding,
      int mode,
      int flush,
      boolean reportsMalformed,
      int overwrite,
      int extras) {
    this.openFlags = openFlags;
    this.encoding = encoding;
    this.mode = mode;
    this.flush = flush;
    this.reportsMalformed = reportsMalformed;
    this.overwrite = overwrite;
    this.extras = extras;
    this.writePlan = plan(OpenFlags.WRITE);
    this.appendPlan = plan(OpenFlags.WRONLY | OpenFlags.CREAT | OpenFlags.APPEND);
  }

  private WritePlan plan(int defaultFlags) {
    return new WritePlan(
        openFlags == UNSET_FLAGS ? defaultFlags : openFlags,
        mode,
        flush == UNSET_FLUSH ? defaultFlush() : flush,
        encoding,
        reportsMalformed,
        overwrite,
        extras);
  }

  /** An atomic write is durable, unless told otherwise. */
  private int defaultFlush() {
    return (extras & WritePlan.ATOMIC) != 0 ? WritePlan.FLUSH_FULL : WritePlan.FLUSH_NONE;
  }

  /**
   * Sets how the file is opened: one of Node's strings {@code r rs r+ rs+ w wx w+ wx+ a ax as a+
   * ax+ as+} or a synonym ({@code sr sr+ xw xw+ xa sa xa+ sa+}), case-sensitive. A flag that is set
   * wins over the call's default, so that an append with {@code w} really truncates. {@code r} and
   * {@code rs} allow no writing (EBADF): they are for {@link Files2#openSync(java.nio.file.Path,
   * String) openSync}.
   *
   * @param flag the flag; {@code null} goes back to the default of the call
   * @return the changed copy
   * @throws IllegalArgumentException if {@code flag} is anything else
   */
  public WriteOptions flag(String flag) {
    return new WriteOptions(
        flag == null ? UNSET_FLAGS : OpenFlags.parse(flag),
        encoding,
        mode,
        flush,
        reportsMalformed,
        overwrite,
        extras);
  }

  /**
   * Sets the encoding by name. Node's twelve spellings ({@code utf8 utf-8 utf16le utf-16le ucs2
   * ucs-2 latin1 binary ascii hex base64 base64url}), in any letter case, follow Node's rules;
   * another charset name follows Java's. The name is resolved here, once.
   *
   * <p>So {@code latin1} is not {@code ISO-8859-1}, nor {@code ascii} {@code US-ASCII}: of "&euro;"
   * (U+20AC) Node's two write the low byte, AC, and Java's two a question mark.
   *
   * <p>{@code base64} and {@code hex} forgive, as Node does: base64 skips what is not of its
   * alphabet, and hex ends at the first wrong pair. A data URL ({@code data:image/png;base64,...})
   * would be written as wrong bytes, without an error. For text from outside use {@link
   * #onMalformedInput(CodingErrorAction) onMalformedInput(REPORT)}.
   *
   * @param encoding the name; {@code null} and the empty string mean utf8
   * @return the changed copy
   * @throws IllegalArgumentException if nothing has that name, or it does not say its byte order
   *     ({@code utf16}, {@code utf32})
   */
  public WriteOptions encoding(String encoding) {
    return withEncoding(encoding == null ? TextEncoding.UTF8 : TextEncoding.named(encoding));
  }

  /**
   * Sets the encoding to a charset with Java's rules: its encoder's replacement, and its byte order
   * mark if the file was empty when it was opened. {@code UTF_8} alone replaces as Node does.
   *
   * @param charset the charset
   * @return the changed copy
   * @throws IllegalArgumentException if the charset can only decode
   */
  public WriteOptions encoding(Charset charset) {
    Objects.requireNonNull(charset, "charset");
    return withEncoding(TextEncoding.of(charset));
  }

  private WriteOptions withEncoding(TextEncoding changed) {
    return new WriteOptions(openFlags, changed, mode, flush, reportsMalformed, overwrite, extras);
  }

  /**
   * Sets the permission bits that a new file gets, before the umask. An existing file keeps its
   * own. Bits above 07777 are ignored, as in {@code open(2)}.
   *
   * @param mode the bits, as in {@code 0600}; mind the leading 0: {@code 600} is {@code 01130}
   * @return the changed copy
   * @throws IllegalArgumentException if {@code mode} is negative
   */
  public WriteOptions mode(int mode) {
    return new WriteOptions(
        openFlags, encoding, checkMode(mode), flush, reportsMalformed, overwrite, extras);
  }

  /** Checks a mode and cuts it to the bits that {@code open(2)} looks at. */
  static int checkMode(int mode) {
    if (mode < 0) {
      throw new IllegalArgumentException("mode " + mode + " is negative");
    }
    return mode & MODE_BITS;
  }

  /**
   * Sets the permission bits that a new file gets, as octal digits, like {@code "600"} or {@code
   * "0600"}.
   *
   * @param mode the digits
   * @return the changed copy
   * @throws IllegalArgumentException if {@code mode} holds anything but octal digits, is empty, or
   *     is above {@code 17777777777}
   */
  public WriteOptions mode(String mode) {
    Objects.requireNonNull(mode, "mode");
    long value = 0;
    for (int i = 0; i < mode.length(); i++) {
      int digit = mode.charAt(i) - '0';
      if (digit < 0 || digit > 7 || value > Integer.MAX_VALUE >> 3) {
        throw badMode(mode);
      }
      value = value << 3 | digit;
    }
    if (mode.isEmpty()) {
      throw badMode(mode);
    }
    return mode((int) value);
  }

  private static IllegalArgumentException badMode(String mode) {
    return new IllegalArgumentException(
        "mode \"" + mode + "\" is not a number of octal digits up to 17777777777");
  }

  /**
   * Sets whether the file is synced after the last byte: {@code true} is {@link Flush#FULL}, {@code
   * false} is {@link Flush#NONE}.
   *
   * @param flush whether to call {@code fsync(2)}
   * @return the changed copy
   */
  public WriteOptions flush(boolean flush) {
    return flush(flush ? Flush.FULL : Flush.NONE);
  }

  /**
   * Sets what is made durable before the call returns. The sync comes once, after the last byte,
   * for paths and descriptors; its error is thrown. Nothing is thrown for what can't be synced
   * (pipe, socket, terminal). The folder that names a new file is not synced: after a power loss a
   * file that was there before has the new bytes, a new one may be missing. {@link #atomic} syncs
   * the folder too, and without a level of its own is as with {@link Flush#FULL}.
   *
   * @param flush the level
   * @return the changed copy
   */
  public WriteOptions flush(Flush flush) {
    Objects.requireNonNull(flush, "flush");
    int level =
        switch (flush) {
          case NONE -> WritePlan.FLUSH_NONE;
          case DATA -> WritePlan.FLUSH_DATA;
          case FULL -> WritePlan.FLUSH_FULL;
        };
    return new WriteOptions(openFlags, encoding, mode, level, reportsMalformed, overwrite, extras);
  }

  /**
   * Sets what happens to text that the encoding can't express: {@link CodingErrorAction#REPLACE}
   * writes what Node writes, {@link CodingErrorAction#REPORT} throws {@link MalformedTextException}
   * before the file is opened. {@code REPORT} is for uploads: without it a bad base64 or hex text
   * is written as wrong or too few bytes, and nobody is told. With it base64 is groups of four of
   * either alphabet, the last one padded or not; white space may lie between groups and at both
   * ends. Hex is pairs and nothing else.
   *
   * @param action {@code REPLACE} or {@code REPORT}
   * @return the changed copy
   * @throws IllegalArgumentException if {@code action} is {@code IGNORE}
   */
  public WriteOptions onMalformedInput(CodingErrorAction action) {
    Objects.requireNonNull(action, "action");
    if (action == CodingErrorAction.IGNORE) {
      throw new IllegalArgumentException("action IGNORE would lose text: use REPLACE or REPORT");
    }
    return new WriteOptions(
        openFlags, encoding, mode, flush, action == CodingErrorAction.REPORT, overwrite, extras);
  }

  /**
   * Sets how an existing file is replaced on a native lane. Without it {@code -Dfiles2.overwrite}
   * decides ({@code in_place}, the default, or {@code truncate}).
   *
   * @param overwrite the way
   * @return the changed copy
   */
  public WriteOptions overwrite(Overwrite overwrite) {
    Objects.requireNonNull(overwrite, "overwrite");
    int changed =
        overwrite == Overwrite.TRUNCATE
            ? WritePlan.OVERWRITE_TRUNCATE
            : WritePlan.OVERWRITE_IN_PLACE;
    return new WriteOptions(openFlags, encoding, mode, flush, reportsMalformed, changed, extras);
  }

  /**
   * Sets whether the file is replaced all or nothing: a reader, a crash or a failure sees the old
   * content or the new, and nothing between. It is written beside the target under a name like
   * {@code .files2-0123456789abcdef.tmp} and renamed. Durable too, unless {@link #flush(Flush)
   * flush(NONE)} is set: the file is synced before the rename and its folder afterwards, so a power
   * loss can't undo what has returned. ({@link Flush#DATA} is as {@link Flush#FULL} here.)
   *
   * <ul>
   *   <li>Symbolic links are followed and stay; a dangling one gets its target created. Anything
   *       but a regular file is refused: a folder, a pipe, a device.
   *   <li>The owner, the mode, the {@code user.*} attributes, the ACL and the SELinux label of the
   *       old file are kept; capabilities are not. Where the owner can't be kept, the setuid and
   *       setgid bits are dropped; where the group can't, so are those of its rights that others
   *       don't have (with an ACL: its mask loses them). A new file has {@link #mode(int)} less the
   *       umask. On the {@code nio} lane ACLs and labels are lost.
   *   <li>The right to the folder is needed (to read it too, unless {@code flush(NONE)} is set),
   *       not to the file: a read-only file is replaced all the same (an immutable one is not).
   *       Other hard links of the file keep the old content.
   *   <li>{@code wx} never replaces what another has created meanwhile. Flags that don't replace
   *       the whole file ({@code a}, {@code r+}) are refused, and so is what is open already.
   *   <li>A failure leaves the old file as it was and no temporary file. After a kill one may be
   *       left: see {@link Files2#removeLeftovers}.
   *   <li>Not for a file that others keep open (a log), nor where something is mounted on the file
   *       (as containers do): the rename fails there, and a write without this option works.
   * </ul>
   *
   * An atomic write loads the native lane at once and waits for it.
   *
   * @param atomic whether to replace all or nothing
   * @return the changed copy
   */
  public WriteOptions atomic(boolean atomic) {
    return withExtra(WritePlan.ATOMIC, atomic);
  }

  /**
   * Sets whether a file that holds exactly the bytes already is left alone: the same inode, the
   * same times, no event for those who watch it, and the call returns 0. It is opened to be read,
   * its size is compared and then its content, in bounded memory; only where they differ is it
   * opened again, to be written. A file that can't be read is simply written, and so is what is no
   * regular file. {@code flush} has nothing to sync where nothing is written. For paths only, and
   * for the flags {@code w} and {@code w+}; with {@code wx} and {@code wx+} there is nothing to
   * compare.
   *
   * <p>Another writer between the comparison and the return goes unnoticed, as between any two
   * calls. The position of a {@link java.nio.ByteBuffer} stays where nothing is written.
   *
   * @param onlyIfChanged whether to compare first
   * @return the changed copy
   */
  public WriteOptions onlyIfChanged(boolean onlyIfChanged) {
    return withExtra(WritePlan.ONLY_IF_CHANGED, onlyIfChanged);
  }

  /**
   * Sets whether the folders that the file is in are made where they are missing, each with mode
   * 0777 less the umask. It costs nothing where they are there: they are made only after an {@code
   * open(2)} that found none (ENOENT), and then the write is tried once more. Others may make the
   * same folders meanwhile. Where they can't be made that error is thrown, with the first one
   * suppressed. For paths only, and for flags that create a file. What a dangling symbolic link
   * names gets no folders.
   *
   * @param createParents whether to make them
   * @return the changed copy
   */
  public WriteOptions createParents(boolean createParents) {
    return withExtra(WritePlan.CREATE_PARENTS, createParents);
  }

  /**
   * Sets whether an {@link Appender} looks before each record whether its path still names the file
   * that it has open, and opens the path anew if it does not, or if the file has become shorter:
   * for logs that are rotated by a rename or truncated. Costs a look at the path (two {@code
   * stat(2)} at most) a record. What was written between the rotation and the look is in the old
   * file. Where files have no keys (in a zip file, on Windows) only a path that names nothing and a
   * shorter file are noticed. Other calls open their path each time and take no notice.
   *
   * @param reopenIfMoved whether to look
   * @return the changed copy
   */
  public WriteOptions reopenIfMoved(boolean reopenIfMoved) {
    return withExtra(WritePlan.REOPEN_IF_MOVED, reopenIfMoved);
  }

  boolean reopensIfMoved() {
    return (extras & WritePlan.REOPEN_IF_MOVED) != 0;
  }

  private WriteOptions withExtra(int bit, boolean isSet) {
    int changed = isSet ? extras | bit : extras & ~bit;
    return new WriteOptions(openFlags, encoding, mode, flush, reportsMalformed, overwrite, changed);
  }

  /** Names all options, for a log. */
  @Override
  public String toString() {
    return "WriteOptions[flag="
        + (openFlags == UNSET_FLAGS ? "default" : OpenFlags.nameOf(openFlags))
        + ", encoding="
        + encoding.name
        + ", mode=0"
        + Integer.toOctalString(mode)
        + ", flush="
        + flushName()
        + (reportsMalformed ? ", malformed=REPORT" : ", malformed=REPLACE")
        + ", overwrite="
        + (overwrite == WritePlan.OVERWRITE_UNSET
            ? "default"
            : overwrite == WritePlan.OVERWRITE_TRUNCATE ? "TRUNCATE" : "IN_PLACE")
        + WritePlan.extraNames(extras)
        + "]";
  }

  private String flushName() {
    return switch (flush) {
      case UNSET_FLUSH -> "default";
      case WritePlan.FLUSH_NONE -> "NONE";
      case WritePlan.FLUSH_DATA -> "DATA";
      default -> "FULL";
    };
  }

  WritePlan writePlan() {
    return writePlan;
  }

  WritePlan appendPlan() {
    return appendPlan;
  }
}
