package io.github.files2;

import java.util.concurrent.ThreadLocalRandom;

/** The names of the temporary files of atomic writes; atomic.c makes the same. */
final class TempName {
  static final String PREFIX = ".files2-";
  static final String SUFFIX = ".tmp";
  private static final int DIGITS = 16;
  private static final int RADIX = 16;

  /** How many names are tried: one of 64 random bits that is taken is no accident. */
  static final int MAX_TRIES = 8;

  private TempName() {}

  /** Returns a new name. */
  static String next() {
    String digits = Long.toHexString(ThreadLocalRandom.current().nextLong());
    return PREFIX + "0".repeat(DIGITS - digits.length()) + digits + SUFFIX;
  }

  /** Tells whether {@code name} is one of ours. */
  static boolean matches(String name) {
    if (name.length() != PREFIX.length() + DIGITS + SUFFIX.length()
        || !name.startsWith(PREFIX)
        || !name.endsWith(SUFFIX)) {
      return false;
    }
    for (int i = PREFIX.length(); i < PREFIX.length() + DIGITS; i++) {
      char c = name.charAt(i);
      if (Character.digit(c, RADIX) < 0 || c >= 0x80 || Character.isUpperCase(c)) {
        return false;
      }
    }
    return true;
  }
}
