package io.github.files2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.FileDescriptor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@link WriteOptions#createParents}. */
final class CreateParentsTest extends EachLaneTest {
  private static final WriteOptions PARENTS = WriteOptions.DEFAULT.createParents(true);

  private Path deep() {
    return folder.resolve("a/b/c/file");
  }

  @ParameterizedTest
  @ValueSource(strings = {"utf8", "hex", "windows-1252"})
  void writeString_missingFolders_makesThem(String encoding) throws IOException {
    assertThat(Files2.writeStringSync(deep(), "abab", PARENTS.encoding(encoding))).isPositive();
    assertThat(deep()).isNotEmptyFile();
  }

  @Test
  void everyPathCall_missingFolders_makesThem() throws IOException {
    byte[] bytes = "bytes".getBytes(StandardCharsets.US_ASCII);
    Files2.appendStringSync(folder.resolve("1/2/f"), "text", PARENTS);
    assertThat(folder.resolve("1/2/f")).hasContent("text");
    Files2.writeBytesSync(folder.resolve("2/2/f"), bytes, PARENTS.flag("wx"));
    assertThat(folder.resolve("2/2/f")).hasContent("bytes");
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    Files2.appendBytesSync(folder.resolve("3/2/f"), buffer, PARENTS);
    assertThat(folder.resolve("3/2/f")).hasContent("bytes");
    assertThat(buffer.hasRemaining()).isFalse();
  }

  @Test
  void writeString_missingFolders_givesThemTheUsualMode() throws IOException {
    Needs.linux();
    Files2.writeStringSync(deep(), "text", PARENTS.mode(0600));
    Path usual = Files.createDirectory(folder.resolve("usual"));
    for (Path made = deep().getParent(); !made.equals(folder); made = made.getParent()) {
      assertThat(Files.getAttribute(made, "unix:mode"))
          .isEqualTo(Files.getAttribute(usual, "unix:mode"));
    }
  }

  @Test
  void writeString_optionOff_throwsAndMakesNothing() {
    assertThatThrownBy(() -> Files2.writeStringSync(deep(), "text", PARENTS.createParents(false)))
        .isInstanceOf(NoSuchFileException.class);
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void writeString_flagThatCreatesNothing_makesNoFolder() {
    assertThatThrownBy(() -> Files2.writeStringSync(deep(), "text", PARENTS.flag("r+")))
        .isInstanceOf(NoSuchFileException.class);
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void writeString_fileWhereAFolderShouldBe_throwsAndKeepsIt() throws IOException {
    Path inTheWay = Files.writeString(folder.resolve("a"), "old");
    assertThatThrownBy(() -> Files2.writeStringSync(deep(), "text", PARENTS))
        .isInstanceOf(FileSystemException.class);
    assertThat(inTheWay).hasContent("old");
  }

  @Test
  void writeString_throughALinkToAFolder_makesWhatIsMissingBehindIt() throws IOException {
    Path real = Files.createDirectory(folder.resolve("real"));
    Path link = Files.createSymbolicLink(folder.resolve("link"), real);
    Files2.writeStringSync(link.resolve("x/y/file"), "text", PARENTS);
    assertThat(real.resolve("x/y/file")).hasContent("text");
  }

  @Test
  void writeString_danglingLinkIntoNowhere_throwsAndMakesNothing() throws IOException {
    Path link = Files.createSymbolicLink(file(), folder.resolve("no/file"));
    assertThatThrownBy(() -> Files2.writeStringSync(link, "text", PARENTS))
        .isInstanceOf(NoSuchFileException.class);
    assertThat(folder.resolve("no")).doesNotExist();
  }

  @Test
  void writeString_procFolder_throwsWithTheFirstFailureSuppressed() {
    Needs.linux();
    Path nowhere = Path.of("/proc/files2-nothing/file");
    assertThatThrownBy(() -> Files2.writeStringSync(nowhere, "text", PARENTS))
        .isInstanceOfAny(AccessDeniedException.class, FileSystemException.class)
        .hasMessageStartingWith("/proc/files2-nothing: mkdir: E")
        .satisfies(e -> assertThat(e.getSuppressed()).hasSize(1));
  }

  @Test
  void writeString_manyThreadsAtOnce_allSucceed() throws Exception {
    int threads = 8;
    CyclicBarrier start = new CyclicBarrier(threads);
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      for (int round = 0; round < 50; round++) {
        Path parent = folder.resolve(round + "/a/b/c");
        List<Callable<Long>> writes = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
          Path file = parent.resolve("file" + i);
          writes.add(
              () -> {
                start.await();
                return Files2.writeStringSync(file, "text", PARENTS);
              });
        }
        for (Future<Long> write : pool.invokeAll(writes)) {
          assertThat(write.get()).isEqualTo(4);
        }
      }
    } finally {
      pool.shutdownNow();
    }
  }

  @Test
  void whatIsOpenAlready_isRefusedWithoutAWrite() throws IOException {
    fileOf("old");
    int fd = Files2.openSync(file(), "a");
    try {
      ByteBuffer bytes = ByteBuffer.wrap(new byte[1]);
      assertRefused(() -> Files2.writeStringSync(fd, "x", PARENTS));
      assertRefused(() -> Files2.appendStringSync(fd, "x", PARENTS));
      assertRefused(() -> Files2.writeBytesSync(fd, bytes, PARENTS));
      assertRefused(() -> Files2.writeStringSync(FileDescriptor.out, "x", PARENTS));
      assertRefused(() -> Files2.writeBytesSync(FileDescriptor.out, bytes, PARENTS));
      assertRefused(() -> Files2.writeStringSync(Channels.newChannel(System.out), "x", PARENTS));
    } finally {
      Files2.closeSync(fd);
    }
    assertThat(file()).hasContent("old");
  }

  private static void assertRefused(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
    assertThatThrownBy(call)
        .isExactlyInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("createParents needs a path");
  }
}
