package io.github.files2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What goes wrong with paths: the exception's class, its path, operation and errno name. */
interface FailureRules extends LaneRules {
  private void checkFailure(Path file, String flag, Class<?> type, String... parts) {
    for (String mode : new String[] {"666", "600"}) {
      WriteOptions options = WriteOptions.DEFAULT.flag(flag).mode(mode);
      assertThatThrownBy(() -> write(file, "text", options))
          .as("flag %s, mode %s", flag, mode)
          .isExactlyInstanceOf(type)
          .hasMessageStartingWith(file.toString())
          .hasMessageContainingAll(parts);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"w", "a", "r+", "w+"})
  default void write_folder_throwsEisdir(String flag) {
    checkFailure(folder(), flag, FileSystemException.class, "open", "EISDIR");
  }

  @ParameterizedTest
  @ValueSource(strings = {"wx", "ax"})
  default void write_exclusiveOnFolder_throwsFileAlreadyExists(String flag) {
    checkFailure(folder(), flag, FileAlreadyExistsException.class, "open", "EEXIST");
  }

  @ParameterizedTest
  @ValueSource(strings = {"w", "wx", "a", "r+"})
  default void write_missingFolder_throwsNoSuchFile(String flag) {
    Path file = folder().resolve("missing").resolve("file");
    checkFailure(file, flag, NoSuchFileException.class, "open", "ENOENT");
  }

  @ParameterizedTest
  @ValueSource(strings = {"w", "wx", "a", "r+"})
  default void write_fileAsFolder_throwsEnotdir(String flag) throws IOException {
    Path file = fileOf("old").resolve("child");
    checkFailure(file, flag, FileSystemException.class, "open", "ENOTDIR");
  }

  @ParameterizedTest
  @ValueSource(strings = {"w", "a", "r+"})
  default void write_linkLoop_throwsEloop(String flag) throws IOException {
    Path link = Files.createSymbolicLink(folder().resolve("link"), Path.of("link"));
    checkFailure(link, flag, FileSystemException.class, "open", "ELOOP");
  }

  @ParameterizedTest
  @CsvSource({"256, 1", "200, 25"})
  default void write_tooLongName_throwsEnametoolong(int charCount, int folderCount) {
    Path file = folder();
    for (int i = 0; i < folderCount; i++) {
      file = file.resolve("n".repeat(charCount));
    }
    checkFailure(file, "w", FileSystemException.class, "open", "ENAMETOOLONG");
  }

  @ParameterizedTest
  @ValueSource(strings = {"w", "a", "r+"})
  default void write_runningProgram_throwsEtxtbsy(String flag) throws Exception {
    Path program = Files.copy(Needs.tool("sleep"), file());
    Process running = new ProcessBuilder(program.toString(), "60").start();
    try {
      checkFailure(program, flag, FileSystemException.class, "open", "ETXTBSY");
    } finally {
      running.destroyForcibly().waitFor();
    }
    assertThat(Files.mismatch(program, Needs.tool("sleep"))).isEqualTo(-1);
  }

  @ParameterizedTest
  @CsvSource({"w, 1", "w, 200000", "w, 3000000", "a, 1", "a, 200000", "r+, 1", "w+, 1"})
  default void write_fullDevice_throwsEnospc(String flag, int charCount) {
    Needs.linux();
    Path full = Path.of("/dev/full");
    assertThatThrownBy(() -> write(full, "x".repeat(charCount), WriteOptions.DEFAULT.flag(flag)))
        .isExactlyInstanceOf(FileSystemException.class)
        .hasMessageContainingAll("/dev/full", "write", "ENOSPC");
  }

  @Test
  default void write_emptyTextToFullDevice_writesNothing() throws IOException {
    Needs.linux();
    assertThat(write(Path.of("/dev/full"), "")).isZero();
  }

  // --- Pipes with a name

  /** Makes a FIFO of the test's folder. */
  static Path fifo(Path folder) throws Exception {
    Path fifo = folder.resolve("fifo");
    int status =
        new ProcessBuilder(Needs.tool("mkfifo").toString(), fifo.toString()).start().waitFor();
    assertThat(status).isZero();
    return fifo;
  }

  private static <T> Future<T> inBackground(Callable<T> body) {
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try {
      return thread.submit(body);
    } finally {
      thread.shutdown();
    }
  }

  private static String readSlowly(Path fifo) throws Exception {
    StringBuilder text = new StringBuilder();
    byte[] some = new byte[10_000];
    try (InputStream in = Files.newInputStream(fifo)) {
      for (int count = in.read(some); count > 0; count = in.read(some)) {
        text.append(new String(some, 0, count, StandardCharsets.ISO_8859_1));
        Thread.sleep(1);
      }
    }
    return text.toString();
  }

  private static String numbers(int charCount) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; text.length() < charCount; i++) {
      text.append(i).append(' ');
    }
    return text.substring(0, charCount);
  }

  @ParameterizedTest
  @CsvSource({"w, 10", "w, 300000", "w, 1200000", "a, 300000", "r+, 300000"})
  @Timeout(60)
  default void write_fifoReadSlowly_arrivesWhole(String flag, int charCount) throws Exception {
    Path fifo = fifo(folder());
    String text = numbers(charCount);
    Future<String> reader = inBackground(() -> readSlowly(fifo));
    WriteOptions options = WriteOptions.DEFAULT.flag(flag).flush(true);
    assertThat(write(fifo, text, options)).isEqualTo(charCount);
    assertThat(reader.get(30, TimeUnit.SECONDS).equals(text)).isTrue();
  }

  @Test
  @Timeout(60)
  default void write_interruptedWhileWriting_completesAndStaysInterrupted() throws Exception {
    Path fifo = fifo(folder());
    String text = numbers(600_000);
    Thread writer = Thread.currentThread();
    Future<String> reader =
        inBackground(
            () -> {
              try (InputStream in = Files.newInputStream(fifo)) {
                // The pipe holds 64 KiB: the writer is in the middle of its text.
                String start = new String(in.readNBytes(1000), StandardCharsets.ISO_8859_1);
                writer.interrupt();
                Thread.sleep(50);
                return start + new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
              }
            });
    long byteCount = write(fifo, text);
    assertThat(Thread.interrupted()).as("interrupt flag").isTrue();
    assertThat(byteCount).isEqualTo(text.length());
    assertThat(reader.get(30, TimeUnit.SECONDS).equals(text)).isTrue();
  }

  @Test
  @Timeout(60)
  default void write_fifoWhoseReaderLeaves_throwsEpipe() throws Exception {
    Path fifo = fifo(folder());
    Future<Integer> reader =
        inBackground(
            () -> {
              try (InputStream in = Files.newInputStream(fifo)) {
                return in.readNBytes(1000).length;
              }
            });
    FileSystemException e =
        catchThrowableOfType(
            FileSystemException.class, () -> write(fifo, numbers(600_000), WriteOptions.DEFAULT));
    assertThat(e).hasMessageContainingAll(fifo.toString(), "write", "EPIPE");
    if (isNative()) {
      assertThat(((PartialWriteException) e).bytesWritten()).isBetween(1000L, 599_999L);
    }
    reader.get(30, TimeUnit.SECONDS);
  }

  // --- Leaks

  static long openDescriptors() throws IOException {
    try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
      return open.count();
    }
  }

  @Test
  default void write_tenThousandFailures_leakNoDescriptor() throws IOException {
    Needs.linux();
    Path file = fileOf("old");
    Path full = Path.of("/dev/full");
    WriteOptions strict =
        WriteOptions.DEFAULT.onMalformedInput(java.nio.charset.CodingErrorAction.REPORT);
    long before = 0;
    for (int i = 0; i < 2020; i++) {
      if (i == 20) {
        before = openDescriptors(); // by now everything is loaded
      }
      assertThatThrownBy(() -> write(full, "text")).hasMessageContaining("ENOSPC");
      assertThatThrownBy(() -> write(folder(), "text")).hasMessageContaining("EISDIR");
      assertThatThrownBy(() -> write(file, "text", WriteOptions.DEFAULT.flag("wx")))
          .hasMessageContaining("EEXIST");
      assertThatThrownBy(() -> write(file, "text", WriteOptions.DEFAULT.flag("r")))
          .hasMessageContaining("EBADF");
      assertThatThrownBy(() -> write(file, "\ud800", strict)).hasMessageContaining("index 0");
    }
    assertThat(openDescriptors()).isLessThanOrEqualTo(before); // the collector closes, too
    assertThat(file).hasContent("old");
  }
}
