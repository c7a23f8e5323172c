package io.github.files2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.EOFException;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every method that other projects compile against, called once at least. */
final class ApiTest extends EachLaneTest {
  private static final WriteOptions LATIN1 = WriteOptions.DEFAULT.encoding("latin1");

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  private static ByteBuffer buffer(String text) {
    return ByteBuffer.wrap(bytes(text));
  }

  private void checkContent(String expected) throws IOException {
    assertThat(Files.readString(file(), StandardCharsets.ISO_8859_1)).isEqualTo(expected);
  }

  @Test
  void writeStringSync_path_replacesTheFile() throws IOException {
    fileOf("a longer old text");
    assertThat(Files2.writeStringSync(file(), "one")).isEqualTo(3);
    checkContent("one");
    assertThat(Files2.writeStringSync(file(), new StringBuilder("two"), "a")).isEqualTo(3);
    checkContent("onetwo");
    assertThat(Files2.writeStringSync(file(), "\u00e9", LATIN1)).isEqualTo(1);
    checkContent("\u00e9");
  }

  @Test
  void appendStringSync_path_addsToTheFile() throws IOException {
    assertThat(Files2.appendStringSync(file(), "one")).isEqualTo(3);
    assertThat(Files2.appendStringSync(file(), "\u00e9", LATIN1)).isEqualTo(1);
    checkContent("one\u00e9");
    assertThat(Files2.appendStringSync(file(), "x", LATIN1.flag("w"))).isEqualTo(1);
    checkContent("x");
  }

  @Test
  void writeBytesSync_path_replacesTheFile() throws IOException {
    fileOf("a longer old text");
    assertThat(Files2.writeBytesSync(file(), bytes("one"))).isEqualTo(3);
    checkContent("one");
    assertThat(Files2.writeBytesSync(file(), bytes("two"), LATIN1.flag("a"))).isEqualTo(3);
    checkContent("onetwo");
    assertThat(Files2.writeBytesSync(file(), buffer("four"))).isEqualTo(4);
    checkContent("four");
    assertThat(Files2.writeBytesSync(file(), buffer("five"), LATIN1.flag("a"))).isEqualTo(4);
    checkContent("fourfive");
  }

  @Test
  void appendBytesSync_path_addsToTheFile() throws IOException {
    Files2.appendBytesSync(file(), bytes("1"));
    Files2.appendBytesSync(file(), bytes("2"), LATIN1);
    Files2.appendBytesSync(file(), buffer("3"));
    Files2.appendBytesSync(file(), buffer("4"), LATIN1);
    checkContent("1234");
  }

  @Test
  void allMethods_numberOfOpenSync_goOnAtItsPosition() throws IOException {
    fileOf("old");
    int fd = Files2.openSync(file(), "w", 0600);
    assertThat(Files2.writeStringSync(fd, "1")).isEqualTo(1);
    assertThat(Files2.writeStringSync(fd, "2", "r+")).isEqualTo(1);
    assertThat(Files2.writeStringSync(fd, "\u00e9", LATIN1)).isEqualTo(1);
    assertThat(Files2.appendStringSync(fd, "4")).isEqualTo(1);
    assertThat(Files2.appendStringSync(fd, "\u00e9", LATIN1)).isEqualTo(1);
    assertThat(Files2.writeBytesSync(fd, bytes("6"))).isEqualTo(1);
    assertThat(Files2.writeBytesSync(fd, bytes("7"), LATIN1)).isEqualTo(1);
    assertThat(Files2.writeBytesSync(fd, buffer("8"))).isEqualTo(1);
    assertThat(Files2.writeBytesSync(fd, buffer("9"), LATIN1)).isEqualTo(1);
    assertThat(Files2.appendBytesSync(fd, bytes("a"))).isEqualTo(1);
    assertThat(Files2.appendBytesSync(fd, bytes("b"), LATIN1)).isEqualTo(1);
    assertThat(Files2.appendBytesSync(fd, buffer("c"))).isEqualTo(1);
    assertThat(Files2.appendBytesSync(fd, buffer("d"), LATIN1.flush(true))).isEqualTo(1);
    Files2.fsyncSync(fd);
    Files2.closeSync(fd);
    checkContent("12\u00e94\u00e96789abcd");
  }

  @Test
  void allMethods_fileDescriptor_goOnAtItsPosition() throws IOException {
    try (FileOutputStream out = new FileOutputStream(file().toFile())) {
      FileDescriptor fd = out.getFD();
      assertThat(Files2.writeStringSync(fd, "1")).isEqualTo(1);
      assertThat(Files2.writeStringSync(fd, "\u00e9", LATIN1)).isEqualTo(1);
      assertThat(Files2.appendStringSync(fd, "3")).isEqualTo(1);
      assertThat(Files2.appendStringSync(fd, "\u00e9", LATIN1)).isEqualTo(1);
      assertThat(Files2.writeBytesSync(fd, bytes("5"))).isEqualTo(1);
      assertThat(Files2.writeBytesSync(fd, bytes("6"), LATIN1)).isEqualTo(1);
      assertThat(Files2.writeBytesSync(fd, buffer("7"))).isEqualTo(1);
      assertThat(Files2.writeBytesSync(fd, buffer("8"), LATIN1)).isEqualTo(1);
      assertThat(Files2.appendBytesSync(fd, bytes("9"))).isEqualTo(1);
      assertThat(Files2.appendBytesSync(fd, bytes("a"), LATIN1)).isEqualTo(1);
      assertThat(Files2.appendBytesSync(fd, buffer("b"))).isEqualTo(1);
      assertThat(Files2.appendBytesSync(fd, buffer("c"), LATIN1.flush(Flush.DATA))).isEqualTo(1);
      out.write('!');
    }
    checkContent("1\u00e93\u00e956789abc!");
  }

  @Test
  void writeStringSync_channel_goesOnAtItsPosition() throws IOException {
    fileOf("0123456789");
    try (FileChannel channel = FileChannel.open(file(), StandardOpenOption.WRITE)) {
      channel.position(2);
      assertThat(Files2.writeStringSync(channel, "ab")).isEqualTo(2);
      assertThat(Files2.writeStringSync(channel, "\u00e9", LATIN1.flush(true))).isEqualTo(1);
      assertThat(channel.position()).isEqualTo(5);
    }
    checkContent("01ab\u00e956789");
  }

  @Test
  void writeStringAndWrite_path_behaveAsFiles() throws IOException {
    assertThat(Files2.writeString(file(), "one")).isEqualTo(file());
    checkContent("one");
    Files2.writeString(file(), "\u00e9", StandardCharsets.ISO_8859_1, StandardOpenOption.APPEND);
    checkContent("one\u00e9");
    assertThat(Files2.write(file(), bytes("two"))).isEqualTo(file());
    checkContent("two");
    assertThat(Files2.write(file(), List.of("a", "b"))).isEqualTo(file());
    checkContent("a" + System.lineSeparator() + "b" + System.lineSeparator());
    Files2.write(file(), List.of("\u00e9"), StandardCharsets.ISO_8859_1);
    checkContent("\u00e9" + System.lineSeparator());
  }

  @Test
  void backendReport_anyTime_beginsWithTheLane() {
    assertThat(Files2.backendReport()).matches("(?s)lane: (shim|libc|nio)\n.*");
  }

  // --- Positions of buffers

  @Test
  void writeBytesSync_buffer_advancesItsPositionOnly() throws IOException {
    byte[] content = bytes("__content__");
    ByteBuffer direct = ByteBuffer.allocateDirect(11).put(content);
    for (ByteBuffer data : List.of(ByteBuffer.wrap(content), direct)) {
      ByteBuffer readOnly = data.asReadOnlyBuffer();
      for (ByteBuffer given : List.of(data, readOnly, data.duplicate().clear().slice(1, 10))) {
        int from = given.capacity() == 10 ? 1 : 2;
        given.clear().position(from).limit(from + 7);
        assertThat(Files2.writeBytesSync(file(), given)).isEqualTo(7);
        checkContent("content");
        assertThat(given.position()).isEqualTo(from + 7);
        assertThat(given.limit()).isEqualTo(from + 7);
        assertThat(Files2.writeBytesSync(file(), given)).as("nothing remains").isZero();
      }
    }
  }

  @Test
  void writeBytesSync_failure_leavesThePosition() {
    ByteBuffer data = buffer("content");
    data.get();
    assertThatThrownBy(() -> Files2.writeBytesSync(folder, data))
        .isInstanceOf(FileSystemException.class);
    assertThat(data.position()).isEqualTo(1);
  }

  @Test
  @Timeout(60)
  void writeBytesSync_failureMidway_advancesThePositionByTheCount() throws Exception {
    assumeThat(isNio()).as("the nio lane can't tell how much a pipe took").isFalse();
    Path fifo = FailureRules.fifo(folder);
    Thread reader =
        new Thread(
            () -> {
              try (var in = Files.newInputStream(fifo)) {
                if (in.readNBytes(1000).length < 1000) {
                  throw new EOFException(fifo.toString());
                }
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            });
    reader.start();
    int fd = Files2.openSync(fifo, "w"); // surely native, and waits for the reader
    ByteBuffer data = ByteBuffer.allocate(600_000).position(7);
    try {
      PartialWriteException e =
          catchThrowableOfType(PartialWriteException.class, () -> Files2.writeBytesSync(fd, data));
      assertThat(e).hasMessageContaining("EPIPE");
      assertThat(data.position()).isEqualTo(7 + (int) e.bytesWritten());
    } finally {
      Files2.closeSync(fd);
      reader.join();
    }
  }

  // --- Closing

  @Test
  void closeSync_twice_throwsEbadf() throws IOException {
    int fd = Files2.openSync(file(), "w");
    Files2.closeSync(fd);
    assertThatThrownBy(() -> Files2.closeSync(fd))
        .isInstanceOf(FileSystemException.class)
        .hasMessageContainingAll("fd " + fd, "EBADF");
  }

  @Test
  void closeSync_numberOfSomebodyElse_leavesItOpen() throws IOException {
    Needs.linux();
    for (int fd : new int[] {0, 1, 2, 1234567}) {
      assertThatThrownBy(() -> Files2.closeSync(fd))
          .isInstanceOf(FileSystemException.class)
          .hasMessageContainingAll("fd " + fd, "EBADF");
    }
    try (FileOutputStream out = new FileOutputStream(file().toFile())) {
      for (int fd = 3; fd < 200; fd++) {
        int number = fd;
        assertThatThrownBy(() -> Files2.closeSync(number)).isInstanceOf(FileSystemException.class);
      }
      out.write('x');
    }
    checkContent("x");
  }

  @Test
  void openSync_withoutFlags_opensForReading() throws IOException {
    int fd = Files2.openSync(fileOf("old"), null);
    try {
      FileSystemException e =
          catchThrowableOfType(FileSystemException.class, () -> Files2.writeStringSync(fd, "x"));
      assertThat(e).hasMessageContaining("EBADF");
    } finally {
      Files2.closeSync(fd);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"utf8", "UTF-16", "windows-1252"})
  void writeStringSync_charsetToEveryTarget_givesItsBytes(String charset) throws IOException {
    WriteOptions options =
        WriteOptions.DEFAULT.encoding(java.nio.charset.Charset.forName(charset)).flush(true);
    String text = "\u00e9\u20ac" + "x".repeat(300_000);
    byte[] expected = text.getBytes(charset);
    Files2.writeStringSync(file(), text, options);
    assertThat(Files.readAllBytes(file())).isEqualTo(expected);
    int fd = Files2.openSync(file(), "w");
    assertThat(Files2.writeStringSync(fd, text, options)).isEqualTo(expected.length);
    Files2.closeSync(fd);
    assertThat(Files.readAllBytes(file())).isEqualTo(expected);
    try (FileOutputStream out = new FileOutputStream(file().toFile())) {
      Files2.writeStringSync(out.getFD(), text, options);
    }
    assertThat(Files.readAllBytes(file())).isEqualTo(expected);
    try (FileChannel channel =
        FileChannel.open(file(), StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING)) {
      Files2.writeStringSync(channel, text, options);
    }
    assertThat(Files.readAllBytes(file())).isEqualTo(expected);
  }
}
