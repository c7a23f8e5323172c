package io.github.files2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rare calls of the API: odd paths, odd options, and two writers of one file. */
final class CornerCasesTest extends EachLaneTest {
  private static final int ROUNDS = 2_000;
  private static final int OLD_BYTES = 200;

  // --- The Files family

  /** The JDK does not even ask the kernel, which has other words for some. */
  @ParameterizedTest
  @ValueSource(strings = {"missing", "folder", "file"})
  void writeString_newFileNamedByDot_throwsWhatFilesThrows(String parent) throws Exception {
    Files.createDirectory(folder.resolve("folder"));
    Files.createFile(folder.resolve("file"));
    Path dot = folder.resolve(parent).resolve(".");
    OpenOption isNew = StandardOpenOption.CREATE_NEW;
    assertThatThrownBy(() -> Files.writeString(dot, "text", isNew))
        .isExactlyInstanceOf(FileAlreadyExistsException.class);
    assertThatThrownBy(() -> Files2.writeString(dot, "text", isNew))
        .isExactlyInstanceOf(FileAlreadyExistsException.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"\ud800", "text"})
  void writeString_nullOptions_throwsWhatFilesThrows(String text) {
    OpenOption[] none = null;
    Throwable expected = catchThrowable(() -> Files.writeString(file(), text, none));
    assertThat(expected).isNotNull();
    assertThatThrownBy(() -> Files2.writeString(file(), text, none))
        .isExactlyInstanceOf(expected.getClass());
    assertThat(file()).doesNotExist();
  }

  // --- Descriptors

  @ParameterizedTest
  @ValueSource(ints = {1_000, (1 << 20) + 77_777})
  void descriptor_neverOpened_throwsAndNamesIt(int fd) {
    assertThatThrownBy(() -> Files2.writeStringSync(fd, "text"))
        .isInstanceOf(FileSystemException.class)
        .hasMessageContaining("fd " + fd);
    assertThatThrownBy(() -> Files2.fsyncSync(fd))
        .isInstanceOf(FileSystemException.class)
        .hasMessageContaining("fd " + fd);
    assertThatThrownBy(() -> Files2.closeSync(fd))
        .isInstanceOf(FileSystemException.class)
        .hasMessageContaining("fd " + fd);
  }

  /** Not even a byte order mark. */
  @Test
  void descriptor_emptyTextOfACharset_writesNothing() throws Exception {
    WriteOptions options = WriteOptions.DEFAULT.encoding(StandardCharsets.UTF_16);
    int fd = Files2.openSync(file(), "w");
    assertThat(Files2.writeStringSync(fd, "", options)).isZero();
    Files2.closeSync(fd);
    assertThat(file()).isEmptyFile();
  }

  // --- Options

  @Test
  void toString_ofEachChoice_namesIt() {
    WriteOptions options = WriteOptions.DEFAULT;
    assertThat(options.flush(Flush.NONE)).asString().contains("flush=NONE");
    assertThat(options.flush(Flush.DATA)).asString().contains("flush=DATA");
    assertThat(options.flush(true)).asString().contains("flush=FULL");
    assertThat(options.overwrite(Overwrite.TRUNCATE)).asString().contains("overwrite=TRUNCATE");
    assertThat(options.overwrite(Overwrite.IN_PLACE)).asString().contains("overwrite=IN_PLACE");
    assertThat(options.onMalformedInput(CodingErrorAction.REPORT))
        .asString()
        .contains("malformed=REPORT");
  }

  @ParameterizedTest
  @ValueSource(strings = {"utf32", "utF32", "utf-32", "UTF_32"})
  void encoding_utf32WithoutByteOrder_isToldTheTwoThatHaveOne(String name) {
    assertThatThrownBy(() -> WriteOptions.DEFAULT.encoding(name))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll("\"" + name + "\"", "utf-32le", "utf-32be");
  }

  @ParameterizedTest
  @ValueSource(strings = {"utf-32le", "utf-32be"})
  void encoding_utf32WithByteOrder_isTaken(String name) throws Exception {
    assertThat(Files2.writeStringSync(file(), "ab", WriteOptions.DEFAULT.encoding(name)))
        .isEqualTo(8);
  }

  @Test
  void optionsToString_namesWhatIsSet() {
    WriteOptions options =
        WriteOptions.DEFAULT.flag("wx").encoding("latin1").mode(0640).flush(Flush.DATA);
    assertThat(options.toString())
        .contains("flag=wx,", "encoding=latin1", "mode=0640", "flush=DATA");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "r", "rs", "r+", "rs+", "w", "wx", "w+", "wx+", "a", "ax", "as", "a+", "ax+", "as+"
      })
  void optionsToString_anyFlag_spellsItAsItWasGiven(String flag) {
    assertThat(WriteOptions.DEFAULT.flag(flag)).asString().contains("[flag=" + flag + ",");
  }

  @Test
  void flush_null_isRefusedByName() {
    assertThatThrownBy(() -> WriteOptions.DEFAULT.flush((Flush) null))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("flush");
  }
}
