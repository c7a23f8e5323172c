package io.github.files2.bench;

/** The texts that are written. */
final class Texts {
  private Texts() {}

  /**
   * Returns text that makes {@code byteCount} bytes of UTF-8.
   *
   * @param kind one of the names in {@link Target#text}
   */
  static String of(String kind, int byteCount) {
    int[] sample = sample(kind).codePoints().toArray();
    StringBuilder text = new StringBuilder(byteCount);
    int missing = byteCount;
    for (int i = 0; missing >= utf8Bytes(sample[i % sample.length]); i++) {
      text.appendCodePoint(sample[i % sample.length]);
      missing -= utf8Bytes(sample[i % sample.length]);
    }
    // What the next character does not fit in.
    return text.append(".".repeat(missing)).toString();
  }

  private static String sample(String kind) {
    return switch (kind) {
      case "ascii" -> "The quick brown fox jumps over the lazy dog.\n";
      case "russian" -> "Съешь же ещё этих мягких французских булок.\n";
      case "chinese" -> "天地玄黃宇宙洪荒日月盈昃辰宿列張";
      case "emoji" -> "🥳🚀😀🎉";
      case "mix" -> "he🥳lloworld!xx";
      default -> throw new IllegalArgumentException("no text " + kind);
    };
  }

  private static int utf8Bytes(int codePoint) {
    if (codePoint < 0x80) {
      return 1;
    }
    if (codePoint < 0x800) {
      return 2;
    }
    return codePoint < 0x10000 ? 3 : 4;
  }
}
