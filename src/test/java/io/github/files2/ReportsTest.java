package io.github.files2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.nio.charset.UnmappableCharacterException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Faults that were reported of other writers, each named in the comment at its test. */
final class ReportsTest extends EachLaneTest {
  private static final WriteOptions REPORT =
      WriteOptions.DEFAULT.onMalformedInput(CodingErrorAction.REPORT);

  private static String numbers(int charCount) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; text.length() < charCount; i++) {
      text.append(i).append(' ');
    }
    return text.substring(0, charCount);
  }

  // --- Flags and defaults

  /** nodejs/node#50990 */
  @ParameterizedTest
  @ValueSource(strings = {"utf8", "latin1", "base64", "hex", "utf-16be"})
  void encodingGivenButNoFlag_missingFile_isCreated(String encoding) throws IOException {
    Files2.writeStringSync(file(), "AAAA", WriteOptions.DEFAULT.encoding(encoding));
    assertThat(file()).isNotEmptyFile();
  }

  /** The same for every other option alone. */
  @Test
  void oneOptionGiven_missingFile_isCreated() throws IOException {
    WriteOptions none = WriteOptions.DEFAULT;
    WriteOptions[] all = {
      none.mode(0600), none.flush(true), none.overwrite(Overwrite.TRUNCATE), REPORT, none.flag(null)
    };
    for (WriteOptions options : all) {
      assertThat(Files2.writeStringSync(file(), "text", options)).isEqualTo(4);
      assertThat(Files2.appendStringSync(file(), "text", options)).isEqualTo(4);
      assertThat(file()).hasContent("texttext");
      Files.delete(file());
    }
  }

  /** oven-sh/bun#1516 */
  @Test
  void flagNull_isTheDefault() throws IOException {
    fileOf("a longer old text");
    Files2.writeStringSync(file(), "new", (String) null);
    assertThat(file()).hasContent("new");
  }

  /** nodejs/node#52079 */
  @Test
  void openedToAppendAndRead_missingFile_hasTheUsualMode() throws IOException {
    Needs.linux();
    Files.writeString(file(), "");
    Path usual = file();
    Path opened = folder.resolve("opened");
    Files2.closeSync(Files2.openSync(opened, "a+"));
    assertThat(Files.getAttribute(opened, "unix:mode"))
        .isEqualTo(Files.getAttribute(usual, "unix:mode"));
  }

  // --- Encodings

  /** nodejs/node#49888, #63695, #60539 */
  @ParameterizedTest
  @ValueSource(strings = {"UTF8", "UTF-8", "Utf-8", "utf8", "uTf8", ""})
  void utf8SpelledOtherwise_writesTheSame(String name) throws IOException {
    Files2.writeStringSync(file(), "\u20ac\ud800", WriteOptions.DEFAULT.encoding(name));
    assertThat(Files.readAllBytes(file()))
        .isEqualTo(new byte[] {(byte) 0xe2, (byte) 0x82, (byte) 0xac, -17, -65, -67});
  }

  /** A Turkish program must find the same names. */
  @Test
  void encodingInUpperCase_turkishLocale_isFound() throws IOException {
    Locale before = Locale.getDefault();
    Locale.setDefault(new Locale("tr"));
    try {
      Files2.writeStringSync(file(), "\u00e9", WriteOptions.DEFAULT.encoding("LATIN1"));
    } finally {
      Locale.setDefault(before);
    }
    assertThat(file()).hasSize(1);
  }

  /** oven-sh/bun#35252 */
  @Test
  void euroSignThreeTimes_isThreeEuroSigns() throws IOException {
    int fd = Files2.openSync(file(), "w");
    for (int i = 0; i < 3; i++) {
      assertThat(Files2.writeStringSync(fd, "\u20ac")).isEqualTo(3);
    }
    Files2.closeSync(fd);
    assertThat(file()).hasContent("\u20ac\u20ac\u20ac");
  }

  /** The same, through memory. */
  @Test
  void euroSignThreeTimesInMemory_isThreeEuroSigns() throws IOException {
    try (MemoryFile file = MemoryFile.open(file(), "w")) {
      for (int i = 0; i < 3; i++) {
        assertThat(file.write("\u20ac")).isEqualTo(3);
        assertThat(file.position()).isEqualTo(3L * (i + 1));
      }
    }
    assertThat(file()).hasContent("\u20ac\u20ac\u20ac");
  }

  /** openjdk/jdk#9019 (JDK-8287541) */
  @Test
  void unmappableCharacterInWindows1252_throwsAndLeavesTheFile() throws IOException {
    fileOf("old");
    Charset charset = Charset.forName("windows-1252");
    assertThatThrownBy(() -> Files2.writeString(file(), "\u0100", charset))
        .isInstanceOf(UnmappableCharacterException.class);
    assertThat(file()).hasContent("old");
  }

  /** JuliusBrussee/caveman#765, OpenHands/software-agent-sdk#3678 */
  @ParameterizedTest
  @ValueSource(ints = {0, 200_000})
  void characterOutsideTheCharset_oldContentSurvives(int charCountBefore) throws IOException {
    String old = "forty-two bytes of an existing old text...";
    fileOf(old);
    String text = "x".repeat(charCountBefore) + "\u20b9";
    for (String name : new String[] {"windows-1252", "US-ASCII", "ISO-8859-1", "Shift_JIS"}) {
      MalformedTextException e =
          catchThrowableOfType(
              MalformedTextException.class,
              () -> Files2.writeStringSync(file(), text, REPORT.encoding(Charset.forName(name))));
      assertThat(e.index()).as(name).isEqualTo(charCountBefore);
      assertThatThrownBy(() -> Files2.writeString(file(), text, Charset.forName(name)))
          .isInstanceOf(CharacterCodingException.class);
      assertThat(file()).hasContent(old);
    }
  }

  /** log2timeline/plaso#5206, RandallLiuXin/GodotMaker#73 */
  @Test
  void loneSurrogate_isReplacedOrReportedAsAsked() throws IOException {
    String text = "{\"a\": \"\udab3\"}";
    Files2.writeStringSync(file(), text);
    assertThat(file()).hasContent("{\"a\": \"\ufffd\"}");
    assertThatThrownBy(() -> Files2.writeStringSync(file(), "new " + text, REPORT))
        .isInstanceOf(MalformedTextException.class);
    assertThat(file()).hasContent("{\"a\": \"\ufffd\"}");
    Files2.writeStringSync(
        file(), text, WriteOptions.DEFAULT.encoding(Charset.forName("windows-1252")));
    assertThat(file()).hasContent("{\"a\": \"?\"}");
  }

  /** apache/commons-io#492 (IO-414) */
  @ParameterizedTest
  @ValueSource(strings = {"UTF-16", "UTF-32", "x-UTF-16LE-BOM", "x-UTF-32BE-BOM"})
  void appendWithByteOrderMark_marksTheFilesStartOnly(String name) throws IOException {
    Charset charset = Charset.forName(name);
    WriteOptions options = WriteOptions.DEFAULT.encoding(charset);
    Files2.appendStringSync(file(), "first", options);
    Files2.appendStringSync(file(), "second", options);
    assertThat(Files.readAllBytes(file())).isEqualTo("firstsecond".getBytes(charset));
    int fd = Files2.openSync(file(), "a");
    Files2.writeStringSync(fd, "third", options);
    Files2.closeSync(fd);
    assertThat(Files.readAllBytes(file())).isEqualTo("firstsecondthird".getBytes(charset));
    Files2.writeStringSync(file(), "new", options);
    assertThat(Files.readAllBytes(file())).isEqualTo("new".getBytes(charset));
  }

  // --- base64

  /** nodejs/node#11987 */
  @ParameterizedTest
  @ValueSource(strings = {"", " ", "  ", "\n", " \n ", "\r\n\r\n"})
  void base64WithoutPaddingButSpaceAtItsEnd_hasNoByteMore(String end) throws IOException {
    String twentyBytes = "hCpFOPGjmlOGEKQhcq5ZHbg7-_8";
    WriteOptions base64 = REPORT.encoding("base64");
    assertThat(Files2.writeStringSync(file(), twentyBytes + end, base64)).isEqualTo(20);
    assertThat(file()).hasSize(20);
  }

  /** nodejs/node#8569, #56905 */
  @Test
  void base64OfBothAlphabetsWithGarbage_decodesUpToTheFirstPadding() throws IOException {
    WriteOptions base64 = WriteOptions.DEFAULT.encoding("base64url");
    Files2.writeStringSync(file(), "-_*+/\u0000#==QUJD", base64);
    assertThat(Files.readAllBytes(file())).isEqualTo(new byte[] {-5, -1, -65});
    assertThatThrownBy(() -> Files2.writeStringSync(file(), "QU#JD", REPORT.encoding("base64")))
        .isInstanceOf(MalformedTextException.class);
  }

  // --- Descriptors

  /** nodejs/node#22554, #23433, oven-sh/bun#10225 */
  @Test
  void descriptorWrittenTwice_isNeitherTruncatedNorClosed() throws IOException {
    fileOf("the old and longer content");
    int fd = Files2.openSync(file(), "r+");
    Files2.writeStringSync(fd, "123");
    Files2.writeStringSync(fd, "0", "w");
    Files2.writeStringSync(fd, "", "w");
    Files2.closeSync(fd);
    assertThat(file()).hasContent("1230old and longer content");
  }

  /** nodejs/node#1058 */
  @Test
  void longTextsAppended_goWholeToTheEnd() throws IOException {
    String text = numbers(3_000_000);
    fileOf("old ");
    Files2.appendStringSync(file(), text);
    int fd = Files2.openSync(file(), "a");
    Files2.writeStringSync(fd, text);
    Files2.closeSync(fd);
    try (FileOutputStream out = new FileOutputStream(file().toFile(), true)) {
      Files2.writeStringSync(out.getFD(), text);
    }
    assertThat(Files.readString(file()).equals("old " + text + text + text)).isTrue();
  }

  // --- Errors

  /** bwa-mem2/bwa-mem2#121, vgough/encfs#272, objectionary/eo#6828 */
  @Test
  void fullDisk_firstErrorEndsTheCallAndHasItsName() {
    Needs.linux();
    assertThatThrownBy(() -> Files2.writeStringSync(Path.of("/dev/full"), "x".repeat(10_000_000)))
        .isInstanceOf(FileSystemException.class)
        .hasMessageContainingAll("ENOSPC", "No space left on device");
  }

  // --- Names

  /** ocaml/ocaml#6945, LadybirdBrowser/ladybird#12027 */
  @Test
  void pathWithNul_isRefused() {
    assertThatThrownBy(() -> Files2.writeStringSync(Path.of(folder + "/bla\0hehey"), "x"))
        .isInstanceOf(InvalidPathException.class);
    assertThat(folder).isEmptyDirectory();
  }

  // --- Special files

  /** google/gvisor#163 */
  @Test
  void text_isWrittenWithoutATerminator() throws IOException {
    Needs.linux();
    // The kernel tells a write of 3 bytes from one of 4 here.
    Path name = Path.of("/proc/self/comm");
    String before = Files.readString(name).strip();
    try {
      assertThat(Files2.writeStringSync(name, "abc")).isEqualTo(3);
      assertThat(Files.readString(name)).isEqualTo("abc\n");
    } finally {
      Files2.writeStringSync(name, before);
    }
  }

  // --- Interrupts

  /** apache/netbeans#1000 */
  @Test
  void interruptedThread_everyTargetIsWrittenAndTheFlagStays() throws IOException {
    String text = numbers(500_000);
    int fd = Files2.openSync(folder.resolve("fd"), "w");
    try (FileOutputStream out = new FileOutputStream(folder.resolve("FD").toFile())) {
      Thread.currentThread().interrupt();
      Files2.writeStringSync(file(), text, WriteOptions.DEFAULT.flush(true));
      Files2.writeStringSync(fd, text, WriteOptions.DEFAULT.flush(true));
      Files2.fsyncSync(fd);
      Files2.writeStringSync(out.getFD(), text, WriteOptions.DEFAULT.flush(true));
      assertThat(Thread.interrupted()).isTrue();
    }
    Files2.closeSync(fd);
    for (String name : new String[] {"file", "fd", "FD"}) {
      assertThat(Files.readString(folder.resolve(name), StandardCharsets.US_ASCII).equals(text))
          .as(name)
          .isTrue();
    }
  }

  // --- Atomic writes

  private static final WriteOptions ATOMIC = WriteOptions.DEFAULT.atomic(true);

  private void assertOnlyTheFile() {
    assertThat(folder).isDirectoryNotContaining(path -> !path.equals(file()));
  }

  /** pallets/click#1382, pimutils/vdirsyncer#1133 */
  @Test
  void atomic_oldAndNewFile_haveTheModeThatAPlainWriteGives() throws IOException {
    Needs.linux();
    Path plain = Files.writeString(folder.resolve("plain"), "");
    Files2.writeStringSync(file(), "new", ATOMIC);
    assertThat(Files.getAttribute(file(), "unix:mode"))
        .isEqualTo(Files.getAttribute(plain, "unix:mode"));
    Files.setAttribute(file(), "unix:mode", 0644);
    Files2.writeStringSync(file(), "newer", ATOMIC);
    assertThat((Integer) Files.getAttribute(file(), "unix:mode") & 07777).isEqualTo(0644);
  }

  /** JuliusBrussee/caveman#765, and RandallLiuXin/GodotMaker#73: no empty temporary files. */
  @ParameterizedTest
  @ValueSource(strings = {"windows-1252", "latin1", "utf8"})
  void atomic_textThatCantBeEncoded_leavesTheOldFileAndNoOther(String encoding) throws IOException {
    String old = "o".repeat(42);
    fileOf(old);
    WriteOptions options = ATOMIC.encoding(encoding).onMalformedInput(CodingErrorAction.REPORT);
    for (String text : new String[] {"\ud83d", "x".repeat(300_000) + "\ud83d"}) {
      assertThatThrownBy(() -> Files2.writeStringSync(file(), text, options))
          .isInstanceOf(CharacterCodingException.class);
      assertThat(file()).hasContent(old);
    }
    assertOnlyTheFile();
  }

  /** dbuenzli/bos#70: a file of the kernel may be written, its folder may not. */
  @Test
  void atomic_fileInAFolderOfTheKernel_throwsAndPlainModeWrites() throws IOException {
    Needs.linux();
    Path comm = Path.of("/proc/self/comm");
    assertThatThrownBy(() -> Files2.writeStringSync(comm, "atomic", ATOMIC))
        .isInstanceOf(FileSystemException.class)
        .hasMessageContaining("the file is as it was");
    assertThat(Files2.writeStringSync(comm, "plain")).isEqualTo(5);
  }

  /** llvm/llvm-project#56501 and its kind: an error that only shows late reaches the caller. */
  @Test
  void atomic_fullDisk_throwsAndLeavesTheOldFileAndNoOther() throws IOException {
    try (Mount mount = Mount.of("ext4")) {
      Path full = Files.writeString(mount.root().resolve("file"), "old");
      mount.fill(16 * 1024);
      assertThatThrownBy(() -> Files2.writeStringSync(full, "n".repeat(1 << 20), ATOMIC))
          .isInstanceOf(FileSystemException.class)
          .hasMessageContaining("ENOSPC");
      assertThat(full).hasContent("old");
      assertThat(mount.root())
          .isDirectoryNotContaining(path -> TempName.matches(path.getFileName().toString()));
    }
  }
}
