package io.github.files2;

/**
 * The flags of {@code open(2)}, with the numbers that Linux gives them on x86-64 and aarch64, and
 * Node's names for their combinations.
 */
final class OpenFlags {
  static final int RDONLY = 0;
  static final int WRONLY = 1;
  static final int RDWR = 2;
  static final int CREAT = 0100;
  static final int EXCL = 0200;
  static final int TRUNC = 01000;
  static final int APPEND = 02000;
  static final int DSYNC = 010000;

  /** O_SYNC holds the bit of O_DSYNC, as in the kernel. */
  static final int SYNC = 04010000;

  /** Node's {@code w}. */
  static final int WRITE = WRONLY | CREAT | TRUNC;

  private OpenFlags() {}

  /**
   * Returns the {@code open(2)} flags of one of Node's 20 flag strings.
   *
   * @throws IllegalArgumentException if {@code flag} is none of them
   */
  static int parse(String flag) {
    return switch (flag) {
      case "r" -> RDONLY;
      case "rs", "sr" -> RDONLY | SYNC;
      case "r+" -> RDWR;
      case "rs+", "sr+" -> RDWR | SYNC;
      case "w" -> WRITE;
      case "wx", "xw" -> WRITE | EXCL;
      case "w+" -> RDWR | CREAT | TRUNC;
      case "wx+", "xw+" -> RDWR | CREAT | TRUNC | EXCL;
      case "a" -> WRONLY | CREAT | APPEND;
      case "ax", "xa" -> WRONLY | CREAT | APPEND | EXCL;
      case "as", "sa" -> WRONLY | CREAT | APPEND | SYNC;
      case "a+" -> RDWR | CREAT | APPEND;
      case "ax+", "xa+" -> RDWR | CREAT | APPEND | EXCL;
      case "as+", "sa+" -> RDWR | CREAT | APPEND | SYNC;
      default -> throw new IllegalArgumentException(refusal(flag));
    };
  }

  private static String refusal(String flag) {
    String hint =
        TextEncoding.isName(flag)
            ? " but an encoding, for WriteOptions.encoding(\"" + flag + "\")"
            : "";
    return "flag \""
        + flag
        + "\" is no flag"
        + hint
        + "; flags are r, rs, r+, rs+, w, wx, w+, wx+, a, ax, as, a+, ax+, as+"
        + " and the synonyms sr, sr+, xw, xw+, xa, sa, xa+, sa+";
  }

  /** Spells as Node does what {@link #parse} has returned: of synonyms the first. */
  static String nameOf(int flags) {
    return ((flags & APPEND) != 0 ? "a" : (flags & TRUNC) != 0 ? "w" : "r")
        + ((flags & EXCL) != 0 ? "x" : "")
        + ((flags & SYNC) == SYNC ? "s" : "")
        + ((flags & RDWR) != 0 ? "+" : "");
  }

  /** Spells {@code flags} as C does, for the failure of an {@code open(2)}. */
  static String toString(int flags) {
    StringBuilder text = new StringBuilder();
    text.append((flags & RDWR) != 0 ? "O_RDWR" : (flags & WRONLY) != 0 ? "O_WRONLY" : "O_RDONLY");
    append(text, flags, CREAT, "|O_CREAT");
    append(text, flags, EXCL, "|O_EXCL");
    append(text, flags, TRUNC, "|O_TRUNC");
    append(text, flags, APPEND, "|O_APPEND");
    if ((flags & SYNC) == SYNC) {
      text.append("|O_SYNC");
    } else {
      append(text, flags, DSYNC, "|O_DSYNC");
    }
    return text.toString();
  }

  private static void append(StringBuilder text, int flags, int flag, String name) {
    if ((flags & flag) != 0) {
      text.append(name);
    }
  }
}
