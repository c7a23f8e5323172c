package io.github.files2;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The UTF-8 of the lanes without C, around the borders between its ways. */
final class Utf8SourceTest {
  /** Short and long texts, ends of blocks, and eights of bytes. */
  private static final int[] LENGTHS = {
    0, 1, 2, 7, 8, 9, 31, 32, 33, 63, 64, 65, 66, 100, 1023, 1024, 1025, 1055, 4095, 4096, 4097,
    8192, 8193, 12300
  };

  private static final List<String> LETTERS =
      List.of("a", "é", "ÿ", "ж", "\u07ff", "\u0800", "中", "😀", "\ud83d", "\ude00", "\uffff");

  private final Scratch scratch = new Scratch(Scratch.CHARS);

  @ParameterizedTest
  @ValueSource(strings = {"a", "é", "aé", "aж", "中", "a中", "😀", "a😀", "\ud83d", "a\ude00"})
  void fill_anyLength_makesWhatTheRulesSay(String sample) {
    for (int length : LENGTHS) {
      check(sample.repeat(length).substring(0, length));
    }
  }

  @Test
  void fill_oneLetterAnywhereInAscii_makesWhatTheRulesSay() {
    for (String letter : LETTERS) {
      for (int length : new int[] {40, 64, 1024, 4096, 4200}) {
        StringBuilder text = new StringBuilder("x".repeat(length));
        int step = length > 100 ? 37 : 1;
        IntStream.iterate(0, i -> i + letter.length() <= length, i -> i + step)
            .forEach(
                i ->
                    check(
                        text.toString().substring(0, i)
                            + letter
                            + text.substring(i + letter.length())));
        check(text.substring(letter.length()) + letter);
      }
    }
  }

  @Test
  void fill_randomText_makesWhatTheRulesSay() {
    long seed = Long.getLong("files2.seed", System.nanoTime());
    System.out.println("-Dfiles2.seed=" + seed);
    Random random = new Random(seed);
    for (int i = 0; i < 2000; i++) {
      int kinds = 1 + random.nextInt(LETTERS.size());
      StringBuilder text = new StringBuilder();
      int length = LENGTHS[random.nextInt(LENGTHS.length)];
      while (text.length() < length) {
        text.append(LETTERS.get(random.nextInt(kinds)));
      }
      check(text.toString());
    }
  }

  @Test
  void isLatin1_longText_isToldFromItsLetters() {
    for (int length : new int[] {1024, 1025, 5000}) {
      assertThat(Scratch.isLatin1("a".repeat(length))).isTrue();
      assertThat(Scratch.isLatin1("é".repeat(length))).isTrue();
      for (int i = 0; i < length; i++) {
        String text = "a".repeat(i) + "\u0100" + "a".repeat(length - 1 - i);
        assertThat(Scratch.isLatin1(text)).as("U+0100 at %d of %d", i, length).isFalse();
      }
    }
  }

  private void check(String text) {
    byte[] expected = NaiveEncoder.encode("utf8", text);
    Utf8Source whole = new Utf8Source(text, scratch);
    int bound = (int) whole.maxBytes() + Source.MIN_TARGET_BYTES;
    assertThat(whole.fill(ByteBuffer.allocate(bound)))
        .as("%d chars at once", text.length())
        .isTrue();
    assertThat(new Utf8Source(text, scratch).countBytes()).as("count").isEqualTo(expected.length);
    for (int room : new int[] {Source.MIN_TARGET_BYTES, 1000, 3 * Scratch.CHARS, 64 * 1024}) {
      if (room < 1000 && text.length() > 1100) {
        continue; // many small pieces are the same as few
      }
      Utf8Source source = new Utf8Source(text, scratch);
      assertThat(source.maxBytes()).isGreaterThanOrEqualTo(expected.length);
      ByteBuffer target = ByteBuffer.allocateDirect(room);
      ByteArrayOutputStream made = new ByteArrayOutputStream();
      boolean hasEnded;
      do {
        hasEnded = source.fill(target.clear());
        target.flip();
        byte[] piece = new byte[target.remaining()];
        target.get(piece);
        made.writeBytes(piece);
      } while (!hasEnded);
      if (!Arrays.equals(made.toByteArray(), expected)) {
        assertThat(made.toByteArray())
            .as("%d chars, room %d", text.length(), room)
            .isEqualTo(expected);
      }
    }
  }
}
