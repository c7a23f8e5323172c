package io.github.files2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NonReadableChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.charset.Charset;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A {@link MemoryFile} as a channel: flags, sizes, positions, text. */
final class MemoryFileTest extends EachLaneTest {
  private static final WriteOptions REPORT =
      WriteOptions.DEFAULT.onMalformedInput(CodingErrorAction.REPORT);

  private static ByteBuffer bytes(String text) {
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  /** Reads from the position on, to the end. */
  private static String rest(MemoryFile file) throws IOException {
    ByteBuffer target = ByteBuffer.allocate((int) (file.size() - file.position()) + 10);
    int count = file.read(target);
    assertThat(count).isEqualTo(target.position() == 0 ? -1 : target.position());
    return new String(target.array(), 0, target.position(), StandardCharsets.ISO_8859_1);
  }

  private static String all(MemoryFile file) throws IOException {
    return rest(file.position(0));
  }

  private static void assertTooLarge(ThrowingCallable call) {
    assertThatThrownBy(call)
        .isExactlyInstanceOf(FileSystemException.class)
        .hasMessageContainingAll("EFBIG", "nothing was changed");
  }

  // --- Flags

  @Test
  void r_existingFile_isReadAndNotWritten() throws IOException {
    fileOf("content");
    try (MemoryFile file = MemoryFile.open(file(), "r")) {
      assertThat(all(file)).isEqualTo("content");
      assertThatThrownBy(() -> file.write(bytes("x")))
          .isInstanceOf(NonWritableChannelException.class);
      assertThatThrownBy(() -> file.write("x")).isInstanceOf(NonWritableChannelException.class);
      assertThatThrownBy(() -> file.truncate(0)).isInstanceOf(NonWritableChannelException.class);
      assertThatThrownBy(file::outputStream).isInstanceOf(NonWritableChannelException.class);
      Files.writeString(file(), "other");
      file.flush();
    }
    assertThat(file()).hasContent("other");
  }

  @Test
  void nullFlags_meanR() throws IOException {
    fileOf("content");
    try (MemoryFile file = MemoryFile.open(file(), null, WriteOptions.DEFAULT.flag("w"))) {
      assertThat(all(file)).isEqualTo("content");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"r", "rs", "r+", "rs+"})
  void r_missingFile_throws(String flags) {
    assertThatThrownBy(() -> MemoryFile.open(file(), flags))
        .isInstanceOf(NoSuchFileException.class)
        .hasMessageContaining("ENOENT");
    assertThat(folder).isEmptyDirectory();
  }

  @ParameterizedTest
  @ValueSource(strings = {"r+", "rs+", "sr+"})
  void rPlus_existingFile_isChangedInTheMiddle(String flags) throws IOException {
    fileOf("0123456789");
    try (MemoryFile file = MemoryFile.open(file(), flags)) {
      assertThat(file.size()).isEqualTo(10);
      file.position(4).write(bytes("abc"));
      assertThat(rest(file)).isEqualTo("789");
      assertThat(file()).hasContent("0123456789");
    }
    assertThat(file()).hasContent("0123abc789");
  }

  @ParameterizedTest
  @ValueSource(strings = {"w", "w+"})
  void w_existingFile_isUntouchedUntilTheClose(String flags) throws IOException {
    fileOf("old content");
    try (MemoryFile file = MemoryFile.open(file(), flags)) {
      assertThat(file.size()).isZero();
      file.write(bytes("new"));
      assertThat(file()).hasContent("old content");
    }
    assertThat(file()).hasContent("new");
  }

  @Test
  void w_nothingWritten_emptiesTheFile() throws IOException {
    fileOf("old content");
    MemoryFile.open(file(), "w").close();
    assertThat(file()).isEmptyFile();
    Path missing = folder.resolve("missing");
    MemoryFile.open(missing, "w").close();
    assertThat(missing).isEmptyFile();
  }

  @ParameterizedTest
  @ValueSource(strings = {"wx", "xw", "wx+", "ax", "xa", "ax+"})
  void x_missingFile_isCreatedAtOnce(String flags) throws IOException {
    try (MemoryFile file = MemoryFile.open(file(), flags)) {
      assertThat(file()).isEmptyFile();
      file.write("text");
      assertThat(file()).isEmptyFile();
    }
    assertThat(file()).hasContent("text");
  }

  @ParameterizedTest
  @ValueSource(strings = {"wx", "wx+", "ax", "ax+"})
  void x_existingFile_throws(String flags) throws IOException {
    fileOf("old");
    assertThatThrownBy(() -> MemoryFile.open(file(), flags))
        .isInstanceOf(FileAlreadyExistsException.class);
    assertThat(file()).hasContent("old");
  }

  @ParameterizedTest
  @ValueSource(strings = {"wx", "ax+"})
  void discard_fileThatTheOpenCreated_removesIt(String flags) throws IOException {
    MemoryFile file = MemoryFile.open(file(), flags);
    file.write("text");
    file.discard();
    assertThat(file.isOpen()).isFalse();
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void discard_fileThatWasFlushedOrChangedByAnother_leavesIt() throws IOException {
    MemoryFile flushed = MemoryFile.open(file(), "wx");
    flushed.write("text");
    flushed.flush();
    flushed.write("more");
    flushed.discard();
    assertThat(file()).hasContent("text");
    Path taken = folder.resolve("taken");
    MemoryFile file = MemoryFile.open(taken, "wx");
    Files.writeString(taken, "by another");
    file.discard();
    assertThat(taken).hasContent("by another");
  }

  @ParameterizedTest
  @ValueSource(strings = {"r+", "w", "a", "a+"})
  void discard_changedFile_leavesTheOldContent(String flags) throws IOException {
    fileOf("old");
    MemoryFile file = MemoryFile.open(file(), flags);
    file.write("new");
    file.discard();
    file.discard();
    file.close();
    assertThat(file()).hasContent("old");
  }

  @ParameterizedTest
  @ValueSource(strings = {"a", "as", "sa"})
  void a_afterSeeking_writesToTheEnd(String flags) throws IOException {
    fileOf("old ");
    try (MemoryFile file = MemoryFile.open(file(), flags)) {
      assertThat(file.size()).isEqualTo(4);
      assertThat(file.position()).isEqualTo(4);
      file.position(0).write(bytes("one "));
      assertThat(file.position()).isEqualTo(8);
      file.position(100).write("two");
      assertThat(file.position()).isEqualTo(11);
      assertThat(file.size()).isEqualTo(11);
      assertThatThrownBy(() -> file.read(ByteBuffer.allocate(1)))
          .isInstanceOf(NonReadableChannelException.class);
    }
    assertThat(file()).hasContent("old one two");
  }

  @ParameterizedTest
  @ValueSource(strings = {"a+", "as+"})
  void aPlus_afterSeeking_readsThereAndWritesToTheEnd(String flags) throws IOException {
    fileOf("old ");
    try (MemoryFile file = MemoryFile.open(file(), flags)) {
      assertThat(file.position()).isZero();
      assertThat(rest(file)).isEqualTo("old ");
      file.position(1).write(bytes("new"));
      assertThat(file.position()).isEqualTo(7);
      assertThat(all(file)).isEqualTo("old new");
    }
    assertThat(file()).hasContent("old new");
  }

  @Test
  void a_reopened_appendsAgain() throws IOException {
    for (int i = 0; i < 3; i++) {
      try (MemoryFile file = MemoryFile.open(file(), i == 1 ? "a+" : "a")) {
        file.position(0).write("" + i);
      }
    }
    assertThat(file()).hasContent("012");
  }

  @ParameterizedTest
  @ValueSource(strings = {"a", "a+"})
  void a_othersAppendMeanwhile_bothSurvive(String flags) throws IOException {
    fileOf("old ");
    try (MemoryFile file = MemoryFile.open(file(), flags)) {
      file.write("one ");
      Files2.appendStringSync(file(), "another's ");
      file.flush();
      Files2.appendStringSync(file(), "and more ");
      file.write("two");
    }
    assertThat(file()).hasContent("old another's one and more two");
  }

  @ParameterizedTest
  @ValueSource(strings = {"a", "a+"})
  void a_missingFileAndNothingWritten_isCreatedAtTheClose(String flags) throws IOException {
    try (MemoryFile file = MemoryFile.open(file(), flags)) {
      assertThat(file()).doesNotExist();
      assertThat(file.size()).isZero();
    }
    assertThat(file()).isEmptyFile();
  }

  @Test
  void a_truncate_cutsOnlyWhatIsNotInTheFileYet() throws IOException {
    fileOf("old ");
    try (MemoryFile file = MemoryFile.open(file(), "a")) {
      file.write("new and more");
      file.truncate(7);
      assertThat(file.position()).isEqualTo(7);
      assertThatThrownBy(() -> file.truncate(3))
          .isInstanceOf(FileSystemException.class)
          .hasMessageContaining("EPERM");
      file.flush();
      assertThatThrownBy(() -> file.truncate(6)).isInstanceOf(FileSystemException.class);
      file.write("!");
    }
    assertThat(file()).hasContent("old new!");
  }

  @Test
  void open_flagThatIsNone_isRefused() {
    for (String flags : new String[] {"", "rw", "W", "utf8", "ra"}) {
      assertThatThrownBy(() -> MemoryFile.open(file(), flags))
          .isInstanceOf(IllegalArgumentException.class);
    }
    assertThatThrownBy(() -> MemoryFile.open(file(), "w", WriteOptions.DEFAULT, -1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("maxBytes -1");
    assertThatThrownBy(() -> MemoryFile.open(null, "w")).isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> MemoryFile.open(file(), "w", null))
        .isInstanceOf(NullPointerException.class);
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void open_appendWithWhatIsAboutTheWholeFile_isRefused() {
    for (String flags : new String[] {"a", "ax", "a+"}) {
      for (WriteOptions options :
          new WriteOptions[] {
            WriteOptions.DEFAULT.atomic(true), WriteOptions.DEFAULT.onlyIfChanged(true)
          }) {
        assertThatThrownBy(() -> MemoryFile.open(file(), flags, options))
            .isInstanceOf(IllegalArgumentException.class);
      }
    }
    assertThat(folder).isEmptyDirectory();
  }

  @ParameterizedTest
  @ValueSource(strings = {"r", "r+", "w", "a", "a+"})
  void open_folder_throws(String flags) {
    assertThatThrownBy(() -> MemoryFile.open(folder, flags))
        .isInstanceOf(FileSystemException.class)
        .hasMessageContaining("EISDIR");
  }

  @ParameterizedTest
  @ValueSource(strings = {"w", "wx", "a"})
  void open_missingFolder_throwsAtOnceOrIsMade(String flags) throws IOException {
    Path deep = folder.resolve("a/b/file");
    assertThatThrownBy(() -> MemoryFile.open(deep, flags))
        .isInstanceOf(NoSuchFileException.class)
        .hasMessageContaining("ENOENT");
    WriteOptions options = WriteOptions.DEFAULT.createParents(true);
    try (MemoryFile file = MemoryFile.open(deep, flags, options)) {
      file.write("text");
    }
    assertThat(deep).hasContent("text");
  }

  @ParameterizedTest
  @ValueSource(strings = {"r", "r+", "a+"})
  void open_deviceToBeRead_isRefused(String flags) {
    Needs.linux();
    assertThatThrownBy(() -> MemoryFile.open(Path.of("/dev/zero"), flags))
        .isInstanceOf(FileSystemException.class)
        .hasMessageContaining("EINVAL");
  }

  @Test
  void open_fileOfTheKernelWithoutASize_isReadToItsEnd() throws IOException {
    Needs.linux();
    Path name = Path.of("/proc/self/comm");
    try (MemoryFile file = MemoryFile.open(name, "r")) {
      assertThat(all(file)).isEqualTo(Files.readString(name));
    }
  }

  // --- Size and capacity

  @Test
  void write_pastTheEnd_leavesZeros() throws IOException {
    try (MemoryFile file = MemoryFile.open(file(), "w+")) {
      file.write("ab");
      file.position(5).write(bytes("c"));
      assertThat(file.size()).isEqualTo(6);
      file.position(300_000).write(bytes("d"));
      assertThat(file.size()).isEqualTo(300_001);
    }
    byte[] expected = new byte[300_001];
    System.arraycopy("ab\0\0\0c".getBytes(StandardCharsets.ISO_8859_1), 0, expected, 0, 6);
    expected[300_000] = 'd';
    assertThat(Arrays.equals(Files.readAllBytes(file()), expected)).isTrue();
  }

  @Test
  void write_pastWhatWasCutOff_doesNotBringItBack() throws IOException {
    try (MemoryFile file = MemoryFile.open(file(), "w+")) {
      file.write("x".repeat(500_000));
      file.truncate(3);
      file.position(5000).write("y");
      file.truncate(5001);
      file.position(200_000).write("z");
    }
    String content = Files.readString(file());
    assertThat(content.replace("\0", "")).isEqualTo("xxxyz");
    assertThat(content).hasSize(200_001);
  }

  /** Blocks are used again by other files. */
  @Test
  void write_pastTheEndAfterAnotherFileWasClosed_showsNothingOfIt() throws IOException {
    for (int i = 0; i < 3; i++) {
      try (MemoryFile secret = MemoryFile.open(folder.resolve("secret"), "w")) {
        secret.write("s".repeat(1_000_000));
      }
      try (MemoryFile file = MemoryFile.open(file(), "w")) {
        for (int at = 100; at < 1_000_000; at += 90_000) {
          file.position(at).write("x");
        }
      }
      assertThat(Files.readString(file()).replaceAll("[\0x]", "")).isEmpty();
    }
  }

  @Test
  void write_noBytes_changesNothingAnywhere() throws IOException {
    fileOf("old");
    try (MemoryFile file = MemoryFile.open(file(), "r+")) {
      for (long position : new long[] {0, 3, 10_000, Long.MAX_VALUE}) {
        file.position(position);
        assertThat(file.write(ByteBuffer.allocate(0))).isZero();
        assertThat(file.write("")).isZero();
        file.outputStream().write(new byte[0]);
        assertThat(file.position()).isEqualTo(position);
        assertThat(file.size()).isEqualTo(3);
      }
      Files.writeString(file(), "by another");
    }
    assertThat(file()).hasContent("by another");
  }

  @Test
  void read_atAndPastTheEnd_tellsTheEnd() throws IOException {
    fileOf("abc");
    try (MemoryFile file = MemoryFile.open(file(), "r+")) {
      ByteBuffer target = ByteBuffer.allocate(8);
      file.position(1);
      assertThat(file.read(target)).isEqualTo(2);
      assertThat(file.read(target)).isEqualTo(-1);
      file.position(Long.MAX_VALUE);
      assertThat(file.read(target)).isEqualTo(-1);
      assertThat(file.position()).isEqualTo(Long.MAX_VALUE);
      file.position(0);
      assertThat(file.read(ByteBuffer.allocate(0))).isZero();
      assertThatThrownBy(() -> file.read(ByteBuffer.allocate(1).asReadOnlyBuffer()))
          .isInstanceOf(IllegalArgumentException.class);
      assertThat(file.position()).isZero();
    }
  }

  @Test
  void truncate_keepsToItsContract() throws IOException {
    fileOf("0123456789");
    try (MemoryFile file = MemoryFile.open(file(), "r+")) {
      assertThat(file.position(20).truncate(15)).isSameAs(file);
      assertThat(file.position()).isEqualTo(15);
      assertThat(file.size()).isEqualTo(10);
      file.position(2).truncate(5);
      assertThat(file.position()).isEqualTo(2);
      assertThat(file.size()).isEqualTo(5);
      assertThatThrownBy(() -> file.truncate(-1)).isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> file.position(-1)).isInstanceOf(IllegalArgumentException.class);
    }
    assertThat(file()).hasContent("01234");
  }

  @ParameterizedTest
  @CsvSource({"1025, 1", "1025, 1000", "0, 1", "4096, 4096", "4097, 100", "200001, 8192"})
  void maxBytes_anyLimit_canBeFilledAndNotCrossed(int maxBytes, int step) throws IOException {
    try (MemoryFile file = MemoryFile.open(file(), "w+", WriteOptions.DEFAULT, maxBytes)) {
      byte[] data = new byte[step];
      Arrays.fill(data, (byte) 'x');
      while (file.size() + step <= maxBytes) {
        file.write(ByteBuffer.wrap(data));
      }
      long size = file.size();
      ByteBuffer source = ByteBuffer.wrap(new byte[(int) (maxBytes - size) + 1]);
      assertTooLarge(() -> file.write(source));
      assertTooLarge(() -> file.write("y".repeat(source.remaining())));
      assertTooLarge(() -> file.outputStream().write(source.array()));
      assertThat(source.position()).isZero();
      assertThat(file.position()).isEqualTo(size);
      assertThat(file.size()).isEqualTo(size);
      file.write("y".repeat((int) (maxBytes - size)));
      assertThat(file.size()).isEqualTo(maxBytes);
      assertTooLarge(() -> file.outputStream().write('z'));
      file.position(maxBytes + 10L);
      assertTooLarge(() -> file.write("z"));
      assertThat(file.write(ByteBuffer.allocate(0))).isZero();
      assertThat(all(file)).hasSize(maxBytes).matches("x*y*");
    }
    assertThat(file()).hasSize(maxBytes);
  }

  @Test
  void maxBytes_longText_isCountedExactly() throws IOException {
    String text = "\u20ac".repeat(20_000);
    try (MemoryFile file = MemoryFile.open(file(), "w", WriteOptions.DEFAULT, 59_999)) {
      assertTooLarge(() -> file.write(text));
      assertThat(file.size()).isZero();
    }
    try (MemoryFile file = MemoryFile.open(file(), "w", WriteOptions.DEFAULT, 60_000)) {
      assertThat(file.write(text)).isEqualTo(60_000);
    }
    assertThat(file()).hasContent(text);
  }

  @ParameterizedTest
  @ValueSource(strings = {"r", "r+", "a", "a+"})
  void maxBytes_largerFile_isRefusedAtTheOpen(String flags) throws IOException {
    fileOf("x".repeat(1026));
    assertTooLarge(() -> MemoryFile.open(file(), flags, WriteOptions.DEFAULT, 1025));
    MemoryFile.open(file(), flags, WriteOptions.DEFAULT, 1026).close();
    assertThat(file()).hasSize(1026);
  }

  @ParameterizedTest
  @ValueSource(strings = {"a", "a+"})
  void maxBytes_append_countsWhatIsThereAlready(String flags) throws IOException {
    fileOf("x".repeat(1000));
    try (MemoryFile file = MemoryFile.open(file(), flags, WriteOptions.DEFAULT, 1025)) {
      file.write("y".repeat(20));
      file.flush();
      assertTooLarge(() -> file.write("y".repeat(6)));
      file.write("z".repeat(5));
    }
    assertThat(file()).hasContent("x".repeat(1000) + "y".repeat(20) + "z".repeat(5));
  }

  @Test
  void position_farAway_isRefusedAtTheWriteOrTakesLittleMemory() throws IOException {
    MemoryFile file = MemoryFile.open(file(), "w+");
    for (long position : new long[] {Long.MAX_VALUE, Long.MAX_VALUE - 1, 1L << 50}) {
      file.position(position);
      assertTooLarge(() -> file.write("x"));
      assertThat(file.size()).isZero();
    }
    long far = 100_000_000_000L;
    file.position(far).write("x");
    assertThat(file.size()).isEqualTo(far + 1);
    file.position(far - 3);
    assertThat(rest(file)).isEqualTo("\0\0\0x");
    file.discard();
  }

  // --- Text

  @ParameterizedTest
  @CsvSource({
    "utf8, \u20ac\u00e9x",
    "latin1, \u00e9x",
    "ascii, x",
    "utf16le, \u20acx",
    "base64, aGVsbG8=",
    "hex, 00ff10",
    "UTF-16BE, \u20acx",
    "windows-1252, \u20acx"
  })
  void write_textOfEachEncodingAndLength_isAsAnyWrite(String encoding, String unit)
      throws IOException {
    WriteOptions options = WriteOptions.DEFAULT.encoding(encoding);
    for (int repeats : new int[] {0, 1, 500, 20_000, 300_000}) {
      String text = unit.repeat(repeats);
      Path expected = folder.resolve("expected");
      long byteCount = Files2.writeStringSync(expected, text, options);
      try (MemoryFile file = MemoryFile.open(file(), "w", options)) {
        assertThat(file.write(new StringBuilder(text))).isEqualTo(byteCount);
        assertThat(file.position()).isEqualTo(byteCount);
      }
      assertThat(Files.mismatch(file(), expected)).isEqualTo(-1);
    }
  }

  /** Each call is a text of its own. */
  @Test
  void write_surrogatePairInTwoCalls_isTwoLoneOnes() throws IOException {
    try (MemoryFile file = MemoryFile.open(file(), "w")) {
      file.write("\ud83d");
      file.write("\ude00\ud83d\ude00");
    }
    assertThat(file()).hasContent("\ufffd\ufffd\ud83d\ude00");
  }

  @Test
  void write_malformedText_isReportedAndChangesNothing() throws IOException {
    for (String encoding : new String[] {"utf8", "latin1", "base64", "hex", "windows-1252"}) {
      try (MemoryFile file = MemoryFile.open(file(), "w+", REPORT.encoding(encoding))) {
        file.write("abcd");
        String before = all(file);
        for (int charCount : new int[] {0, 20_000}) {
          MalformedTextException e =
              catchThrowableOfType(
                  MalformedTextException.class, () -> file.write("a".repeat(charCount) + "\ud83d"));
          assertThat(e.index()).isEqualTo(charCount);
        }
        assertThat(all(file)).isEqualTo(before);
        assertThat(file.position()).isEqualTo(before.length());
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"UTF-16", "UTF-32", "x-UTF-16LE-BOM"})
  void write_byteOrderMark_comesOnceAndOnlyIntoAnEmptyFile(String name) throws IOException {
    Charset charset = Charset.forName(name);
    WriteOptions options = WriteOptions.DEFAULT.encoding(charset);
    String more = "second".repeat(10_000);
    long limit = ("first" + more).getBytes(charset).length;
    try (MemoryFile file = MemoryFile.open(file(), "w", options, limit)) {
      file.write("");
      file.write("first");
      file.write(more);
    }
    assertThat(Files.readAllBytes(file())).isEqualTo(("first" + more).getBytes(charset));
    try (MemoryFile file = MemoryFile.open(file(), "a", options)) {
      file.write("third");
    }
    assertThat(Files.readAllBytes(file())).isEqualTo(("first" + more + "third").getBytes(charset));
  }

  @Test
  void write_behindAGap_hasNoByteOrderMark() throws IOException {
    WriteOptions options = WriteOptions.DEFAULT.encoding(StandardCharsets.UTF_16);
    try (MemoryFile file = MemoryFile.open(file(), "w", options)) {
      file.position(4);
      file.write("a");
    }
    assertThat(Files.readAllBytes(file())).isEqualTo(new byte[] {0, 0, 0, 0, 0, 'a'});
  }

  // --- The stream

  @Test
  void outputStream_writesAtThePositionAndClosesTheFile() throws IOException {
    MemoryFile file = MemoryFile.open(file(), "w+");
    OutputStream out = file.outputStream();
    out.write('a');
    out.write("xbcx".getBytes(StandardCharsets.US_ASCII), 1, 2);
    file.position(5);
    out.write('f');
    out.write(0x100 + 'g');
    out.flush();
    assertThat(file()).doesNotExist();
    assertThatThrownBy(() -> out.write(new byte[2], 1, 2))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThat(all(file)).isEqualTo("abc\0\0fg");
    out.close();
    assertThat(file.isOpen()).isFalse();
    assertThat(file()).hasContent("abc\0\0fg");
    assertThatThrownBy(() -> out.write(1)).isInstanceOf(ClosedChannelException.class);
    out.close();
  }

  // --- Closed

  @Test
  void anyCallAfterTheClose_throws() throws IOException {
    MemoryFile file = MemoryFile.open(file(), "w+");
    file.write("text");
    assertThat(file.isOpen()).isTrue();
    file.close();
    assertThat(file.isOpen()).isFalse();
    Files.writeString(file(), "other");
    file.close();
    file.discard();
    assertThat(file()).hasContent("other");
    for (ThrowingCallable call :
        new ThrowingCallable[] {
          () -> file.write(ByteBuffer.allocate(0)),
          () -> file.write(""),
          () -> file.read(ByteBuffer.allocate(0)),
          () -> file.position(),
          () -> file.position(0),
          () -> file.size(),
          () -> file.truncate(0),
          () -> file.flush(),
          () -> file.outputStream().write(new byte[0])
        }) {
      assertThatThrownBy(call).isExactlyInstanceOf(ClosedChannelException.class);
    }
  }

  /** They share the idle blocks, and nothing else: no thread finds a byte of another's. */
  @Test
  void files_oneForEachThread_holdTheirOwnBytesOnly() throws Exception {
    int threads = 4;
    int rounds = 40;
    ExecutorService executor = Executors.newFixedThreadPool(threads);
    try {
      List<Future<?>> running = new ArrayList<>();
      for (int t = 0; t < threads; t++) {
        Path own = folder.resolve("file" + t);
        String unit = String.valueOf((char) ('a' + t));
        running.add(
            executor.submit(
                () -> {
                  for (int round = 0; round < rounds; round++) {
                    writeWithAGap(own, unit, round % 3 == 0);
                  }
                  return null;
                }));
      }
      for (Future<?> each : running) {
        each.get();
      }
    } finally {
      executor.shutdownNow();
    }
  }

  private static void writeWithAGap(Path path, String unit, boolean isDiscarded)
      throws IOException {
    int half = 2 * MemoryBlocks.BLOCK_BYTES;
    String part = unit.repeat(half);
    String expected = part + "\0".repeat(1000) + part;
    MemoryFile file = MemoryFile.open(path, "w+");
    file.write(part);
    file.position(half + 1000).write(part);
    ByteBuffer found = ByteBuffer.allocate(expected.length());
    file.position(0);
    assertThat(file.read(found)).isEqualTo(expected.length());
    assertThat(new String(found.array(), StandardCharsets.ISO_8859_1).equals(expected)).isTrue();
    if (isDiscarded) {
      file.discard();
    } else {
      file.close();
      assertThat(Files.readString(path).equals(expected)).isTrue();
    }
  }
}
