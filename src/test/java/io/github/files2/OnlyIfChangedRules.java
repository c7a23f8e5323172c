package io.github.files2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@link WriteOptions#onlyIfChanged}: what is equal stays untouched, whatever the source. */
interface OnlyIfChangedRules extends LaneRules {
  WriteOptions ONLY_IF_CHANGED = WriteOptions.DEFAULT.onlyIfChanged(true);

  /** Before any write of a test. */
  FileTime LONG_AGO = FileTime.fromMillis(1_000_000_000_000L);

  private static String text(int charCount, String unit) {
    return unit.repeat(charCount / unit.length() + 1).substring(0, charCount);
  }

  private Object identity(Path file) throws IOException {
    return List.of(
        Files.getAttribute(file, "unix:ino"),
        Files.getLastModifiedTime(file),
        Files.getAttribute(file, "unix:ctime"));
  }

  /** Writes twice; only the first write may touch the file. */
  private void assertLeftAlone(Path file, String text, WriteOptions options) throws IOException {
    write(file, text, options.onlyIfChanged(false));
    Files.setLastModifiedTime(file, LONG_AGO);
    Object before = identity(file);
    byte[] content = Files.readAllBytes(file);
    assertThat(write(file, text, options.onlyIfChanged(true))).isZero();
    assertThat(identity(file)).isEqualTo(before);
    assertThat(Files.readAllBytes(file)).isEqualTo(content);
  }

  @ParameterizedTest
  @ValueSource(strings = {"utf8", "latin1", "ascii", "utf16le", "base64", "hex"})
  default void onlyIfChanged_equalText_leavesTheFileAlone(String encoding) throws IOException {
    WriteOptions options = WriteOptions.DEFAULT.encoding(encoding);
    for (int charCount : new int[] {0, 1, 12, 5000, 20_000, 140_000, 1_500_000}) {
      assertLeftAlone(file(), text(charCount, "0123abcd"), options);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"caf\u00e9 ", "\u043f\u0440\u0438", "\u4e2d\u6587", "a\ud83d\ude00", "\ud83d"})
  default void onlyIfChanged_equalUtf8OfEachWidth_leavesTheFileAlone(String unit)
      throws IOException {
    for (int charCount : new int[] {1, 100, 6000, 50_000, 700_001}) {
      assertLeftAlone(file(), text(charCount, unit), WriteOptions.DEFAULT);
    }
  }

  @ParameterizedTest
  @CsvSource({"0, 1", "1, 0", "12, 13", "13, 12", "20000, 20001", "200000, 199999"})
  default void onlyIfChanged_otherSize_writes(int oldBytes, int newBytes) throws IOException {
    Path file = fileOf("x".repeat(oldBytes));
    assertThat(write(file, "x".repeat(newBytes), ONLY_IF_CHANGED)).isEqualTo(newBytes);
    assertThat(LaneRules.content(file).equals("x".repeat(newBytes))).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "1, 0",
    "100, 99",
    "20000, 0",
    "20000, 16384",
    "20000, 19999",
    "300000, 131072",
    "300000, 299999",
    "1500000, 1499999"
  })
  default void onlyIfChanged_oneOtherByte_writesAll(int byteCount, int at) throws IOException {
    StringBuilder old = new StringBuilder("x".repeat(byteCount));
    old.setCharAt(at, 'y');
    Path file = fileOf(old.toString());
    assertThat(write(file, "x".repeat(byteCount), ONLY_IF_CHANGED)).isEqualTo(byteCount);
    assertThat(LaneRules.content(file).equals("x".repeat(byteCount))).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"array", "slice", "direct", "readonly"})
  default void onlyIfChanged_bytesOfEachKind_areCompared(String kind) throws IOException {
    for (int byteCount : new int[] {0, 100, 20_000, 200_000, 3_000_000}) {
      String text = text(byteCount, "0123456789a");
      Path file = fileOf(text);
      Files.setLastModifiedTime(file, LONG_AGO);
      Object before = identity(file);
      ByteBuffer data = buffer(kind, text);
      assertThat(backend().writeBytes(file, data, ONLY_IF_CHANGED.writePlan())).isZero();
      assertThat(identity(file)).isEqualTo(before);
      Files.writeString(file, text + "more");
      assertThat(backend().writeBytes(file, data, ONLY_IF_CHANGED.writePlan()))
          .isEqualTo(byteCount);
      assertThat(LaneRules.content(file).equals(text)).isTrue();
    }
  }

  private static ByteBuffer buffer(String kind, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
    ByteBuffer wide = ByteBuffer.allocate(bytes.length + 20).position(7);
    return switch (kind) {
      case "array" -> ByteBuffer.wrap(bytes);
      case "slice" -> wide.slice().put(bytes).flip();
      case "direct" -> ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
      default -> ByteBuffer.wrap(bytes).asReadOnlyBuffer();
    };
  }

  @Test
  default void onlyIfChanged_missingFile_isCreated() throws IOException {
    assertThat(write(file(), "text", ONLY_IF_CHANGED)).isEqualTo(4);
    assertThat(file()).hasContent("text");
    Path empty = folder().resolve("empty");
    assertThat(write(empty, "", ONLY_IF_CHANGED)).isZero();
    assertThat(empty).isEmptyFile();
  }

  @Test
  default void onlyIfChanged_exclusiveFlag_throwsThoughTheContentIsEqual() throws IOException {
    Path file = fileOf("text");
    assertThatThrownBy(() -> write(file, "text", ONLY_IF_CHANGED.flag("wx")))
        .isInstanceOf(FileAlreadyExistsException.class);
  }

  @Test
  default void onlyIfChanged_linkToEqualFile_leavesBothAlone() throws IOException {
    Path file = fileOf("text");
    Path link = Files.createSymbolicLink(folder().resolve("link"), file);
    assertThat(write(link, "text", ONLY_IF_CHANGED)).isZero();
    assertThat(write(link, "other", ONLY_IF_CHANGED)).isEqualTo(5);
    assertThat(file).hasContent("other");
    assertThat(link).isSymbolicLink();
  }

  @Test
  default void onlyIfChanged_equalFile_makesNoEvent() throws Exception {
    Path file = fileOf("text");
    try (WatchService watch = file.getFileSystem().newWatchService()) {
      folder()
          .register(
              watch, StandardWatchEventKinds.ENTRY_MODIFY, StandardWatchEventKinds.ENTRY_CREATE);
      write(file, "text", ONLY_IF_CHANGED);
      Path marker = Files.createFile(folder().resolve("marker"));
      WatchKey key = watch.poll(20, TimeUnit.SECONDS);
      assertThat(key.pollEvents())
          .extracting(event -> event.context().toString())
          .containsExactly("marker");
    }
  }

  @Test
  @Timeout(30)
  default void onlyIfChanged_pipe_isWrittenAsEver() throws Exception {
    Needs.linux();
    Path pipe = folder().resolve("pipe");
    Mount.run("mkfifo", pipe.toString());
    FutureTask<byte[]> reading =
        new FutureTask<>(
            () -> {
              try (InputStream in = Files.newInputStream(pipe)) {
                return in.readAllBytes();
              }
            });
    Thread reader = new Thread(reading);
    reader.start();
    assertThat(write(pipe, "text", ONLY_IF_CHANGED)).isEqualTo(4);
    assertThat(reading.get()).asString().isEqualTo("text");
    reader.join();
  }

  @Test
  default void onlyIfChanged_folder_throws() {
    assertThatThrownBy(() -> write(folder(), "text", ONLY_IF_CHANGED))
        .isInstanceOf(FileSystemException.class)
        .hasMessageContaining("EISDIR");
  }

  @Test
  default void onlyIfChanged_interruptedThread_comparesAllTheSame() throws IOException {
    Path file = fileOf("text");
    Thread.currentThread().interrupt();
    try {
      assertThat(write(file, "text", ONLY_IF_CHANGED)).isZero();
    } finally {
      assertThat(Thread.interrupted()).isTrue();
    }
  }
}
