package io.github.files2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@link Appender} on each lane. */
final class AppenderTest extends EachLaneTest {
  private static final WriteOptions REOPENS = WriteOptions.DEFAULT.reopenIfMoved(true);

  // --- Opening

  @Test
  void open_missingFile_isCreatedWithTheMode() throws IOException {
    try (Appender log = Appender.open(file(), WriteOptions.DEFAULT.mode(0600))) {
      assertThat(file()).isEmptyFile();
      assertThat(log.write("text")).isEqualTo(4);
    }
    assertThat(file()).hasContent("text");
    assertThat(FileRules.modeOf(file())).isEqualTo(0600);
  }

  @Test
  void open_oldFile_isContinued() throws IOException {
    fileOf("old ");
    try (Appender log = Appender.open(file())) {
      assertThat(log.write("new")).isEqualTo(3);
      assertThat(file()).hasContent("old new");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"w", "r+", "r", "wx", "w+"})
  void open_flagThatDoesNotAppend_isRefused(String flag) {
    WriteOptions options = WriteOptions.DEFAULT.flag(flag);
    assertThatThrownBy(() -> Appender.open(file(), options))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("appends")
        .hasMessageEndingWith("not " + flag);
    assertThat(file()).doesNotExist();
  }

  @Test
  void open_optionsForWholeFiles_areRefused() {
    for (WriteOptions options :
        new WriteOptions[] {
          WriteOptions.DEFAULT.atomic(true), WriteOptions.DEFAULT.onlyIfChanged(true)
        }) {
      for (String flag : new String[] {null, "w"}) { // no advice that leads to another refusal
        assertThatThrownBy(() -> Appender.open(file(), options.flag(flag)))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageEndingWith("is about the whole file: an Appender can't have it");
      }
    }
    assertThat(file()).doesNotExist();
  }

  @ParameterizedTest
  @ValueSource(strings = {"a", "as", "a+", "as+"})
  void open_flagThatAppends_isTaken(String flag) throws IOException {
    fileOf("old ");
    try (Appender log = Appender.open(file(), WriteOptions.DEFAULT.flag(flag))) {
      log.write("new");
    }
    assertThat(file()).hasContent("old new");
  }

  @Test
  void open_exclusive_refusesWhatIsThere() throws IOException {
    WriteOptions options = WriteOptions.DEFAULT.flag("ax");
    Appender.open(file(), options).close();
    assertThatThrownBy(() -> Appender.open(file(), options))
        .isInstanceOf(FileAlreadyExistsException.class);
  }

  @Test
  void open_missingFolder_throwsOrMakesIt() throws IOException {
    Path deep = folder.resolve("a/b/file");
    assertThatThrownBy(() -> Appender.open(deep)).isInstanceOf(NoSuchFileException.class);
    try (Appender log = Appender.open(deep, WriteOptions.DEFAULT.createParents(true))) {
      log.write("text");
    }
    assertThat(deep).hasContent("text");
  }

  /** Native code must not translate such a name: each lane leaves it to the JDK. */
  @Test
  void open_nameThatMayNotDecode_isWritten() throws IOException {
    Path file = folder.resolve("\ufffd");
    try (Appender log = Appender.open(file, REOPENS)) {
      log.write("one ");
      Files.delete(file);
      log.write("two");
      log.flush();
    }
    assertThat(file).hasContent("two");
  }

  // --- Records

  @Test
  void write_anyLength_isAllThere() throws IOException {
    StringBuilder expected = new StringBuilder();
    try (Appender log = Appender.open(file())) {
      for (int length : new int[] {0, 1, 80, 4096, 65_537, 131_073, 400_000, 1_500_000}) {
        for (String unit : new String[] {"a", "\u00e9", "\u4e2d"}) {
          String record = unit.repeat(length);
          expected.append(record);
          assertThat(log.write(record)).isEqualTo(record.getBytes(StandardCharsets.UTF_8).length);
        }
      }
      log.write(new StringBuilder("end"));
    }
    boolean isSame = Files.readString(file()).contentEquals(expected.append("end"));
    assertThat(isSame).isTrue();
  }

  /** nodejs/node#4288: a file opened for each of many records runs out of descriptors. */
  @Test
  void write_manyRecords_holdsOneDescriptor() throws IOException {
    Needs.linux();
    try (Appender log = Appender.open(file())) {
      long before = openFiles();
      for (int i = 0; i < 20_000; i++) {
        log.write("record " + i + "\n");
      }
      assertThat(openFiles()).isLessThanOrEqualTo(before);
    }
    assertThat(Files.readAllLines(file())).hasSize(20_000).endsWith("record 19999");
  }

  /** Returns how many descriptors are of the file. */
  private long openFiles() throws IOException {
    try (Stream<Path> links = Files.list(Path.of("/proc/self/fd"))) {
      return links.filter(link -> isLinkToFile(link)).count();
    }
  }

  private boolean isLinkToFile(Path link) {
    try {
      return Files.readSymbolicLink(link).equals(file());
    } catch (IOException e) {
      return false; // closed meanwhile
    }
  }

  @Test
  void write_encoding_isThatOfTheOptions() throws IOException {
    try (Appender log = Appender.open(file(), WriteOptions.DEFAULT.encoding("base64"))) {
      assertThat(log.write("aGVs")).isEqualTo(3);
      assertThat(log.write("bG8=")).isEqualTo(2);
    }
    assertThat(file()).hasContent("hello");
    Files.delete(file());
    WriteOptions utf16 = WriteOptions.DEFAULT.encoding(StandardCharsets.UTF_16);
    try (Appender log = Appender.open(file(), utf16)) {
      log.write("a");
      log.write("b");
    }
    // One byte order mark, at the begin of the file.
    assertThat(Files.readAllBytes(file())).isEqualTo("ab".getBytes(StandardCharsets.UTF_16));
  }

  @Test
  void write_malformedTextReported_writesNothingAndGoesOn() throws IOException {
    WriteOptions options = WriteOptions.DEFAULT.onMalformedInput(CodingErrorAction.REPORT);
    try (Appender log = Appender.open(file(), options)) {
      assertThatThrownBy(() -> log.write("bad \ud800")).isInstanceOf(MalformedTextException.class);
      log.write("good");
    }
    assertThat(file()).hasContent("good");
  }

  @Test
  void append_charsAndParts_areRecords() throws IOException {
    try (Appender log = Appender.open(file())) {
      log.append("one").append(' ').append("xtwox", 1, 4).append(null).append(null, 0, 2);
      assertThatThrownBy(() -> log.append("text", 3, 2))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> log.write(null)).isInstanceOf(NullPointerException.class);
    }
    assertThat(file()).hasContent("one twonullnu");
  }

  @Test
  void append_halvesOfAPair_areOneCharacter() throws IOException {
    try (Appender log = Appender.open(file())) {
      log.append('\ud83d');
      assertThat(file()).isEmptyFile();
      log.append('\ude00').append('\ud83d').append("\ude00").append('\ud83d').append('x');
      log.append('\ud83d').append('\ud83d').append('\ude00').append('\ude00').append('\ud83d');
      log.append("");
      assertThat(file()).hasContent("😀😀\ufffdx\ufffd😀\ufffd");
    }
    assertThat(file()).hasContent("😀😀\ufffdx\ufffd😀\ufffd\ufffd");
  }

  @Test
  void flush_eachLevel_leavesTheText() throws IOException {
    for (Flush level : Flush.values()) {
      try (Appender log = Appender.open(file(), WriteOptions.DEFAULT.flush(level))) {
        log.write("x");
        log.flush();
      }
    }
    assertThat(file()).hasContent("xxx");
  }

  // --- Closing

  @Test
  void close_twice_closesOnce() throws IOException {
    Appender log = Appender.open(file());
    log.write("text");
    log.close();
    // The number may be another's by now, which must stay open.
    int other = Files2.openSync(folder.resolve("other"), "w");
    log.close();
    Files2.writeStringSync(other, "other");
    Files2.closeSync(other);
    assertThat(folder.resolve("other")).hasContent("other");
    assertThat(log).asString().contains(file().toString(), "closed");
  }

  @Test
  void anyCall_afterTheClose_throws() throws IOException {
    Appender log = Appender.open(file());
    log.close();
    assertThatThrownBy(() -> log.write("text")).isInstanceOf(ClosedChannelException.class);
    assertThatThrownBy(() -> log.append('x')).isInstanceOf(ClosedChannelException.class);
    assertThatThrownBy(() -> log.append('\ud83d')).isInstanceOf(ClosedChannelException.class);
    assertThatThrownBy(log::flush).isInstanceOf(ClosedChannelException.class);
    log.close();
    assertThat(file()).isEmptyFile();
  }

  @Test
  void close_whileOthersWrite_neverWritesElsewhere() throws Exception {
    for (int round = 0; round < 50; round++) {
      Appender log = Appender.open(file());
      CountDownLatch hasBegun = new CountDownLatch(1);
      FutureTask<Void> writer =
          new FutureTask<>(
              () -> {
                try {
                  while (true) {
                    log.write("record\n");
                    hasBegun.countDown();
                  }
                } catch (ClosedChannelException e) {
                  return null; // what ends it
                } finally {
                  hasBegun.countDown(); // else a failed write would be waited for
                }
              });
      new Thread(writer).start();
      hasBegun.await();
      log.close();
      Path next = folder.resolve("next" + round);
      int fd = Files2.openSync(next, "w");
      writer.get();
      Files2.closeSync(fd);
      assertThat(next).isEmptyFile();
    }
  }

  /** A stale number must not close a file of the JVM. */
  @Test
  void closeSync_staleNumber_leavesTheAppenderOpen() throws IOException {
    int stale = Files2.openSync(folder.resolve("other"), "w");
    Files2.closeSync(stale);
    try (Appender log = Appender.open(file())) {
      // One of these is the number of the log, where the kernel gives numbers.
      for (int fd = stale; fd < stale + 8; fd++) {
        int number = fd;
        assertThatThrownBy(() -> Files2.closeSync(number))
            .isInstanceOf(FileSystemException.class)
            .hasMessageContaining("openSync");
      }
      log.write("text");
    }
    assertThat(file()).hasContent("text");
  }

  // --- Failures

  @Test
  void write_fullDevice_throwsAndNamesThePath() throws IOException {
    Needs.linux();
    try (Appender log = Appender.open(Path.of("/dev/full"))) {
      assertThatThrownBy(() -> log.write("text"))
          .isInstanceOf(FileSystemException.class)
          .hasMessageContainingAll("/dev/full", "write", "ENOSPC");
    }
  }

  @Test
  void write_nullDevice_isTakenAndCanBeFlushed() throws IOException {
    Needs.linux();
    try (Appender log = Appender.open(Path.of("/dev/null"))) {
      assertThat(log.write("text")).isEqualTo(4);
      log.flush();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void write_pipe_reachesTheReader(boolean reopens) throws Exception {
    Needs.linux();
    Mount.run("mkfifo", file().toString());
    Path copy = folder.resolve("copy");
    Process reader =
        new ProcessBuilder("cat", file().toString()).redirectOutput(copy.toFile()).start();
    try (Appender log = Appender.open(file(), WriteOptions.DEFAULT.reopenIfMoved(reopens))) {
      log.write("one ");
      log.flush();
      log.write("two");
    }
    assertThat(reader.waitFor(20, TimeUnit.SECONDS)).isTrue();
    assertThat(copy).hasContent("one two");
  }

  @Test
  void open_pipeWithoutReader_letsOthersOpen() throws Exception {
    Needs.linux();
    Mount.run("mkfifo", file().toString());
    ExecutorService executor = Executors.newSingleThreadExecutor();
    try {
      Future<?> waiting = executor.submit(() -> Appender.open(file()));
      Thread.sleep(50); // it should be in open(2) by now; if it isn't, this shows less
      try (Appender other = Appender.open(folder.resolve("other"))) {
        other.write("text");
      }
      Files.newInputStream(file()).close(); // lets it go on
      ((Appender) waiting.get(20, TimeUnit.SECONDS)).close();
    } finally {
      executor.shutdownNow();
    }
  }

  @Test
  void open_folder_throws() {
    assertThatThrownBy(() -> Appender.open(folder))
        .isInstanceOf(FileSystemException.class)
        .hasMessageContaining(folder.toString());
  }

  // --- Files that move

  @Test
  void write_renamedOrDeletedFile_goesOnToTheOldOne() throws IOException {
    Path moved = folder.resolve("moved");
    try (Appender log = Appender.open(file())) {
      log.write("one ");
      Files.move(file(), moved);
      log.write("two ");
      assertThat(moved).hasContent("one two ");
      Files.delete(moved);
      assertThat(log.write("three")).isEqualTo(5);
    }
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void write_renamedFileOfACharset_hasOneByteOrderMark() throws IOException {
    WriteOptions utf16 = WriteOptions.DEFAULT.encoding(StandardCharsets.UTF_16);
    Path moved = folder.resolve("moved");
    try (Appender log = Appender.open(file(), utf16)) {
      log.write("a");
      Files.move(file(), moved);
      log.write("b");
    }
    assertThat(Files.readAllBytes(moved)).isEqualTo("ab".getBytes(StandardCharsets.UTF_16));
  }

  @Test
  void reopenIfMoved_renamedFile_writesToANewOne() throws IOException {
    Path moved = folder.resolve("moved");
    WriteOptions options = REOPENS.mode(0640).flag("ax");
    try (Appender log = Appender.open(file(), options)) {
      log.write("one");
      Files.move(file(), moved);
      log.write("two");
      log.write("three");
      Files.delete(file());
      log.write("four");
      assertThat(FileRules.modeOf(file())).isEqualTo(0640);
    }
    assertThat(moved).hasContent("one");
    assertThat(file()).hasContent("four");
  }

  @Test
  void reopenIfMoved_anotherFileInItsPlace_isContinued() throws IOException {
    try (Appender log = Appender.open(file(), REOPENS)) {
      log.write("one");
      Files.move(file(), folder.resolve("moved"));
      Files.writeString(file(), "another's ");
      log.write("two");
    }
    assertThat(file()).hasContent("another's two");
    assertThat(folder.resolve("moved")).hasContent("one");
  }

  /** As "copytruncate" of logrotate does. */
  @Test
  void reopenIfMoved_truncatedFile_isContinuedAtItsEnd() throws IOException {
    try (Appender log = Appender.open(file(), REOPENS)) {
      log.write("a long record");
      Files.write(file(), new byte[0]);
      log.write("two");
      log.write("three");
    }
    assertThat(file()).hasContent("twothree");
  }

  @Test
  void write_truncatedFileNotLookedAt_continuesAtItsEnd() throws IOException {
    try (Appender log = Appender.open(file())) {
      log.write("a long record");
      Files.write(file(), new byte[0]);
      log.write("two");
    }
    assertThat(file()).hasContent("two");
  }

  @Test
  void reopenIfMoved_folderGone_throwsAndTriesAgain() throws IOException {
    Path inner = Files.createDirectory(folder.resolve("inner"));
    Path file = inner.resolve("file");
    try (Appender log = Appender.open(file, REOPENS)) {
      log.write("one");
      Files.move(inner, folder.resolve("away"));
      assertThatThrownBy(() -> log.write("two"))
          .isInstanceOf(NoSuchFileException.class)
          .hasMessageContaining(file.toString());
      Files.createDirectory(inner);
      log.write("three");
    }
    assertThat(file).hasContent("three");
    assertThat(folder.resolve("away/file")).hasContent("one");
  }

  @Test
  void reopenIfMoved_rotatedWhileManyWrite_losesNoRecord() throws Exception {
    int records = 3000;
    AtomicBoolean ends = new AtomicBoolean();
    ExecutorService executor = Executors.newCachedThreadPool();
    try (Appender log = Appender.open(file(), REOPENS)) {
      Future<?> rotation =
          executor.submit(
              () -> {
                for (int i = 0; !ends.get(); i++) {
                  if (Files.exists(file())) {
                    Files.move(file(), folder.resolve("old" + i));
                  }
                  Thread.sleep(1);
                }
                return null;
              });
      inThreads(
          executor,
          4,
          thread -> {
            for (int i = 0; i < records; i++) {
              log.write("thread " + thread + " record " + i + "\n");
            }
          });
      ends.set(true);
      rotation.get();
    } finally {
      ends.set(true);
      executor.shutdownNow();
    }
    List<String> found = new ArrayList<>();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path each : (Iterable<Path>) files::iterator) {
        found.addAll(Files.readAllLines(each));
      }
    }
    assertThat(found).hasSize(4 * records).doesNotHaveDuplicates();
  }

  /** Who creates the new file himself does it before the appender looks, or while it opens. */
  @Test
  void reopenIfMoved_rotatedAndCreatedWhileWritten_endsInTheNewFile() throws Exception {
    AtomicBoolean ends = new AtomicBoolean();
    ExecutorService executor = Executors.newSingleThreadExecutor();
    try (Appender log = Appender.open(file(), REOPENS)) {
      for (int round = 0; round < 200; round++) {
        ends.set(false);
        Future<?> rotation =
            executor.submit(
                () -> {
                  try {
                    for (int i = 0; i < 5; i++) {
                      Path next = Files.createFile(folder.resolve("next"));
                      Files.move(next, file(), StandardCopyOption.REPLACE_EXISTING);
                    }
                    return null;
                  } finally {
                    ends.set(true); // else a failed rotation would be waited for
                  }
                });
        while (!ends.get()) {
          log.write("record\n");
        }
        rotation.get();
        log.write("last " + round);
        assertThat(Files.readString(file())).endsWith("last " + round);
      }
    } finally {
      executor.shutdownNow();
    }
  }

  // --- Many at once

  private interface Task {
    void run(int thread) throws IOException;
  }

  private static void inThreads(ExecutorService executor, int count, Task task) throws Exception {
    List<Callable<Void>> calls = new ArrayList<>();
    for (int t = 0; t < count; t++) {
      int thread = t;
      calls.add(
          () -> {
            task.run(thread);
            return null;
          });
    }
    for (Future<Void> done : executor.invokeAll(calls)) {
      done.get();
    }
  }

  @Test
  void write_manyThreadsAndAppenders_keepsRecordsWhole() throws Exception {
    int records = 60;
    ExecutorService executor = Executors.newCachedThreadPool();
    try (Appender one = Appender.open(file());
        Appender two = Appender.open(file())) {
      inThreads(
          executor,
          6,
          thread -> {
            for (int i = 0; i < records; i++) {
              String letter = String.valueOf((char) ('a' + thread));
              String record = letter.repeat(1 + i * i * 17) + "\n";
              (thread % 2 == 0 ? one : two).write(record);
            }
          });
    } finally {
      executor.shutdownNow();
    }
    List<String> lines = Files.readAllLines(file());
    assertThat(lines).hasSize(6 * records);
    assertThat(lines).allMatch(line -> line.chars().allMatch(unit -> unit == line.charAt(0)));
  }

  @Test
  void write_interruptedThread_writesAndStaysInterrupted() throws IOException {
    try (Appender log = Appender.open(file())) {
      Thread.currentThread().interrupt();
      log.write("one");
      log.flush();
      log.write("two");
      assertThat(Thread.interrupted()).isTrue();
    }
    assertThat(file()).hasContent("onetwo");
  }
}
