package io.github.files2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Text to bytes: Node's golden vectors, and every encoding across every border of the lanes. */
interface TextRules extends LaneRules {
  WriteOptions REPORT = WriteOptions.DEFAULT.onMalformedInput(CodingErrorAction.REPORT);

  List<String> ENCODINGS = List.of("utf8", "utf16le", "latin1", "ascii", "hex", "base64");

  /**
   * Where lanes change their way, in chars and bytes: small buffers (4 and 16 KiB, and a third of
   * them), critical sections (64 KiB), chunks (128 KiB), single writes (1 MiB).
   */
  int[] BORDERS = {
    4096, 5440, 5461, 8192, 16320, 16384, 21845, 32768, 43690, 65536, 87381, 131072, 349525, 1048576
  };

  // --- Golden vectors

  private static String unescape(String text) {
    StringBuilder plain = new StringBuilder();
    for (int i = 0; i < text.length(); i++) {
      if (text.startsWith("\\u", i)) {
        plain.append((char) Integer.parseInt(text.substring(i + 2, i + 6), 16));
        i += 5;
      } else {
        plain.append(text.charAt(i));
      }
    }
    return plain.toString();
  }

  private String hexWritten(String text, WriteOptions options) throws IOException {
    Path file = memoryFile();
    long byteCount = write(file, text, options);
    byte[] found = Files.readAllBytes(file);
    assertThat(byteCount).isEqualTo(found.length);
    return HexFormat.of().formatHex(found);
  }

  @ParameterizedTest
  @CsvSource({
    "a\\ud800b,          61efbfbd62,       610000d86200,   610062",
    "a\\udc00b,          61efbfbd62,       610000dc6200,   610062",
    "\\udc00\\ud800,     efbfbdefbfbd,     00dc00d8,       0000",
    "\\ud800\\ud800\\udc00, efbfbdf0908080, 00d800d800dc,  000000",
    "ab\\ud83d,          6162efbfbd,       610062003dd8,   61623d",
    "\\ud83d\\udc4d,     f09f918d,         3dd84ddc,       3d4d",
    "\\uffff,            efbfbf,           ffff,           ff",
    "\\ufeff,            efbbbf,           fffe,           ff",
    "\\u0000,            00,               0000,           00",
    "\\u00e9\\u0141\\u20ac\\uffff, c3a9c581e282acefbfbf, e9004101ac20ffff, e941acff"
  })
  default void write_goldenText_givesNodesBytes(
      String escaped, String utf8, String utf16le, String latin1) throws IOException {
    String text = unescape(escaped);
    assertThat(hexWritten(text, WriteOptions.DEFAULT)).isEqualTo(utf8);
    for (String name : new String[] {"utf16le", "UTF-16LE", "ucs2", "Ucs-2"}) {
      assertThat(hexWritten(text, WriteOptions.DEFAULT.encoding(name))).isEqualTo(utf16le);
    }
    for (String name : new String[] {"latin1", "binary", "ascii", "ASCII"}) {
      assertThat(hexWritten(text, WriteOptions.DEFAULT.encoding(name))).isEqualTo(latin1);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "'', ''",
    "a, ''",
    "abc, ab",
    "abcg, ab",
    "abxxcd, ab",
    "xxab, ''",
    "0xab, ''",
    "' ab', ''",
    "ab cd, ab",
    "ab\\u000a, ab",
    "AbCd, abcd",
    "\\uff41b, ab",
    "f\\uff41, fa"
  })
  default void write_goldenHex_givesNodesBytes(String text, String expected) throws IOException {
    assertThat(hexWritten(unescape(text), WriteOptions.DEFAULT.encoding("hex")))
        .isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({
    "'', ''",
    "K, ''",
    "A=AA, ''",
    "=bad, ''",
    "Kg, 2a",
    "Kg=, 2a",
    "Kg==, 2a",
    "Kg===, 2a",
    "Ki, 2a",
    "Kio, 2a2a",
    "Kio=, 2a2a",
    "Kioq, 2a2a2a",
    "AAAA=BBBB, 000000",
    "AA==BB==, 00",
    "AA=A, 00",
    "-_+/, fbffbf",
    "//4uAA==, fffe2e00",
    "__4uAA, fffe2e00",
    "K g\\u000a=\\u0009=, 2a",
    "K!g@#=, 2a",
    "Kg==garbage, 2a",
    "YWI=\\u3000, 6162",
    "AAA, 0000",
    "AAAAA, 000000",
    "\\uff21\\uff21\\uff21\\uff21, ''",
    "w0\\u0020\\u0020, c3",
    "YW55=======, 616e79",
    "\\u0080\\u00ff\\u0000\\u0098\\u0003Kioq, 2a2a2a"
  })
  default void write_goldenBase64_givesNodesBytes(String text, String expected) throws IOException {
    for (String name : new String[] {"base64", "base64url", "BASE64"}) {
      assertThat(hexWritten(unescape(text), WriteOptions.DEFAULT.encoding(name)))
          .isEqualTo(expected);
    }
  }

  // --- Both policies, at every length and border

  private static Stream<Arguments> encodingsAndBorders() {
    return ENCODINGS.stream()
        .flatMap(name -> Arrays.stream(BORDERS).mapToObj(border -> Arguments.of(name, border)));
  }

  /** Returns texts of one repeated unit, so that each text is of one storage and byte width. */
  private static List<String> fillings(String encoding) {
    return switch (encoding) {
      case "hex" -> List.of("0aF", "\uff41b"); // odd, so that pairs straddle borders
      case "base64" -> List.of("Q-U/Z", "QUJD\r\n", "\uff21AA=".substring(0, 3));
      default ->
          List.of("ab\u00ff", "a\ud83d\ude00", "a", "\u00e9", "\u0141", "\u4e2d", "\ud83d\ude00");
    };
  }

  private static String repeated(String unit, int charCount) {
    return unit.repeat(charCount / unit.length() + 1).substring(0, charCount);
  }

  @ParameterizedTest
  @MethodSource("io.github.files2.TextRules#encodingsAndBorders")
  default void write_lengthAroundBorder_givesTheBytes(String encoding, int border)
      throws IOException {
    List<String> units = fillings(encoding);
    // Long texts take their time: a narrow and a wide one do.
    for (String unit : border > 131072 ? units.subList(0, 2) : units) {
      for (int charCount : new int[] {border - 1, border, border + 1}) {
        checkBothPolicies(encoding, repeated(unit, charCount));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"utf8", "utf16le", "latin1", "ascii", "hex", "base64"})
  default void write_shortText_givesTheBytes(String encoding) throws IOException {
    for (String unit : fillings(encoding)) {
      for (int charCount = 0; charCount < 70; charCount++) {
        checkBothPolicies(encoding, repeated(unit, charCount));
      }
    }
  }

  /** Returns what slides across the borders: all that encoders must not cut, or must find. */
  private static List<String> features(String encoding) {
    return switch (encoding) {
      case "hex" -> List.of("g", "0", "\u0130\u0130", "\uff41b");
      case "base64" -> List.of("\r\n", "=", "==", "-_", "!", "A", "\uff21");
      default ->
          List.of(
              "\u00e9",
              "\u00e9\u4e2d",
              "\ud83d\ude00",
              "\ud83d",
              "\ude00",
              "\ud83d\ud83d\ude00",
              "\ud83d\ude00\ude00");
    };
  }

  @ParameterizedTest
  @MethodSource("io.github.files2.TextRules#encodingsAndBorders")
  default void write_featureSlidingAcrossBorder_givesTheBytes(String encoding, int border)
      throws IOException {
    boolean isLarge = border > 131072;
    String unit = encoding.equals("base64") || encoding.equals("hex") ? "Ab01" : "a";
    int featureCount = isLarge ? 3 : features(encoding).size();
    for (String feature : features(encoding).subList(0, featureCount)) {
      for (int shift = isLarge ? -2 : -4; shift <= 0; shift++) {
        checkBothPolicies(encoding, repeated(unit, border + shift) + feature + "Ab01");
      }
    }
  }

  /** The same with a wide string, which is read and narrowed in other pieces. */
  @ParameterizedTest
  @MethodSource("io.github.files2.TextRules#encodingsAndBorders")
  default void write_featureInWideText_givesTheBytes(String encoding, int border)
      throws IOException {
    if (border > 131072) {
      return; // the borders above are of bytes, which the narrow texts have met
    }
    String unit = encoding.equals("base64") || encoding.equals("hex") ? "Ab01" : "a";
    for (String feature : features(encoding)) {
      for (int shift = -2; shift <= 0; shift++) {
        checkBothPolicies(encoding, repeated(unit, border + shift) + feature + "\u0141\u0142");
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {16384, 65536, 131072, 200_000})
  default void write_base64InLines_givesTheBytes(int byteCount) throws IOException {
    byte[] bytes = new byte[byteCount];
    new Random(1).nextBytes(bytes);
    String lines = Base64.getMimeEncoder().encodeToString(bytes);
    for (int shift = 0; shift < 79; shift++) {
      String text = " ".repeat(shift) + lines;
      Path file = memoryFile();
      write(file, text, REPORT.encoding("base64"));
      assertThat(Files.mismatch(file, fileOfBytes(bytes))).as("shift %s", shift).isEqualTo(-1);
    }
  }

  private Path fileOfBytes(byte[] bytes) throws IOException {
    return Files.write(memoryFile().resolveSibling("expected"), bytes);
  }

  /** Writes text with both policies and compares with the naive encoder. */
  private void checkBothPolicies(String encoding, String text) throws IOException {
    Path file = memoryFile();
    byte[] expected = NaiveEncoder.encode(encoding, text);
    checkWrite(file, text, WriteOptions.DEFAULT.encoding(encoding), expected);
    int fault = NaiveEncoder.fault(encoding, text);
    if (fault < 0) {
      checkWrite(file, text, REPORT.encoding(encoding), expected);
    } else {
      checkRefusal(file, text, REPORT.encoding(encoding), fault, expected);
    }
  }

  private static String describe(String text) {
    String end = text.substring(Math.max(0, text.length() - 12));
    StringBuilder escaped = new StringBuilder();
    end.chars().forEach(unit -> escaped.append(String.format("%04x ", unit)));
    return text.length() + " chars that end in " + escaped;
  }

  private void checkWrite(Path file, String text, WriteOptions options, byte[] expected)
      throws IOException {
    long byteCount = write(file, text, options);
    byte[] found = Files.readAllBytes(file);
    if (byteCount != expected.length || !Arrays.equals(found, expected)) {
      assertThat(byteCount).as("count for %s", describe(text)).isEqualTo(expected.length);
      assertThat(Arrays.mismatch(found, expected))
          .as("first wrong byte for %s", describe(text))
          .isEqualTo(-1);
    }
  }

  private void checkRefusal(
      Path file, String text, WriteOptions options, int index, byte[] oldContent)
      throws IOException {
    MalformedTextException e =
        catchThrowableOfType(MalformedTextException.class, () -> write(file, text, options));
    assertThat(e).as("refusal of %s", describe(text)).isNotNull();
    assertThat(e.index()).as("index in %s", describe(text)).isEqualTo(index);
    assertThat(Arrays.equals(Files.readAllBytes(file), oldContent)).as("file untouched").isTrue();
  }

  // --- REPORT

  @ParameterizedTest
  @CsvSource({
    "utf8, ab\\ud800c, 2",
    "utf16le, \\udc00, 0",
    "latin1, ab\\u0100, 2",
    "ascii, a\\u0080, 1",
    "hex, abc, 2",
    "hex, abg0, 2",
    "base64, QUJDQ, 4",
    "base64, QUJ!, 3",
    "base64, QU=, 0",
    "base64, QU==QUJD, 4",
    "base64, Q UJD, 1",
    "base64, QUI= =, 5",
    "base64, \\uff21AAA, 0"
  })
  default void write_malformedTextReported_namesTheIndexAndCreatesNoFile(
      String encoding, String text, long index) {
    WriteOptions options = REPORT.encoding(encoding);
    MalformedTextException e =
        catchThrowableOfType(
            MalformedTextException.class, () -> write(memoryFile(), unescape(text), options));
    assertThat(e.index()).isEqualTo(index);
    assertThat(e.getMessage()).contains(encoding).contains(String.valueOf(index));
    assertThat(memoryFile()).doesNotExist();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"QUJD", "QU==", "QU", "QUI", "QUI=", "QU== \n", " QUJD\r\nQUJD\t", "-_+/"})
  default void write_strictBase64_isTaken(String text) throws IOException {
    assertThat(hexWritten(text, REPORT.encoding("base64")))
        .isEqualTo(HexFormat.of().formatHex(NaiveEncoder.encode("base64", text)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"utf8", "utf16le", "latin1", "ascii", "hex", "base64"})
  default void writeToDescriptor_malformedTextReported_writesNothing(String encoding)
      throws IOException {
    Path file = Files.writeString(memoryFile(), "old");
    WritePlan plan = REPORT.encoding(encoding).writePlan();
    String text = repeated("AAAA", 400_000) + "\ud800";
    int fd = open(file, "a");
    try {
      MalformedTextException e =
          catchThrowableOfType(
              MalformedTextException.class, () -> backend().writeText(fd, text, plan));
      assertThat(e.index()).isEqualTo(400_000);
    } finally {
      close(fd);
    }
    assertThat(file).hasContent("old");
  }

  /** Over an old file long text is counted first, and what is all ASCII goes another way then. */
  @ParameterizedTest
  @ValueSource(ints = {-1, 0, 65_535, 131_071, 131_072, 199_999})
  default void overwrite_longNarrowTextWithAnAccent_givesTheBytes(int accent) throws IOException {
    StringBuilder text = new StringBuilder("a".repeat(200_000));
    if (accent >= 0) {
      text.setCharAt(accent, '\u00e9');
    }
    Path file = Files.writeString(memoryFile(), "o".repeat(200_000));
    byte[] expected = NaiveEncoder.encode("utf8", text.toString());
    checkWrite(file, text.toString(), WriteOptions.DEFAULT, expected);
    checkWrite(file, text.toString(), REPORT, expected);
  }

  // --- Other targets, where long text goes out in one piece

  @ParameterizedTest
  @ValueSource(ints = {16384, 131072, 200_000, 1048576})
  default void append_featureSlidingAcrossBorder_givesTheBytes(int border) throws IOException {
    for (String encoding : ENCODINGS) {
      for (String feature : features(encoding).subList(0, 4)) {
        for (int shift = -3; shift <= 0; shift++) {
          String text = repeated("Ab01", border + shift) + feature + "Ab";
          Path file = Files.writeString(memoryFile(), "old");
          WritePlan plan = WriteOptions.DEFAULT.encoding(encoding).appendPlan();
          backend().writeText(file, text, plan);
          assertThat(endsIn(file, NaiveEncoder.encode(encoding, text)))
              .as("%s, %s", encoding, describe(text))
              .isTrue();
        }
      }
    }
  }

  /** Tells whether the file is "old" and then these bytes. */
  private static boolean endsIn(Path file, byte[] end) throws IOException {
    byte[] found = Files.readAllBytes(file);
    return found.length == 3 + end.length
        && new String(found, 0, 3, StandardCharsets.US_ASCII).equals("old")
        && Arrays.equals(found, 3, found.length, end, 0, end.length);
  }

  @ParameterizedTest
  @ValueSource(ints = {16384, 131072, 1048576})
  default void writeToDescriptors_featureSlidingAcrossBorder_givesTheBytes(int border)
      throws IOException {
    for (String encoding : ENCODINGS) {
      WritePlan plan = WriteOptions.DEFAULT.encoding(encoding).writePlan();
      for (int shift = -3; shift <= 0; shift++) {
        String text = repeated("Ab01", border + shift) + features(encoding).get(2) + "Ab";
        byte[] expected = NaiveEncoder.encode(encoding, text);
        Path file = Files.writeString(memoryFile(), "old");
        int fd = open(file, "a");
        backend().writeText(fd, text, plan);
        close(fd);
        assertThat(endsIn(file, expected)).as("fd, %s, %s", encoding, describe(text)).isTrue();
        Files.writeString(file, "old");
        try (FileOutputStream out = new FileOutputStream(file.toFile(), true)) {
          backend().writeText(out.getFD(), text, plan);
        }
        assertThat(endsIn(file, expected)).as("FD, %s, %s", encoding, describe(text)).isTrue();
      }
    }
  }

  // --- At random

  @Test
  default void write_randomTexts_giveTheBytes() throws IOException {
    long seed = Long.getLong("files2.seed", System.nanoTime());
    Random random = new Random(seed);
    List<String> pool = new ArrayList<>();
    ENCODINGS.forEach(name -> pool.addAll(features(name)));
    for (int round = 0; round < 120; round++) {
      StringBuilder text = new StringBuilder();
      int length = 1 << random.nextInt(18);
      int rarity = 1 + random.nextInt(2000);
      boolean isNarrow = random.nextBoolean();
      while (text.length() < length) {
        text.append(repeated("Ab01Cd/+", random.nextInt(rarity)));
        String feature = pool.get(random.nextInt(pool.size()));
        text.append(isNarrow ? feature.replaceAll("[^\0-\u00ff]", "") : feature);
      }
      for (String encoding : ENCODINGS) {
        try {
          checkBothPolicies(encoding, text.toString());
        } catch (AssertionError e) {
          throw new AssertionError("-Dfiles2.seed=" + seed + ", " + encoding, e);
        }
      }
    }
  }
}
