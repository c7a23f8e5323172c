package io.github.files2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@link Files2#removeLeftovers}: what is dead goes, what lives stays. */
final class LeftoversTest extends EachLaneTest {
  private static final String NAME = ".files2-0123456789abcdef.tmp";
  private static final FileTime OLD = FileTime.fromMillis(System.currentTimeMillis() - 61_000);

  private Path old(Path file) throws IOException {
    Files.writeString(file, "left");
    return Files.setLastModifiedTime(file, OLD);
  }

  @Test
  void removeLeftovers_oldFilesOfOurName_removesThem() throws IOException {
    old(folder.resolve(NAME));
    old(folder.resolve(".files2-ffffffffffffffff.tmp"));
    int expected = isNio() ? 0 : 2;
    assertThat(Files2.removeLeftovers(folder)).isEqualTo(expected);
    assertThat(Files2.removeLeftovers(folder)).isZero();
    try (Stream<Path> left = Files.list(folder)) {
      assertThat(left).hasSize(2 - expected);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "file",
        ".files2-.tmp",
        ".files2-0123456789abcde.tmp",
        ".files2-0123456789abcdef0.tmp",
        ".files2-0123456789ABCDEF.tmp",
        ".files2-0123456789abcdeg.tmp",
        ".files2-0123456789abcdef.tm",
        ".files2-0123456789abcdef.tmp~",
        "files2-0123456789abcdef.tmp"
      })
  void removeLeftovers_otherName_leavesIt(String name) throws IOException {
    Path file = old(folder.resolve(name));
    assertThat(Files2.removeLeftovers(folder)).isZero();
    assertThat(file).exists();
  }

  @Test
  void removeLeftovers_youngFile_leavesIt() throws IOException {
    Path file = Files.writeString(folder.resolve(NAME), "young");
    assertThat(Files2.removeLeftovers(folder)).isZero();
    assertThat(file).exists();
  }

  @Test
  void removeLeftovers_linkFolderOrPipeOfOurName_leavesIt() throws IOException {
    Needs.linux();
    Path target = old(folder.resolve("target"));
    Path link = Files.createSymbolicLink(folder.resolve(NAME), target);
    Path inner = Files.createDirectory(folder.resolve(".files2-0000000000000000.tmp"));
    Path pipe = folder.resolve(".files2-0000000000000001.tmp");
    Mount.run("mkfifo", pipe.toString());
    Mount.run("touch", "-h", "-d", "2020-01-01", link.toString(), inner.toString());
    Mount.run("touch", "-d", "2020-01-01", pipe.toString());
    assertThat(Files2.removeLeftovers(folder)).isZero();
    assertThat(List.of(target, inner, pipe)).allMatch(Files::exists);
    assertThat(link).isSymbolicLink();
  }

  @Test
  void removeLeftovers_fileThatCantBeRemoved_removesTheOthersAndThrows() throws IOException {
    Needs.root();
    for (int i = 0; i < 4; i++) {
      old(folder.resolve(".files2-000000000000000" + i + ".tmp"));
    }
    Path first;
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
      first = files.iterator().next();
    }
    Path mounted = old(folder.resolve("mounted"));
    Mount.run("mount", "--bind", mounted.toString(), first.toString());
    try {
      if (isNio()) {
        assertThat(Files2.removeLeftovers(folder)).isZero();
      } else {
        assertThatThrownBy(() -> Files2.removeLeftovers(folder))
            .isInstanceOf(FileSystemException.class)
            .hasMessageContainingAll(first.toString(), "EBUSY");
        try (Stream<Path> left = Files.list(folder)) {
          assertThat(left).containsExactlyInAnyOrder(first, mounted);
        }
      }
    } finally {
      Mount.run("umount", first.toString());
    }
  }

  /** A file of a file system that may be remote, mounted in a local folder on a name of ours. */
  @Test
  void removeLeftovers_mountThatAnAtomicWriteHasMet_leavesIt() throws IOException {
    try (Mount mount = Mount.of("fuse")) {
      Path name = old(folder.resolve(NAME));
      Mount.run("mount", "--bind", old(mount.root().resolve("file")).toString(), name.toString());
      try {
        WriteOptions options = WriteOptions.DEFAULT.atomic(true).flush(Flush.NONE);
        assertThatThrownBy(() -> Files2.writeStringSync(name, "new", options))
            .hasMessageContaining("EBUSY");
        assertThat(Files2.removeLeftovers(folder)).isZero();
        assertThat(name).hasContent("left");
      } finally {
        Mount.run("umount", name.toString());
      }
    }
  }

  @Test
  void removeLeftovers_noFolder_throwsWithPathAndErrno() throws IOException {
    Path missing = folder.resolve("no");
    assertThatThrownBy(() -> Files2.removeLeftovers(missing))
        .isInstanceOf(NoSuchFileException.class)
        .hasMessageStartingWith(missing + ": opendir: ENOENT");
    Path file = Files.writeString(folder.resolve("file"), "");
    assertThatThrownBy(() -> Files2.removeLeftovers(file))
        .isInstanceOf(FileSystemException.class)
        .hasMessageStartingWith(file + ": opendir: ENOTDIR");
    assertThatThrownBy(() -> Files2.removeLeftovers(null)).isInstanceOf(NullPointerException.class);
  }

  @Test
  void removeLeftovers_fileThatMayNotBeRemoved_throwsAndKeepsIt() throws IOException {
    Needs.root();
    try (Mount mount = Mount.of("ext4")) {
      Path file = old(mount.root().resolve(NAME));
      Mount.run("chattr", "+i", file.toString());
      try {
        if (isNio()) {
          assertThat(Files2.removeLeftovers(mount.root())).isZero();
        } else {
          assertThatThrownBy(() -> Files2.removeLeftovers(mount.root()))
              .isInstanceOf(FileSystemException.class)
              .hasMessageContainingAll(file.toString(), "unlink", "EPERM");
        }
        assertThat(file).exists();
      } finally {
        Mount.run("chattr", "-i", file.toString());
      }
    }
  }

  /** Its files were written by the nio lane, which locks none. */
  @Test
  void removeLeftovers_folderThatNativeCodeMustNotTranslate_leavesAll() throws IOException {
    Needs.that("UTF-8".equals(System.getProperty("sun.jnu.encoding")), "needs a UTF-8 locale");
    Path file = old(Files.createDirectory(folder.resolve("odd\ufffd")).resolve(NAME));
    assertThat(Files2.removeLeftovers(file.getParent())).isZero();
    assertThat(file).exists();
  }

  @Test
  void removeLeftovers_fileSystemThatMayBeRemote_leavesAll() throws IOException {
    try (Mount mount = Mount.of("fuse")) {
      Path file = old(mount.root().resolve(NAME));
      assertThat(Files2.removeLeftovers(mount.root())).isZero();
      assertThat(file).exists();
    }
  }

  /**
   * A writer that strace has stopped before its rename, in a process of its own or in a process
   * namespace of its own: its file is made to look old, stays while it lives and goes once it was
   * killed.
   */
  @ParameterizedTest
  @CsvSource({"shim, false", "libc, false", "shim, true", "libc, true"})
  void removeLeftovers_liveWriterElsewhere_waitsForItsDeath(String writerLane, boolean isApart)
      throws Exception {
    Needs.root();
    Lanes.needed(writerLane);
    Path file = fileOf("old");
    List<String> words = new ArrayList<>();
    if (isApart) {
      String unshare = Needs.tool("unshare").toString();
      words.addAll(List.of(unshare, "--pid", "--fork", "--kill-child", "--mount-proc"));
    }
    words.addAll(
        List.of(
            Needs.tool("strace").toString(),
            "-f",
            "-qq",
            "-e",
            "trace=renameat",
            "-e",
            "inject=renameat:delay_enter=60000000"));
    words.addAll(
        new ChildProgram(AtomicProgram.class, file.toString(), "new", "1000")
            .with("-Dfiles2.backend=" + writerLane)
            .words());
    Process writer = new ProcessBuilder(words).redirectErrorStream(true).start();
    try {
      Path temp = waitForTemp(writer);
      Files.setLastModifiedTime(temp, OLD);
      assertThat(Files2.removeLeftovers(folder)).isZero();
      assertThat(temp).exists();
      kill(writer);
      waitUntilUnlocked(temp);
      assertThat(Files2.removeLeftovers(folder)).isEqualTo(isNio() ? 0 : 1);
      assertThat(Files.exists(temp)).isEqualTo(isNio());
      assertThat(file).hasContent("old");
    } finally {
      kill(writer);
    }
  }

  /** Returns the temporary file once it has all of its content. */
  private Path waitForTemp(Process writer) throws IOException, InterruptedException {
    long limitNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(40);
    while (System.nanoTime() < limitNanos) {
      try (Stream<Path> files = Files.list(folder)) {
        Path temp =
            files
                .filter(file -> TempName.matches(file.getFileName().toString()))
                .findFirst()
                .orElse(null);
        if (temp != null && Files.size(temp) == 3000) {
          return temp;
        }
      }
      if (!writer.isAlive()) {
        break;
      }
      Thread.sleep(20);
    }
    kill(writer);
    throw new AssertionError(
        "no temporary file: "
            + new BufferedReader(new InputStreamReader(writer.getInputStream())).lines().toList());
  }

  private static void kill(Process writer) throws InterruptedException {
    List<ProcessHandle> all = writer.descendants().toList();
    all.forEach(ProcessHandle::destroyForcibly);
    writer.destroyForcibly();
    assertThat(writer.waitFor(30, TimeUnit.SECONDS)).isTrue();
  }

  /** The kernel drops the lock when the last process that has it is gone. */
  private static void waitUntilUnlocked(Path temp) throws IOException, InterruptedException {
    String inode = ":" + Files.getAttribute(temp, "unix:ino") + " ";
    long limitNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (Files.readString(Path.of("/proc/locks")).contains(inode)) {
      assertThat(System.nanoTime()).isLessThan(limitNanos);
      Thread.sleep(20);
    }
  }
}
