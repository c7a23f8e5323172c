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
import org.junit.jupiter.params.provider.CsvSource;
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
    assertThat(runAsNobody(OnlyIfChangedProgram.class, file.toString(), "old").lines())
        .containsExactly("3");
    assertThat(file).hasContent("old");
  }

  /** As a user that permissions apply to, in a folder that only others may write to. */
  @Test
  void atomic_folderThatMayNotBeWritten_throwsWithAHintAndKeepsTheFile() throws Exception {
    Needs.root();
    Path locked = Files.createDirectory(folder.resolve("locked"));
    Path file = Files.writeString(locked.resolve("file"), "old");
    Mount.run("chmod", "0666", file.toString());
    Mount.run("chmod", "0755", locked.toString(), folder.toString());
    assertThat(runAsNobody(AtomicProgram.class, file.toString(), "new", "1").err())
        .contains("AccessDeniedException", "EACCES", "the file is as it was", "without atomic");
    assertThat(file).hasContent("old");
    assertThat(locked).isDirectoryNotContaining(path -> !path.equals(file));
  }

  /** A user who may not give files away gets the content in, and the file is his. */
  @Test
  void atomic_fileOfAnother_belongsToTheWriterAndLosesItsSpecialBits() throws Exception {
    Needs.root();
    Path open = Files.createDirectory(folder.resolve("open"));
    Path file = Files.writeString(open.resolve("file"), "old");
    Mount.run("chmod", "6755", file.toString());
    Mount.run("chmod", "0777", open.toString());
    Mount.run("chmod", "0755", folder.toString());
    assertThat(runAsNobody(AtomicProgram.class, file.toString(), "new", "1").lines())
        .containsExactly("3");
    assertThat(file).hasContent("new");
    assertThat(Files.getAttribute(file, "unix:uid")).isEqualTo(65534);
    assertThat((Integer) Files.getAttribute(file, "unix:mode") & 07777).isEqualTo(0755);
  }

  /** What its group might do with the old file, the writer's group may not do with the new one. */
  @ParameterizedTest
  @CsvSource({"2660, 0600", "0664, 0644", "0777, 0777", "0604, 0604", "0670, 0600"})
  void atomic_fileOfAnotherGroup_opensNothingToTheWritersGroup(String before, String after)
      throws Exception {
    Needs.root();
    Path open = Files.createDirectory(folder.resolve("open"));
    Path file = Files.writeString(open.resolve("file"), "old");
    Mount.run("chown", "65534:1234", file.toString());
    Mount.run("chmod", before, file.toString());
    Mount.run("chmod", "0777", open.toString());
    Mount.run("chmod", "0755", folder.toString());
    assertThat(runAsNobody(AtomicProgram.class, file.toString(), "new", "1").lines())
        .containsExactly("3");
    assertThat(file).hasContent("new");
    assertThat(Files.getAttribute(file, "unix:gid")).isNotEqualTo(1234);
    assertThat((Integer) Files.getAttribute(file, "unix:mode") & 07777)
        .isEqualTo(Integer.parseInt(after, 8));
  }

  /** Its attributes may not even be listed by the JDK. */
  @Test
  void atomic_fileThatMayNotBeRead_isReplaced() throws Exception {
    Needs.root();
    Path open = Files.createDirectory(folder.resolve("open"));
    Path file = Files.writeString(open.resolve("file"), "old");
    Mount.run("chown", "65534", file.toString());
    Mount.run("chmod", "0200", file.toString());
    Mount.run("chmod", "0777", open.toString());
    Mount.run("chmod", "0755", folder.toString());
    assertThat(runAsNobody(AtomicProgram.class, file.toString(), "new", "1").lines())
        .containsExactly("3");
    assertThat(file).hasContent("new");
    assertThat((Integer) Files.getAttribute(file, "unix:mode") & 07777).isEqualTo(0200);
  }

  /** To be synced it has to be opened, which takes the right to read it. */
  @Test
  void atomic_folderThatMayNotBeRead_throwsBeforeAnythingIsDone() throws Exception {
    Needs.root();
    Path blind = Files.createDirectory(folder.resolve("blind"));
    Path file = Files.writeString(blind.resolve("file"), "old");
    Mount.run("chown", "65534", file.toString());
    Mount.run("chmod", "0733", blind.toString());
    Mount.run("chmod", "0755", folder.toString());
    assertThat(runAsNobody(AtomicProgram.class, file.toString(), "new", "1").err())
        .contains("AccessDeniedException", "open of the folder", "the file is as it was");
    assertThat(file).hasContent("old");
    assertThat(runAsNobody(AtomicProgram.class, file.toString(), "new", "1", "NONE").lines())
        .containsExactly("3");
    assertThat(file).hasContent("new");
    assertThat(blind).isDirectoryNotContaining(path -> !path.equals(file));
  }

  private ChildProgram.Result runAsNobody(Class<?> program, String... arguments) throws Exception {
    String lane = LANE.isEmpty() ? "shim" : LANE;
    return new ChildProgram(program, arguments)
        .asNobody(Files.createTempDirectory(folder, "child"))
        .with("-Dfiles2.backend=" + lane)
        .run();
  }

  @Test
  void atomic_relativeNameWithoutParent_isWrittenInTheWorkingFolder() throws Exception {
    String lane = LANE.isEmpty() ? "shim" : LANE;
    String out =
        new ChildProgram(AtomicProgram.class, "file", "new", "1")
            .with("-Dfiles2.backend=" + lane)
            .in(folder)
            .run()
            .ok();
    assertThat(out).startsWith("3");
    assertThat(file()).hasContent("new");
    assertThat(folder).isDirectoryNotContaining(path -> !path.equals(file()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"UTF-16", "windows-1252"})
  void atomic_textOfACharset_isWrittenWhole(String name) throws IOException {
    Charset charset = Charset.forName(name);
    WriteOptions options = WriteOptions.DEFAULT.encoding(charset).atomic(true);
    String text = "\u00e9 x".repeat(100_000);
    for (int i = 0; i < 2; i++) {
      assertThat(Files2.writeStringSync(file(), text, options))
          .isEqualTo(text.getBytes(charset).length);
      assertThat(Files.readAllBytes(file())).isEqualTo(text.getBytes(charset));
    }
  }

  @Test
  void atomic_missingFolders_areMadeWithCreateParents() throws IOException {
    Path deep = folder.resolve("a/b/file");
    WriteOptions options = WriteOptions.DEFAULT.atomic(true).createParents(true);
    assertThat(Files2.writeStringSync(deep, "new", options)).isEqualTo(3);
    assertThat(deep).hasContent("new");
  }

  @Test
  void atomic_firstWriteOfAProgram_loadsTheNativeLaneAndWaits() throws IOException {
    Files2.writeStringSync(file(), "new", WriteOptions.DEFAULT.atomic(true));
    assertThat(Files2.backendReport()).doesNotContain("not prepared yet");
  }

  @Test
  void toString_namesTheOption() {
    assertThat(WriteOptions.DEFAULT.atomic(true).createParents(true))
        .asString()
        .contains("flush=default")
        .endsWith(", atomic, createParents]");
    assertThat(WriteOptions.DEFAULT.onlyIfChanged(true)).asString().endsWith(", onlyIfChanged]");
    assertThat(WriteOptions.DEFAULT.onlyIfChanged(true).onlyIfChanged(false))
        .asString()
        .isEqualTo(WriteOptions.DEFAULT.toString());
  }
}
