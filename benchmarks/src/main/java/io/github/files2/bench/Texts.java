package io.github.files2.bench;

import java.util.Random;

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

  /**
   * Returns text of {@code charCount} chars: a sample again and again, words of random length of
   * its letters, or code points of all planes.
   *
   * @param kind one of the names in {@link EncodingBenchmark.Encoded#text}
   */
  static String ofChars(String kind, int charCount) {
    boolean isRandom = kind.endsWith("-words") || kind.equals("planes");
    int[] sample = sample(kind.replace("-words", "")).codePoints().toArray();
    Random random = new Random(charCount);
    StringBuilder text = new StringBuilder(charCount + 1);
    for (int i = 0; text.length() < charCount; i++) {
      boolean isSpace = isRandom && random.nextInt(7) == 0;
      int at = isRandom ? random.nextInt(sample.length) : i % sample.length;
      text.appendCodePoint(isSpace ? ' ' : sample[at]);
    }
    // A pair that no longer fits.
    if (text.length() > charCount) {
      text.setLength(charCount - 1);
      text.append('.');
    }
    return text.toString();
  }

  private static String sample(String kind) {
    return switch (kind) {
      case "french" -> "Voix ambiguë d'un cœur qui, au zéphyr, préfère les jattes de kiwis.\n";
      case "planes" -> "aé\u07ffжल中\uffe6𐍈😀𠀋󠄀\udbff\udffd";
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
