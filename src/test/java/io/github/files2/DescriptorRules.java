package io.github.files2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.sun.jna.Function;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Descriptors: numbers of the lane's own open, numbers from elsewhere, and FileDescriptors. */
interface DescriptorRules extends LaneRules {
  WritePlan DEFAULT_PLAN = WriteOptions.DEFAULT.writePlan();
  int O_NONBLOCK = 04000;
  int O_CLOEXEC = 02000000;

  private long write(int fd, String text) throws IOException {
    return backend().writeText(fd, text, DEFAULT_PLAN);
  }

  private long write(FileDescriptor fd, String text) throws IOException {
    return backend().writeText(fd, text, DEFAULT_PLAN);
  }

  // --- Numbers

  @ParameterizedTest
  @CsvSource({
    "w, HelloWorld",
    "w+, HelloWorld",
    "r+, HelloWorlda longer old text",
    "a, Hello and a longer old textHelloWorld",
    "a+, Hello and a longer old textHelloWorld",
    "as, Hello and a longer old textHelloWorld",
    "rs+, HelloWorlda longer old text"
  })
  default void writeTwice_oneDescriptor_goesOnAtItsPosition(String flag, String expected)
      throws IOException {
    Path file = fileOf("Hello and a longer old text");
    int fd = open(file, flag);
    try {
      assertThat(write(fd, "Hello")).isEqualTo(5);
      ByteBuffer world = ByteBuffer.wrap("World".getBytes(StandardCharsets.US_ASCII));
      assertThat(backend().writeBytes(fd, world, DEFAULT_PLAN)).isEqualTo(5);
    } finally {
      close(fd);
    }
    assertThat(file).hasContent(expected);
  }

  @ParameterizedTest
  @ValueSource(strings = {"w", "a", "wx", "ax", "w+", "a+", "wx+", "ax+", "as", "as+"})
  default void open_missingFile_createsIt(String flag) throws IOException {
    Needs.linux();
    int fd = backend().open(file(), OpenFlags.parse(flag), 0640);
    close(fd);
    assertThat(file()).isEmptyFile();
    assertThat(FileRules.modeOf(file())).isEqualTo(0640);
  }

  @ParameterizedTest
  @ValueSource(strings = {"r", "rs", "r+", "rs+"})
  default void open_missingFileNotToBeCreated_throwsNoSuchFile(String flag) {
    assertThatThrownBy(() -> open(file(), flag))
        .isExactlyInstanceOf(NoSuchFileException.class)
        .hasMessageContainingAll(file().toString(), "open", "ENOENT");
  }

  @ParameterizedTest
  @ValueSource(strings = {"wx", "xw", "ax", "xa", "wx+", "xw+", "ax+", "xa+"})
  default void open_exclusiveOnExistingFile_throwsFileAlreadyExists(String flag)
      throws IOException {
    Path file = fileOf("old");
    assertThatThrownBy(() -> open(file, flag))
        .isExactlyInstanceOf(FileAlreadyExistsException.class)
        .hasMessageContainingAll(file.toString(), "open", "EEXIST");
    assertThat(file).hasContent("old");
  }

  @ParameterizedTest
  @CsvSource({"w, ''", "w+, ''", "a, old", "r+, old", "r, old"})
  default void open_existingFile_truncatesItAtOnceOrNot(String flag, String expected)
      throws IOException {
    Path file = fileOf("old");
    int fd = open(file, flag);
    assertThat(file).hasContent(expected);
    close(fd);
    assertThat(file).hasContent(expected);
  }

  /** Returns the flags of open(2) that the kernel keeps with the descriptor. */
  private static int flagsOf(int fd) throws IOException {
    String info = Files.readString(Path.of("/proc/self/fdinfo/" + fd));
    return Integer.parseInt(info.split("flags:\\s*", 2)[1].split("\\s", 2)[0], 8);
  }

  @ParameterizedTest
  @CsvSource({
    "r, 0",
    "rs, 04010000",
    "sr, 04010000",
    "r+, 2",
    "rs+, 04010002",
    "sr+, 04010002",
    "w, 1",
    "w+, 2",
    "wx, 1",
    "xw, 1",
    "wx+, 2",
    "xw+, 2",
    "a, 02001",
    "ax, 02001",
    "xa, 02001",
    "as, 04012001",
    "sa, 04012001",
    "a+, 02002",
    "ax+, 02002",
    "xa+, 02002",
    "as+, 04012002",
    "sa+, 04012002"
  })
  default void open_anyFlag_isWhatTheKernelKeeps(String flag, String octal) throws IOException {
    assumeThat(isNative()).as("the nio lane opens as the JDK does").isTrue();
    Path file = flag.contains("x") ? file() : fileOf("old");
    int fd = open(file, flag);
    try {
      int expected = Integer.parseInt(octal, 8) | O_CLOEXEC;
      int largeFile = 0100000;
      assertThat(flagsOf(fd) & ~largeFile).isEqualTo(expected);
    } finally {
      close(fd);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"r", "rs"})
  default void write_readOnlyDescriptor_throwsEbadf(String flag) throws IOException {
    int fd = open(fileOf("old"), flag);
    try {
      for (String text : new String[] {"text", "t".repeat(300_000)}) {
        assertThatThrownBy(() -> write(fd, text))
            .isExactlyInstanceOf(FileSystemException.class)
            .hasMessageContainingAll("write", "EBADF");
      }
    } finally {
      close(fd);
    }
    assertThat(file()).hasContent("old");
  }

  @Test
  default void write_closedDescriptor_throwsEbadfNamingIt() throws IOException {
    int fd = open(file(), "w");
    close(fd);
    for (String text : new String[] {"text", "t".repeat(300_000)}) {
      assertThatThrownBy(() -> write(fd, text))
          .isExactlyInstanceOf(FileSystemException.class)
          .hasMessageContainingAll("fd " + fd, "write", "EBADF");
    }
    assertThatThrownBy(() -> backend().sync(fd, WritePlan.FLUSH_FULL))
        .isExactlyInstanceOf(FileSystemException.class)
        .hasMessageContainingAll("fd " + fd, "EBADF");
  }

  @Test
  default void write_emptyTextToAnyNumber_doesNothing() throws IOException {
    assertThat(write(9999, "")).isZero();
    assertThat(backend().writeBytes(9999, ByteBuffer.allocate(0), DEFAULT_PLAN)).isZero();
  }

  @Test
  default void writeAndSync_descriptor_throwNothing() throws IOException {
    int fd = open(file(), "w");
    try {
      for (Flush flush : Flush.values()) {
        WritePlan plan = WriteOptions.DEFAULT.flush(flush).writePlan();
        assertThat(backend().writeText(fd, "text", plan)).isEqualTo(4);
      }
      backend().sync(fd, WritePlan.FLUSH_FULL);
      backend().sync(fd, WritePlan.FLUSH_DATA);
    } finally {
      close(fd);
    }
    assertThat(file()).hasContent("text".repeat(3));
  }

  @Test
  default void sync_whatCantBeSynced_throwsNothing() throws IOException {
    Needs.linux();
    int fd = open(Path.of("/dev/null"), "w");
    try {
      assertThatCode(() -> backend().sync(fd, WritePlan.FLUSH_FULL)).doesNotThrowAnyException();
    } finally {
      close(fd);
    }
  }

  @Test
  default void write_fullDevice_throwsEnospcNamingTheNumber() throws IOException {
    Needs.linux();
    int fd = open(Path.of("/dev/full"), "w");
    try {
      assertThatThrownBy(() -> write(fd, "text"))
          .isExactlyInstanceOf(FileSystemException.class)
          .hasMessageContainingAll("write", "ENOSPC");
    } finally {
      close(fd);
    }
  }

  @Test
  default void write_interruptedThread_completesToDescriptor() throws IOException {
    String text = "t".repeat(2_000_000);
    int fd = open(file(), "w");
    try {
      Thread.currentThread().interrupt();
      backend().writeText(fd, text, WriteOptions.DEFAULT.flush(true).writePlan());
      assertThat(Thread.interrupted()).as("interrupt flag").isTrue();
      write(fd, "more");
    } finally {
      close(fd);
    }
    assertThat(LaneRules.content(file()).equals(text + "more")).isTrue();
  }

  @Test
  default void openAndClose_manyTimes_leakNoDescriptor() throws IOException {
    Needs.linux();
    Path file = fileOf("old");
    close(open(file, "a"));
    long before = FailureRules.openDescriptors();
    for (int i = 0; i < 2000; i++) {
      int fd = open(file, "a");
      write(fd, "x");
      close(fd);
    }
    assertThat(FailureRules.openDescriptors()).isLessThanOrEqualTo(before);
    assertThat(file).hasSize(2003);
  }

  @Test
  default void sizeOf_descriptor_isTheFilesSize() throws IOException {
    int fd = open(fileOf("four"), "a");
    try {
      assertThat(backend().sizeOf(fd)).isEqualTo(4);
      write(fd, "more");
      assertThat(backend().sizeOf(fd)).isEqualTo(8);
    } finally {
      close(fd);
    }
  }

  @Test
  default void sizeOf_closedDescriptor_throwsEbadf() throws IOException {
    int fd = open(fileOf("four"), "a");
    close(fd);
    assertThatThrownBy(() -> backend().sizeOf(fd))
        .isInstanceOf(FileSystemException.class)
        .hasMessageContainingAll("fd " + fd, "EBADF");
  }

  // --- Pipes, which only native lanes know the numbers of

  /** Makes a pipe; returns the descriptors of its two ends. */
  private static int[] pipe(int flags) {
    int[] ends = new int[2];
    Object status =
        Function.getFunction("c", "pipe2").invoke(int.class, new Object[] {ends, flags});
    assertThat(status).isEqualTo(0);
    return ends;
  }

  private static void closeNative(int fd) {
    assertThat(Function.getFunction("c", "close").invoke(int.class, new Object[] {fd}))
        .isEqualTo(0);
  }

  /** A stream over a descriptor that it does not own. */
  private static InputStream reading(int fd) throws IOException {
    return Files.newInputStream(Path.of("/proc/self/fd/" + fd));
  }

  @ParameterizedTest
  @CsvSource({"0, 500000", "0, 2000000", "04000, 500000", "04000, 2000000"})
  @Timeout(60)
  default void write_pipeThatIsReadSlowly_arrivesWhole(String octalFlags, int charCount)
      throws Exception {
    assumeThat(isNative()).as("the nio lane knows its own numbers only").isTrue();
    int[] ends = pipe(Integer.parseInt(octalFlags, 8) | O_CLOEXEC);
    String text = "0123456789".repeat(charCount / 10);
    CompletableFuture<String> reader = new CompletableFuture<>();
    InputStream in = reading(ends[0]);
    Thread thread =
        new Thread(
            () -> {
              try (in) {
                Thread.sleep(50); // until the pipe is full
                byte[] found = in.readNBytes(charCount);
                reader.complete(new String(found, StandardCharsets.US_ASCII));
              } catch (IOException | InterruptedException e) {
                reader.completeExceptionally(e);
              }
            });
    thread.start();
    assertThat(write(ends[1], text)).isEqualTo(charCount);
    assertThat(reader.get(30, TimeUnit.SECONDS).equals(text)).isTrue();
    thread.join();
    closeNative(ends[0]);
    closeNative(ends[1]);
  }

  @Test
  default void write_pipeWithoutReader_throwsEpipe() {
    assumeThat(isNative()).as("the nio lane knows its own numbers only").isTrue();
    int[] ends = pipe(O_CLOEXEC);
    closeNative(ends[0]);
    assertThatThrownBy(() -> write(ends[1], "text"))
        .isExactlyInstanceOf(FileSystemException.class)
        .hasMessageContainingAll("fd " + ends[1], "write", "EPIPE");
    closeNative(ends[1]);
  }

  @Test
  default void sync_pipe_throwsNothing() {
    assumeThat(isNative()).as("the nio lane knows its own numbers only").isTrue();
    int[] ends = pipe(O_CLOEXEC);
    WritePlan plan = WriteOptions.DEFAULT.flush(true).writePlan();
    assertThatCode(() -> backend().writeText(ends[1], "text", plan)).doesNotThrowAnyException();
    closeNative(ends[0]);
    closeNative(ends[1]);
  }

  // --- FileDescriptor

  @Test
  default void writeTwice_fileDescriptor_goesOnAtItsPosition() throws IOException {
    Path file = fileOf("Hello and a longer old text");
    try (FileOutputStream out = new FileOutputStream(file.toFile(), true)) {
      out.write('!');
      assertThat(write(out.getFD(), "Hello")).isEqualTo(5);
      ByteBuffer world = ByteBuffer.wrap("World".getBytes(StandardCharsets.US_ASCII));
      assertThat(backend().writeBytes(out.getFD(), world, DEFAULT_PLAN)).isEqualTo(5);
      out.write('?'); // still open
    }
    assertThat(file).hasContent("Hello and a longer old text!HelloWorld?");
  }

  @Test
  default void write_closedFileDescriptor_throwsEbadf() throws IOException {
    FileOutputStream out = new FileOutputStream(file().toFile());
    FileDescriptor fd = out.getFD();
    out.close();
    for (FileDescriptor closed : new FileDescriptor[] {fd, new FileDescriptor()}) {
      for (String text : new String[] {"text", "t".repeat(300_000)}) {
        assertThatThrownBy(() -> write(closed, text))
            .isExactlyInstanceOf(FileSystemException.class)
            .hasMessageContainingAll("FileDescriptor", "write", "EBADF");
      }
      assertThat(write(closed, "")).isZero();
    }
  }

  @Test
  default void write_readOnlyFileDescriptor_throwsEbadf() throws IOException {
    try (FileInputStream in = new FileInputStream(fileOf("old").toFile())) {
      assertThatThrownBy(() -> write(in.getFD(), "text"))
          .isExactlyInstanceOf(FileSystemException.class)
          .hasMessageContainingAll("write", "EBADF");
    }
    assertThat(file()).hasContent("old");
  }

  @Test
  default void write_fileDescriptorFlushed_writesTheSame() throws IOException {
    try (FileOutputStream out = new FileOutputStream(file().toFile())) {
      for (Flush flush : Flush.values()) {
        backend().writeText(out.getFD(), "text", WriteOptions.DEFAULT.flush(flush).writePlan());
      }
    }
    assertThat(file()).hasContent("text".repeat(3));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @Timeout(60)
  default void write_fileDescriptorOfPipeFlushed_throwsNothing(boolean isInterruptedAtOnce)
      throws Exception {
    Path fifo = FailureRules.fifo(folder());
    WritePlan plan = WriteOptions.DEFAULT.flush(true).writePlan();
    CompletableFuture<String> reader =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return Files.readString(fifo);
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            });
    try (FileOutputStream out = new FileOutputStream(fifo.toFile())) {
      if (isInterruptedAtOnce) {
        Thread.currentThread().interrupt();
      }
      assertThat(backend().writeText(out.getFD(), "text", plan)).isEqualTo(4);
      Thread.currentThread().interrupt();
      assertThat(backend().writeText(out.getFD(), "more", plan)).isEqualTo(4);
      assertThat(Thread.interrupted()).as("interrupt flag").isTrue();
      out.write('!'); // still open
    }
    assertThat(reader.get(30, TimeUnit.SECONDS)).isEqualTo("textmore!");
  }

  @Test
  default void write_fileDescriptorOfFullDevice_throwsEnospc() throws IOException {
    Needs.linux();
    try (FileOutputStream out = new FileOutputStream("/dev/full")) {
      FileSystemException e =
          catchThrowableOfType(FileSystemException.class, () -> write(out.getFD(), "text"));
      assertThat(e).hasMessageContainingAll("FileDescriptor", "write", "ENOSPC");
    }
  }
}
