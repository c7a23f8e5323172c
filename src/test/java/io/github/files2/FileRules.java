package io.github.files2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Paths: flags, what an existing file keeps, links, modes, bytes and threads. */
interface FileRules extends LaneRules {
  private static WriteOptions flag(String flag) {
    return WriteOptions.DEFAULT.flag(flag);
  }

  // --- Flags

  @ParameterizedTest
  @CsvSource({
    "w, ZZ",
    "w+, ZZ",
    "a, 0123456789ZZ",
    "as, 0123456789ZZ",
    "sa, 0123456789ZZ",
    "a+, 0123456789ZZ",
    "as+, 0123456789ZZ",
    "sa+, 0123456789ZZ",
    "r+, ZZ23456789",
    "rs+, ZZ23456789",
    "sr+, ZZ23456789"
  })
  default void write_existingFile_changesItAsTheFlagSays(String flag, String expected)
      throws IOException {
    Path file = fileOf("0123456789");
    assertThat(write(file, "ZZ", flag(flag))).isEqualTo(2);
    assertThat(file).hasContent(expected);
    assertThat(backend().writeBytes(file, bytes("YY"), flag("a").writePlan())).isEqualTo(2);
    assertThat(file).hasContent(expected + "YY");
  }

  private static ByteBuffer bytes(String text) {
    return ByteBuffer.wrap(text.getBytes(java.nio.charset.StandardCharsets.ISO_8859_1));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "w", "wx", "xw", "w+", "wx+", "xw+", "a", "ax", "xa", "as", "sa", "a+", "ax+", "xa+", "as+",
        "sa+"
      })
  default void write_missingFile_createsItAsTheFlagSays(String flag) throws IOException {
    assertThat(write(file(), "ZZ", flag(flag))).isEqualTo(2);
    assertThat(file()).hasContent("ZZ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"r", "rs", "sr", "r+", "rs+", "sr+"})
  default void write_missingFileNotToBeCreated_throwsNoSuchFile(String flag) {
    assertThatThrownBy(() -> write(file(), "ZZ", flag(flag)))
        .isInstanceOf(NoSuchFileException.class)
        .hasMessageContainingAll(file().toString(), "open", "ENOENT");
    assertThat(file()).doesNotExist();
  }

  @ParameterizedTest
  @ValueSource(strings = {"r", "rs", "sr"})
  default void write_readOnlyFlag_throwsEbadfOfWrite(String flag) throws IOException {
    Path file = fileOf("old");
    assertThatThrownBy(() -> write(file, "ZZ", flag(flag)))
        .isExactlyInstanceOf(FileSystemException.class)
        .hasMessageContainingAll(file.toString(), "write", "EBADF");
    assertThat(file).hasContent("old");
  }

  @ParameterizedTest
  @ValueSource(strings = {"wx", "xw", "wx+", "xw+", "ax", "xa", "ax+", "xa+"})
  default void write_exclusiveOnExistingFile_throwsFileAlreadyExists(String flag)
      throws IOException {
    Path file = fileOf("old");
    assertThatThrownBy(() -> write(file, "ZZ", flag(flag)))
        .isInstanceOf(FileAlreadyExistsException.class)
        .hasMessageContainingAll(file.toString(), "open", "EEXIST");
    assertThat(file).hasContent("old");
  }

  // --- Overwriting

  @ParameterizedTest
  @CsvSource({
    "0, 10",
    "10, 0",
    "10, 10",
    "10, 11",
    "11, 10",
    "1, 300000",
    "300000, 1",
    "300000, 299999",
    "131072, 131073",
    "131073, 131072",
    "2000000, 1500000",
    "1500000, 2000000"
  })
  default void write_existingFile_leavesExactlyTheNewText(int oldBytes, int newBytes)
      throws IOException {
    Path file = fileOf("o".repeat(oldBytes));
    for (Overwrite overwrite : Overwrite.values()) {
      Files.writeString(file, "o".repeat(oldBytes));
      write(file, "n".repeat(newBytes), WriteOptions.DEFAULT.overwrite(overwrite));
      assertThat(LaneRules.content(file).equals("n".repeat(newBytes))).as("%s", overwrite).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 5, 200_000})
  default void writeThenAppendThenUpdate_oneFile_addsUp(int charCount) throws IOException {
    String text = "x".repeat(charCount);
    write(file(), text);
    append(file(), text);
    write(file(), "UP", flag("r+"));
    String expected = "UP" + (text + text).substring(Math.min(2, 2 * charCount));
    assertThat(LaneRules.content(file()).equals(expected)).isTrue();
  }

  @Test
  default void write_existingFile_keepsInodeModeAndLinks() throws IOException {
    Needs.linux();
    Path file = fileOf("a long old text");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r----x"));
    Path link = Files.createLink(folder().resolve("link"), file);
    Object key = Files.getAttribute(file, "unix:ino");
    write(file, "new", WriteOptions.DEFAULT.mode(0777));
    assertThat(Files.getAttribute(file, "unix:ino")).isEqualTo(key);
    assertThat(Files.getAttribute(file, "unix:nlink")).isEqualTo(2);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-r----x");
    assertThat(link).hasContent("new");
  }

  @Test
  default void write_existingFile_keepsTheOwner() throws IOException {
    Needs.root();
    Path file = fileOf("a long old text");
    Files.setAttribute(file, "unix:uid", 4242);
    Files.setAttribute(file, "unix:gid", 4343);
    write(file, "new");
    assertThat(Files.getAttribute(file, "unix:uid")).isEqualTo(4242);
    assertThat(Files.getAttribute(file, "unix:gid")).isEqualTo(4343);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "same", "another text"})
  default void write_existingFile_movesItsTime(String text) throws IOException {
    Path file = fileOf("same");
    FileTime old = FileTime.fromMillis(1_000_000);
    Files.setLastModifiedTime(file, old);
    write(file, text);
    assertThat(Files.getLastModifiedTime(file)).isGreaterThan(old);
  }

  @Test
  default void write_emptyFileGivenEmptyText_movesItsTime() throws IOException {
    Path file = fileOf("");
    FileTime old = FileTime.fromMillis(1_000_000);
    Files.setLastModifiedTime(file, old);
    write(file, "");
    assertThat(Files.getLastModifiedTime(file)).isGreaterThan(old);
  }

  @ParameterizedTest
  @CsvSource({"w, ''", "w+, ''", "a, old", "a+, old", "r+, old", "as, old"})
  default void write_emptyText_createsOrTruncatesOnly(String flag, String expected)
      throws IOException {
    Path file = fileOf("old");
    assertThat(write(file, "", flag(flag))).isZero();
    assertThat(file).hasContent(expected);
    Files.delete(file);
    if (!flag.startsWith("r")) {
      assertThat(write(file, "", flag(flag))).isZero();
      assertThat(file).exists().isEmptyFile();
    }
  }

  @Test
  default void write_textOfNothingButSkippedChars_truncates() throws IOException {
    for (String text : new String[] {"=", "!!!", "\n".repeat(300_000)}) {
      Path file = fileOf("old");
      assertThat(write(file, text, WriteOptions.DEFAULT.encoding("base64"))).isZero();
      assertThat(file).exists().isEmptyFile();
    }
  }

  // --- Links

  @ParameterizedTest
  @ValueSource(strings = {"w", "a", "r+"})
  default void write_symbolicLink_isFollowed(String flag) throws IOException {
    Path file = fileOf("old");
    Path link = Files.createSymbolicLink(folder().resolve("link"), Path.of("file"));
    write(link, "new", flag(flag));
    assertThat(Files.isSymbolicLink(link)).isTrue();
    assertThat(file).hasContent(flag.equals("a") ? "oldnew" : "new");
  }

  @ParameterizedTest
  @CsvSource({"w, 0666", "a, 0666", "w, 0600", "a, 0600"})
  default void write_danglingLink_createsItsTarget(String flag, String mode) throws IOException {
    Path first = Files.createSymbolicLink(folder().resolve("first"), Path.of("second"));
    Files.createSymbolicLink(folder().resolve("second"), file());
    write(first, "new", flag(flag).mode(mode));
    assertThat(Files.isSymbolicLink(first)).isTrue();
    assertThat(file()).hasContent("new");
    if (mode.equals("0600")) {
      assertThat(modeOf(file())).isEqualTo(0600);
    }
  }

  @ParameterizedTest
  @CsvSource({"wx, 0666", "ax, 0666", "wx, 0600"})
  default void write_exclusiveOnDanglingLink_throwsFileAlreadyExists(String flag, String mode)
      throws IOException {
    Path link = Files.createSymbolicLink(folder().resolve("link"), file());
    assertThatThrownBy(() -> write(link, "new", flag(flag).mode(mode)))
        .isInstanceOf(FileAlreadyExistsException.class);
    assertThat(file()).doesNotExist();
  }

  // --- Modes; with other umasks in ChildRules

  static int modeOf(Path file) throws IOException {
    return (Integer) Files.getAttribute(file, "unix:mode") & 07777;
  }

  @ParameterizedTest
  @CsvSource({
    "0600, 0600",
    "600, 0600",
    "0400, 0400",
    "0, 0",
    "0700, 0700",
    "4755, 04755",
    "1700, 01700",
    "100600, 0600"
  })
  default void write_newFile_hasTheMode(String mode, String expected) throws IOException {
    Needs.linux();
    for (String flag : new String[] {"w", "wx", "a", "w+"}) {
      assertThat(write(file(), "text", flag(flag).mode(mode))).isEqualTo(4);
      assertThat(file()).hasContent("text");
      assertThat(modeOf(file())).as(flag).isEqualTo(Integer.parseInt(expected, 8));
      Files.delete(file());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"w", "a", "r+", "w+"})
  default void write_existingFileGivenAMode_keepsItsOwn(String flag) throws IOException {
    Needs.linux();
    Path file = fileOf("old");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-rw-"));
    write(file, "new", flag(flag).mode(0600));
    assertThat(modeOf(file)).isEqualTo(0666);
  }

  // --- Bytes

  @ParameterizedTest
  @ValueSource(
      ints = {
        0, 1, 4095, 4096, 4097, 16319, 16320, 16321, 16384, 65536, 131071, 131072, 131073, 1048575,
        1048576, 1048577, 3_000_000
      })
  default void writeBytes_anyKindOfBuffer_writesWhatRemains(int byteCount) throws IOException {
    byte[] content = new byte[byteCount];
    new Random(byteCount).nextBytes(content);
    byte[] padded = new byte[byteCount + 7];
    System.arraycopy(content, 0, padded, 3, byteCount);
    ByteBuffer direct = ByteBuffer.allocateDirect(padded.length).put(padded);
    ByteBuffer heap = ByteBuffer.wrap(padded);
    int end = 3 + byteCount;
    List<ByteBuffer> buffers =
        List.of(
            ByteBuffer.wrap(content),
            ByteBuffer.wrap(padded, 3, byteCount),
            heap.slice(3, byteCount),
            heap.slice(1, byteCount + 4).position(2).limit(2 + byteCount),
            heap.duplicate().position(3).limit(end).asReadOnlyBuffer(),
            direct.duplicate().position(3).limit(end),
            direct.slice(3, byteCount),
            direct.duplicate().position(3).limit(end).asReadOnlyBuffer());
    for (ByteBuffer buffer : buffers) {
      int position = buffer.position();
      assertThat(backend().writeBytes(memoryFile(), buffer, flag("w").writePlan()))
          .isEqualTo(byteCount);
      assertThat(Arrays.equals(Files.readAllBytes(memoryFile()), content))
          .as("%s", buffer)
          .isTrue();
      assertThat(buffer.position()).as("a lane leaves the position").isEqualTo(position);
      int fd = open(memoryFile(), "w");
      backend().writeBytes(fd, buffer, flag("w").writePlan());
      close(fd);
      assertThat(Arrays.equals(Files.readAllBytes(memoryFile()), content))
          .as("fd, %s", buffer)
          .isTrue();
    }
  }

  // --- Flush

  @ParameterizedTest
  @CsvSource({"w, text", "a, oldtext", "r+, text56789", "as, oldtext"})
  default void write_flushed_writesTheSame(String flag, String expected) throws IOException {
    for (Flush flush : Flush.values()) {
      Path file = fileOf(flag.equals("r+") ? "0123" + "56789" : "old");
      assertThat(write(file, "text", flag(flag).flush(flush))).isEqualTo(4);
      assertThat(file).hasContent(expected);
    }
  }

  @Test
  default void write_flushedToWhatCantBeSynced_throwsNothing() throws IOException {
    Needs.linux();
    assertThat(write(Path.of("/dev/null"), "text", WriteOptions.DEFAULT.flush(true))).isEqualTo(4);
  }

  // --- Threads

  private static <T> void inThreads(int count, Callable<T> body) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(count);
    try {
      List<Future<T>> running = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        running.add(threads.submit(body));
      }
      for (Future<T> future : running) {
        future.get();
      }
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  default void write_manyThreads_eachFileHasItsOwnText() throws Exception {
    inThreads(
        8,
        () -> {
          Path file = memoryFile().resolveSibling(Thread.currentThread().getName());
          for (int i = 0; i < 300; i++) {
            char unit = (char) ('a' + Thread.currentThread().getId() % 26);
            String text = String.valueOf(unit).repeat(i * 61) + (i % 2 == 0 ? "" : "\u4e2d");
            write(file, text);
            assertThat(Files.readString(file).equals(text)).as("write %s", i).isTrue();
          }
          return null;
        });
  }

  @ParameterizedTest
  @ValueSource(ints = {100, 140_000, 1_000_000})
  default void append_manyThreads_keepsRecordsInOnePiece(int byteCount) throws Exception {
    int count = byteCount > 1000 ? 4 : 400;
    inThreads(
        6,
        () -> {
          char unit = (char) ('a' + Thread.currentThread().getId() % 26);
          String record = String.valueOf(unit).repeat(byteCount - 1) + "\n";
          for (int i = 0; i < count; i++) {
            append(memoryFile(), record);
          }
          return null;
        });
    List<String> records = Files.readAllLines(memoryFile());
    assertThat(records).hasSize(6 * count);
    for (String record : records) {
      assertThat(record.length()).isEqualTo(byteCount - 1);
      assertThat(record.chars().allMatch(unit -> unit == record.charAt(0))).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 100_000, 3_000_000})
  default void write_interruptedThread_completesAndStaysInterrupted(int charCount)
      throws IOException {
    for (String flag : new String[] {"w", "a", "r+"}) {
      Path file = fileOf("");
      String text = "t".repeat(charCount);
      Thread.currentThread().interrupt();
      long byteCount = write(file, text, flag(flag).flush(true));
      assertThat(Thread.interrupted()).as("interrupt flag, %s", flag).isTrue();
      assertThat(byteCount).isEqualTo(charCount);
      assertThat(LaneRules.content(file).equals(text)).isTrue();
    }
  }

  // --- Streams, which only native lanes make

  @ParameterizedTest
  @CsvSource({
    "w, 0, 5",
    "w, 5, 0",
    "w, 300000, 10",
    "w, 10, 300000",
    "a, 7, 200000",
    "r+, 7, 3",
    "r+, 131073, 131072"
  })
  default void newOutputStream_existingFile_endsAsTheFlagSays(
      String flag, int oldBytes, int newBytes) throws IOException {
    assumeThat(isNative()).as("the nio lane leaves streams to the JDK").isTrue();
    Path file = fileOf("o".repeat(oldBytes));
    String text = "n".repeat(newBytes);
    try (var out = backend().newOutputStream(file, flag(flag).writePlan())) {
      byte[] content = text.getBytes(java.nio.charset.StandardCharsets.ISO_8859_1);
      int half = newBytes / 2;
      out.write(content, 0, half);
      for (int i = half; i < Math.min(half + 10, newBytes); i++) {
        out.write(content[i]);
      }
      int done = Math.min(half + 10, newBytes);
      out.write(content, done, newBytes - done);
    }
    String old = "o".repeat(oldBytes);
    String expected =
        switch (flag) {
          case "a" -> old + text;
          case "r+" -> text + old.substring(Math.min(newBytes, oldBytes));
          default -> text;
        };
    assertThat(LaneRules.content(file).equals(expected)).isTrue();
  }
}
