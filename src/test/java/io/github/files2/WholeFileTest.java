package io.github.files2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.FileDescriptor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The options that are about a whole file, through the API: what takes them and what refuses. */
final class WholeFileTest extends EachLaneTest {
  static Stream<WriteOptions> options() {
    WriteOptions none = WriteOptions.DEFAULT;
    return Stream.of(none.onlyIfChanged(true), none.atomic(true));
  }

  private static void assertRefused(ThrowingCallable call) {
    assertThatThrownBy(call).isExactlyInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @MethodSource("options")
  void flagThatDoesNotReplace_isRefusedBeforeTheFileIsTouched(WriteOptions options)
      throws IOException {
    for (String flag : new String[] {"r", "r+", "rs+", "a", "ax", "a+", "as", "as+"}) {
      assertRefused(() -> Files2.writeStringSync(file(), "x", options.flag(flag)));
      assertRefused(() -> Files2.writeBytesSync(file(), new byte[1], options.flag(flag)));
    }
    assertRefused(() -> Files2.appendStringSync(file(), "x", options));
    assertRefused(() -> Files2.appendBytesSync(file(), new byte[1], options));
    assertThat(folder).isEmptyDirectory();
  }

  @ParameterizedTest
  @MethodSource("options")
  void flagThatReplaces_isTaken(WriteOptions options) throws IOException {
    assertThat(Files2.writeStringSync(file(), "1", options.flag("wx"))).isEqualTo(1);
    assertThat(Files2.writeStringSync(file(), "22", options.flag("w+"))).isEqualTo(2);
    assertThat(Files2.appendStringSync(file(), "333", options.flag("w"))).isEqualTo(3);
    assertThat(Files2.appendBytesSync(file(), new byte[4], options.flag("w"))).isEqualTo(4);
    assertThat(Files.size(file())).isEqualTo(4);
  }

  @ParameterizedTest
  @MethodSource("options")
  void whatIsOpenAlready_isRefusedWithoutAWrite(WriteOptions options) throws IOException {
    fileOf("old");
    int fd = Files2.openSync(file(), "a");
    try {
      assertRefused(() -> Files2.writeStringSync(fd, "x", options));
      assertRefused(() -> Files2.writeBytesSync(fd, new byte[1], options));
      assertRefused(() -> Files2.writeStringSync(FileDescriptor.out, "x", options));
      assertRefused(() -> Files2.writeBytesSync(FileDescriptor.out, new byte[1], options));
      assertRefused(() -> Files2.writeStringSync(Channels.newChannel(System.out), "x", options));
    } finally {
      Files2.closeSync(fd);
    }
    assertThat(file()).hasContent("old");
  }

  @ParameterizedTest
  @ValueSource(strings = {"UTF-16", "windows-1252", "ISO-8859-1", "ISO-2022-JP"})
  void onlyIfChanged_textOfACharset_comparesItsBytes(String name) throws IOException {
    Charset charset = Charset.forName(name);
    WriteOptions options = WriteOptions.DEFAULT.encoding(charset).onlyIfChanged(true);
    String text = "\u00e9 \u3042".repeat(60_000);
    assertThat(Files2.writeStringSync(file(), text, options))
        .isEqualTo(text.getBytes(charset).length);
    assertThat(Files2.writeStringSync(file(), text, options)).isZero();
    assertThat(Files2.writeStringSync(file(), text + "!", options)).isPositive();
    assertThat(Files.readAllBytes(file())).isEqualTo((text + "!").getBytes(charset));
  }

  @Test
  void onlyIfChanged_buffer_movesByWhatWasWritten() throws IOException {
    ByteBuffer data = ByteBuffer.wrap("bytes".getBytes(StandardCharsets.US_ASCII));
    WriteOptions options = WriteOptions.DEFAULT.onlyIfChanged(true);
    assertThat(Files2.writeBytesSync(file(), data, options)).isEqualTo(5);
    assertThat(data.hasRemaining()).isFalse();
    assertThat(Files2.writeBytesSync(file(), data.rewind(), options)).isZero();
    assertThat(data.position()).isZero();
  }

  @Test
  void onlyIfChanged_fileThatMayOnlyBeWritten_isWritten() throws Exception {
    Needs.root();
    Path open = Files.createDirectory(folder.resolve("open"));
    Path file = Files.writeString(open.resolve("file"), "old");
    Mount.run("chmod", "0222", file.toString());
    Mount.run("chmod", "0777", open.toString(), folder.toString());
    ChildJvm child = new ChildJvm().asNobody(Files.createDirectory(folder.resolve("child")));
    assertThat(
            child
                .withOption("-Dfiles2.backend=" + (LANE.isEmpty() ? "shim" : LANE))
                .run(OnlyIfChangedProgram.class, file.toString(), "old"))
        .satisfies(result -> assertThat(result.lines()).containsExactly("3"));
    assertThat(file).hasContent("old");
  }

  @Test
  void toString_namesTheOption() {
    assertThat(WriteOptions.DEFAULT.onlyIfChanged(true)).asString().endsWith(", onlyIfChanged]");
    assertThat(WriteOptions.DEFAULT.onlyIfChanged(true).onlyIfChanged(false))
        .asString()
        .isEqualTo(WriteOptions.DEFAULT.toString());
  }
}
