package io.github.files2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CodingErrorAction;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.From;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.RandomDistribution;
import net.jqwik.api.Tag;
import net.jqwik.api.Tuple;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/**
 * What holds for every text, compared with {@link NaiveEncoder}. A property that fails prints its
 * smallest sample and the seed, which {@code @Property(seed = "…")} takes.
 *
 * <p>The texts are runs of one unit, since what goes wrong lies at borders: of a block of the
 * kernels, of a look at the string, of the small buffer and of a chunk.
 */
@Tag("each-lane")
final class EncodingPropertyTest {
  /** No run is longer, in chars: more than a chunk in each encoding. */
  private static final int LONGEST_RUN = 270_000;

  /** So many chars of 1, 2, 3 bytes, or of two digits a byte, are about a chunk. */
  private static final Integer[] CHUNK_FILLERS = {131_072, 65_536, 43_690, 262_144};

  private static Path folder;

  @BeforeContainer
  static void makeFolder() throws IOException {
    EachLaneTest.needLane();
    folder = new InMemory().createTempDirectory(null, null);
  }

  @AfterContainer
  static void removeFolder() throws IOException {
    Files.deleteIfExists(folder.resolve("file"));
    Files.delete(folder);
  }

  @Property(tries = 1500)
  void write_replacing_givesTheBytesOfTheRules(@ForAll("texts") Text text) throws IOException {
    Path file = folder.resolve("file");
    byte[] expected = NaiveEncoder.encode(text.encoding, text.chars());
    long count = Files2.writeStringSync(file, text.sequence(), text.options());
    assertThat(count).isEqualTo(expected.length);
    assertHolds(file, expected);
  }

  @Property(tries = 1500)
  void write_reporting_refusesAtTheFirstFault(@ForAll("texts") Text text) throws IOException {
    Path file = Files.writeString(folder.resolve("file"), "old");
    WriteOptions options = text.options().onMalformedInput(CodingErrorAction.REPORT);
    int fault = NaiveEncoder.fault(text.encoding, text.chars());
    MalformedTextException refused =
        catchThrowableOfType(
            MalformedTextException.class,
            () -> Files2.writeStringSync(file, text.sequence(), options));
    if (fault < 0) {
      assertThat(refused).isNull();
      assertHolds(file, NaiveEncoder.encode(text.encoding, text.chars()));
    } else {
      assertThat(refused.index()).isEqualTo(fault);
      assertThat(file).hasContent("old");
    }
  }

  @Property(tries = 2000)
  void appends_inAnyNumber_endOneAfterTheOther(
      @ForAll @Size(max = 4) List<@From("texts") Text> texts) throws IOException {
    Path file = folder.resolve("file");
    Files.deleteIfExists(file);
    int size = 0;
    byte[] expected = new byte[0];
    for (Text text : texts) {
      byte[] bytes = NaiveEncoder.encode(text.encoding, text.chars());
      expected = Arrays.copyOf(expected, size + bytes.length);
      System.arraycopy(bytes, 0, expected, size, bytes.length);
      size += bytes.length;
      Files2.appendStringSync(file, text.sequence(), text.options());
    }
    if (!texts.isEmpty()) {
      assertHolds(file, expected);
    }
  }

  @Property(tries = 800)
  void rewrite_whateverWasThere_leavesTheNewAlone(
      @ForAll("texts") Text old, @ForAll("texts") Text text, @ForAll Mode mode) throws IOException {
    Path file = folder.resolve("file");
    Files2.writeStringSync(file, old.sequence(), old.options());
    byte[] before = Files.readAllBytes(file);
    byte[] expected = NaiveEncoder.encode(text.encoding, text.chars());
    long count = Files2.writeStringSync(file, text.sequence(), mode.of(text.options()));
    assertHolds(file, expected);
    boolean isSpared = mode.asks && Arrays.equals(before, expected);
    assertThat(count).isEqualTo(isSpared ? 0 : expected.length);
  }

  @Property(tries = 800)
  void buffer_ofAnyKind_givesItsRestAndAdvances(
      @ForAll @IntRange(max = 300_000) int capacity,
      @ForAll @IntRange(max = 300_000) int from,
      @ForAll @IntRange(max = 300_000) int to,
      @ForAll Memory memory)
      throws IOException {
    byte[] bytes = new byte[capacity];
    new Random(capacity).nextBytes(bytes);
    int limit = Math.min(Math.max(from, to), capacity);
    int position = Math.min(Math.min(from, to), capacity);
    ByteBuffer buffer = memory.of(bytes).limit(limit).position(position);
    Path file = folder.resolve("file");
    assertThat(Files2.writeBytesSync(file, buffer)).isEqualTo(limit - position);
    assertThat(buffer.position()).isEqualTo(limit);
    assertHolds(file, Arrays.copyOfRange(bytes, position, limit));
  }

  /** Fails with a line, not with the bytes. */
  private static void assertHolds(Path file, byte[] expected) throws IOException {
    byte[] found = Files.readAllBytes(file);
    assertThat(Arrays.mismatch(found, expected))
        .as("first of %d bytes that is wrong; expected %d", found.length, expected.length)
        .isEqualTo(-1);
  }

  @Provide
  Arbitrary<Text> texts() {
    Arbitrary<String> encodings = Arbitraries.of("utf8", "utf16le", "latin1", "ascii", "hex");
    Arbitrary<String> plain =
        Arbitraries.frequencyOf(
            Tuple.of(4, Arbitraries.of("a", "é", "aé", "text ", "ÿ\n")),
            Tuple.of(
                3,
                Arbitraries.of(
                    "ж", "\u07ff", "\u0800", "中", "\uffff", "😀", "\ud83d", "\ude00", "a😀é中")),
            Tuple.of(1, Arbitraries.strings().all().ofMinLength(1).ofMaxLength(9)));
    Arbitrary<String> digits = Arbitraries.of("00", "fF", "7a9", "0", "g", " ", "\u0130");
    Arbitrary<String> base64 =
        Arbitraries.of("TWFu", "-_+/", "AAAA\r\n", "YQ==", "w0", "=", " ", "A", "中", "\u0141");
    return Arbitraries.oneOf(
        encodings.flatMap(encoding -> texts(encoding, encoding.equals("hex") ? digits : plain)),
        texts("utf8", Arbitraries.of("a", "é", "aé", "\u0000", "ÿ")),
        texts("base64", base64));
  }

  private static Arbitrary<Text> texts(String encoding, Arbitrary<String> units) {
    Arbitrary<Integer> counts =
        Arbitraries.oneOf(
            between(1, 70),
            between(1, 5000),
            between(1, LONGEST_RUN),
            Arbitraries.of(CHUNK_FILLERS).flatMap(count -> between(count - count / 16, count)));
    Arbitrary<List<Run>> runs = Combinators.combine(units, counts).as(Run::new).list().ofMaxSize(4);
    return Combinators.combine(runs, Arbitraries.of(true, false))
        .as((list, isString) -> new Text(encoding, list, isString));
  }

  /** Small numbers would come most often by themselves. */
  private static Arbitrary<Integer> between(int least, int most) {
    return Arbitraries.integers()
        .between(least, most)
        .withDistribution(RandomDistribution.uniform());
  }

  /** Some chars, so many times. */
  record Run(String unit, int count) {}

  /** A text by its recipe, which is what a failure shows. */
  record Text(String encoding, List<Run> runs, boolean isString) {
    String chars() {
      StringBuilder chars = new StringBuilder();
      for (Run run : runs) {
        int most = LONGEST_RUN / run.unit.length();
        chars.append(run.unit.repeat(Math.min(run.count, most)));
      }
      return chars.toString();
    }

    CharSequence sequence() {
      return isString ? chars() : new StringBuilder(chars());
    }

    WriteOptions options() {
      return WriteOptions.DEFAULT.encoding(encoding);
    }
  }

  /** How a file that is there is written again. */
  enum Mode {
    PLAIN(false),
    TRUNCATE(false),
    ATOMIC(false),
    ONLY_IF_CHANGED(true),
    ATOMIC_IF_CHANGED(true);

    /** Whether the old content is compared. */
    private final boolean asks;

    Mode(boolean asks) {
      this.asks = asks;
    }

    WriteOptions of(WriteOptions options) {
      return switch (this) {
        case PLAIN -> options;
        case TRUNCATE -> options.overwrite(Overwrite.TRUNCATE);
        case ATOMIC -> options.atomic(true).flush(Flush.NONE);
        case ONLY_IF_CHANGED -> options.onlyIfChanged(true);
        case ATOMIC_IF_CHANGED -> options.atomic(true).flush(Flush.NONE).onlyIfChanged(true);
      };
    }
  }

  /** Where a buffer's bytes are. */
  enum Memory {
    HEAP,
    SLICE,
    READ_ONLY,
    DIRECT,
    DIRECT_SLICE;

    ByteBuffer of(byte[] bytes) {
      return switch (this) {
        case HEAP -> ByteBuffer.wrap(bytes);
        case SLICE -> slice(ByteBuffer.allocate(bytes.length + 7), bytes);
        case READ_ONLY -> ByteBuffer.wrap(bytes).asReadOnlyBuffer();
        case DIRECT -> ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
        case DIRECT_SLICE -> slice(ByteBuffer.allocateDirect(bytes.length + 7), bytes);
      };
    }

    private static ByteBuffer slice(ByteBuffer larger, byte[] bytes) {
      return larger.put(5, bytes).slice(5, bytes.length);
    }
  }
}
