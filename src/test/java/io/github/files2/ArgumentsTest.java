package io.github.files2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.FileDescriptor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.Charset;
import java.nio.charset.CodingErrorAction;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Misuse: refused with the argument's name and value, before any file is touched. */
final class ArgumentsTest extends EachLaneTest {
  @AfterEach
  void nothingWasTouched() throws IOException {
    try (var files = Files.list(folder)) {
      assertThat(files).isEmpty();
    }
  }

  private static void checkNull(ThrowingCallable call, String name) {
    assertThatThrownBy(call).isInstanceOf(NullPointerException.class).hasMessage(name);
  }

  @Test
  void anyMethod_nullTarget_isRefusedByName() {
    byte[] bytes = new byte[1];
    checkNull(() -> Files2.writeStringSync((Path) null, "x"), "file");
    checkNull(() -> Files2.writeStringSync((Path) null, "x", "w"), "file");
    checkNull(() -> Files2.appendStringSync((Path) null, "x"), "file");
    checkNull(() -> Files2.writeBytesSync((Path) null, bytes), "file");
    checkNull(() -> Files2.appendBytesSync((Path) null, ByteBuffer.wrap(bytes)), "file");
    checkNull(() -> Files2.openSync(null, "w"), "file");
    checkNull(() -> Files2.writeStringSync((FileDescriptor) null, "x"), "fd");
    checkNull(() -> Files2.writeBytesSync((FileDescriptor) null, bytes), "fd");
    checkNull(() -> Files2.writeStringSync((WritableByteChannel) null, "x"), "channel");
  }

  @Test
  void anyMethod_nullData_isRefusedByName() {
    checkNull(() -> Files2.writeStringSync(file(), null), "data");
    checkNull(() -> Files2.appendStringSync(file(), null), "data");
    checkNull(() -> Files2.writeBytesSync(file(), (byte[]) null), "data");
    checkNull(() -> Files2.appendBytesSync(file(), (ByteBuffer) null), "data");
    checkNull(() -> Files2.writeStringSync(1, null), "data");
    checkNull(() -> Files2.writeBytesSync(1, (byte[]) null), "data");
    checkNull(() -> Files2.writeStringSync(FileDescriptor.out, null), "data");
    checkNull(() -> Files2.writeBytesSync(FileDescriptor.out, (ByteBuffer) null), "data");
  }

  @Test
  void anyMethod_nullOptions_areRefusedByName() {
    WriteOptions none = null;
    checkNull(() -> Files2.writeStringSync(file(), "x", none), "options");
    checkNull(() -> Files2.appendStringSync(file(), "x", none), "options");
    checkNull(() -> Files2.writeBytesSync(file(), new byte[1], none), "options");
    checkNull(() -> Files2.writeStringSync(1, "x", none), "options");
    checkNull(() -> Files2.writeStringSync(FileDescriptor.out, "x", none), "options");
  }

  @Test
  void filesFamily_null_isRefusedAsByFiles() {
    OpenOption noOption = null;
    for (ThrowingCallable call :
        List.<ThrowingCallable>of(
            () -> Files2.writeString(null, "x"),
            () -> Files2.writeString(file(), null),
            () -> Files2.writeString(file(), "x", (Charset) null),
            () -> Files2.writeString(file(), "x", noOption),
            () -> Files2.write(file(), (byte[]) null),
            () -> Files2.write(file(), (Iterable<String>) null),
            () -> Files2.write(file(), List.of("x"), (Charset) null),
            () -> Files2.write(file(), new byte[1], noOption))) {
      assertThatThrownBy(call).isInstanceOf(NullPointerException.class);
    }
  }

  @Test
  void writeStringSync_nullFlags_areTheDefault() throws IOException {
    Files2.writeStringSync(file(), "x", (String) null);
    Files2.writeStringSync(file(), "x", WriteOptions.DEFAULT.flag("r+").flag(null));
    Files.delete(file());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "", "+", "+a", "+r", "+w", "rw", "wa", "war", "raw", "r++", "a++", "w++", "x", "+x", "x+",
        "rx", "rx+", "wxx", "wax", "xwx", "xxx", "ws", "W", "A", "R+", "wr", "w ", " w", "null"
      })
  void flag_anythingElse_isRefusedByValue(String flag) {
    for (ThrowingCallable call :
        List.<ThrowingCallable>of(
            () -> WriteOptions.DEFAULT.flag(flag),
            () -> Files2.writeStringSync(file(), "x", flag),
            () -> Files2.writeStringSync(1, "x", flag),
            () -> Files2.openSync(file(), flag))) {
      assertThatThrownBy(call)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("flag \"" + flag + "\"")
          .hasMessageNotContaining("encoding");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"utf8", "UTF-8", "base64", "hex", "latin1", "ISO-8859-1"})
  void flag_nameOfAnEncoding_isToldWhereThatGoes(String name) {
    assertThatThrownBy(() -> Files2.writeStringSync(file(), "x", name))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("WriteOptions.encoding(\"" + name + "\")");
  }

  @ParameterizedTest
  @ValueSource(strings = {"utf16", "UTF-16", "UTF16", "utf_16", "unicode"})
  void encoding_withoutByteOrder_isToldTheOthers(String name) {
    assertThatThrownBy(() -> WriteOptions.DEFAULT.encoding(name))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll("\"" + name + "\"", "utf16le", "encoding(Charset)");
  }

  @ParameterizedTest
  @ValueSource(strings = {" utf8", "utf8 ", "utf_9", "buffer", "Buffer", "no-such", "\u00e9", "?"})
  void encoding_unknownName_isRefusedByValue(String name) {
    assertThatThrownBy(() -> WriteOptions.DEFAULT.encoding(name))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("encoding \"" + name + "\"");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "utf8",
        "utf-8",
        "utf16le",
        "utf-16le",
        "ucs2",
        "ucs-2",
        "latin1",
        "binary",
        "ascii",
        "hex",
        "base64",
        "base64url"
      })
  void encoding_nodesNameInAnyCase_isTaken(String name) {
    String mixed = name.substring(0, 1).toUpperCase(java.util.Locale.ROOT) + name.substring(1);
    assertThatCode(
            () ->
                WriteOptions.DEFAULT
                    .encoding(name)
                    .encoding(mixed)
                    .encoding(name.toUpperCase(java.util.Locale.ROOT)))
        .doesNotThrowAnyException();
  }

  @Test
  void encoding_charsetThatOnlyDecodes_isRefused() {
    Charset decoder = Charset.forName("x-JISAutoDetect");
    assertThatThrownBy(() -> WriteOptions.DEFAULT.encoding(decoder))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("x-JISAutoDetect");
  }

  @Test
  void onMalformedInput_ignore_isRefused() {
    assertThatThrownBy(() -> WriteOptions.DEFAULT.onMalformedInput(CodingErrorAction.IGNORE))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("IGNORE");
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, -7, Integer.MIN_VALUE})
  void anyMethod_negativeNumber_isRefusedByValue(int fd) {
    for (ThrowingCallable call :
        List.<ThrowingCallable>of(
            () -> Files2.writeStringSync(fd, "x"),
            () -> Files2.writeStringSync(fd, ""),
            () -> Files2.appendStringSync(fd, "x"),
            () -> Files2.writeBytesSync(fd, new byte[1]),
            () -> Files2.appendBytesSync(fd, ByteBuffer.allocate(1)),
            () -> Files2.closeSync(fd),
            () -> Files2.fsyncSync(fd))) {
      assertThatThrownBy(call)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("fd " + fd);
    }
  }

  @Test
  void mode_negative_isRefusedByValue() {
    assertThatThrownBy(() -> WriteOptions.DEFAULT.mode(-1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("mode -1");
    assertThatThrownBy(() -> Files2.openSync(file(), "w", -0600))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("mode -384");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "0o600", "888", "abc", "-600", "+600", " 600", "6\u0660", "20000000000"})
  void mode_noOctalDigits_isRefusedByValue(String mode) {
    assertThatThrownBy(() -> WriteOptions.DEFAULT.mode(mode))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("mode \"" + mode + "\"");
  }

  @Test
  void options_changed_leaveTheOriginal() throws IOException {
    WriteOptions original = WriteOptions.DEFAULT.flag("a");
    original.flag("w").encoding("hex").mode(0).flush(true).overwrite(Overwrite.TRUNCATE);
    Files2.writeStringSync(file(), "ab", original);
    Files2.writeStringSync(file(), "ab", original);
    assertThat(file()).hasContent("abab");
    Files.delete(file());
  }
}
