package io.github.files2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@link WriteOptions#atomic}: all or nothing, and what of the old file stays. */
interface AtomicRules extends LaneRules {
  WriteOptions ATOMIC = WriteOptions.DEFAULT.atomic(true);

  private List<String> names() throws IOException {
    try (Stream<Path> files = Files.list(folder())) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  /** Runs a write that must fail and leave the folder as it is, and returns the exception. */
  private Throwable assertFailsWithoutTrace(ThrowingCallable write) throws IOException {
    List<String> before = names();
    Throwable[] failure = new Throwable[1];
    assertThatThrownBy(write).satisfies(e -> failure[0] = e);
    assertThat(names()).isEqualTo(before);
    return failure[0];
  }

  private Object inode(Path file) throws IOException {
    return Files.getAttribute(file, "unix:ino", LinkOption.NOFOLLOW_LINKS);
  }

  private static int mode(Path file) throws IOException {
    return (Integer) Files.getAttribute(file, "unix:mode") & 07777;
  }

  // --- Content

  @ParameterizedTest
  @CsvSource({"0, 10", "10, 0", "10, 10", "1, 300000", "300000, 1", "1500000, 2000000"})
  default void atomic_existingFile_becomesTheNewOne(int oldBytes, int newBytes) throws IOException {
    Path file = fileOf("o".repeat(oldBytes));
    for (Flush flush : Flush.values()) {
      Object before = inode(file);
      assertThat(write(file, "n".repeat(newBytes), ATOMIC.flush(flush))).isEqualTo(newBytes);
      assertThat(LaneRules.content(file).equals("n".repeat(newBytes))).isTrue();
      assertThat(inode(file)).isNotEqualTo(before);
      assertThat(names()).containsExactly("file");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"utf8", "latin1", "ascii", "utf16le", "base64", "hex", "windows-1252"})
  default void atomic_everyEncoding_writesTheBytesOfThePlainWrite(String encoding)
      throws IOException {
    for (int charCount : new int[] {0, 12, 5000, 200_000, 1_200_000}) {
      String text = "0123abcd".repeat(charCount / 8);
      WriteOptions options = WriteOptions.DEFAULT.encoding(encoding);
      Path plain = folder().resolve("plain");
      Backend plainLane = options.writePlan().encoding.isCharset() ? Backends.nio() : backend();
      long count = plainLane.writeText(plain, text, options.writePlan());
      assertThat(write(file(), text, options.atomic(true))).isEqualTo(count);
      assertThat(Files.mismatch(plain, file())).isEqualTo(-1);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 100, 20_000, 200_000, 3_000_000})
  default void atomic_bytesOfEachKind_areWritten(int byteCount) throws IOException {
    byte[] bytes = "0123456789a".repeat(byteCount / 11).getBytes(StandardCharsets.US_ASCII);
    ByteBuffer direct = ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
    ByteBuffer array = ByteBuffer.wrap(bytes);
    for (ByteBuffer data : List.of(array, direct, array.asReadOnlyBuffer())) {
      assertThat(backend().writeBytes(file(), data, ATOMIC.writePlan())).isEqualTo(bytes.length);
      assertThat(Files.readAllBytes(file())).isEqualTo(bytes);
      assertThat(data.position()).isZero();
      Files.delete(file());
    }
  }

  @Test
  default void atomic_onlyIfChanged_replacesWhatDiffersOnly() throws IOException {
    Path file = fileOf("old");
    WriteOptions both = ATOMIC.onlyIfChanged(true);
    Object before = inode(file);
    assertThat(write(file, "old", both)).isZero();
    assertThat(inode(file)).isEqualTo(before);
    assertThat(write(file, "new", both)).isEqualTo(3);
    assertThat(inode(file)).isNotEqualTo(before);
    assertThat(file).hasContent("new");
  }

  @Test
  default void atomic_readersAndWritersAtOnce_seeOneWholeVersion() throws Exception {
    String[] versions = {"a".repeat(40_000), "b".repeat(70_000)};
    Path file = fileOf(versions[0]);
    WriteOptions options = ATOMIC.flush(Flush.NONE);
    AtomicBoolean isDone = new AtomicBoolean();
    ExecutorService pool = Executors.newFixedThreadPool(3);
    try {
      Future<Integer> reads =
          pool.submit(
              () -> {
                int count = 0;
                while (!isDone.get() || count == 0) {
                  assertThat(versions).contains(LaneRules.content(file));
                  count++;
                }
                return count;
              });
      List<Callable<Long>> writers = new ArrayList<>();
      for (String version : versions) {
        writers.add(
            () -> {
              for (int i = 0; i < 200; i++) {
                write(file, version, options);
              }
              return 0L;
            });
      }
      for (Future<Long> writer : pool.invokeAll(writers)) {
        writer.get();
      }
      isDone.set(true);
      assertThat(reads.get()).isPositive();
    } finally {
      isDone.set(true);
      pool.shutdown();
    }
    assertThat(names()).containsExactly("file");
  }

  @Test
  default void atomic_interruptedThread_writesAllAndStaysInterrupted() throws IOException {
    Path file = fileOf("old");
    Thread.currentThread().interrupt();
    try {
      assertThat(write(file, "new", ATOMIC)).isEqualTo(3);
    } finally {
      assertThat(Thread.interrupted()).isTrue();
    }
    assertThat(file).hasContent("new");
  }

  // --- Flags

  @ParameterizedTest
  @ValueSource(strings = {"w", "w+", "wx", "wx+"})
  default void atomic_missingFile_isCreated(String flag) throws IOException {
    assertThat(write(file(), "new", ATOMIC.flag(flag))).isEqualTo(3);
    assertThat(file()).hasContent("new");
    assertThat(names()).containsExactly("file");
  }

  @ParameterizedTest
  @ValueSource(strings = {"wx", "wx+"})
  default void atomic_exclusiveOverAnything_throwsFileAlreadyExists(String flag)
      throws IOException {
    Path file = fileOf("old");
    Path dangling =
        Files.createSymbolicLink(folder().resolve("dangling"), folder().resolve("nothing"));
    for (Path taken : List.of(file, dangling, folder())) {
      assertThat(assertFailsWithoutTrace(() -> write(taken, "new", ATOMIC.flag(flag))))
          .isInstanceOf(FileAlreadyExistsException.class)
          .hasMessageContainingAll(taken.toString(), "EEXIST");
    }
    assertThat(file).hasContent("old");
  }

  @Test
  default void atomic_manyExclusiveWriters_oneWins() throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(4);
    try {
      for (int round = 0; round < 30; round++) {
        Path file = folder().resolve("file" + round);
        List<Callable<Boolean>> writers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
          String text = String.valueOf(i);
          writers.add(
              () -> {
                try {
                  write(file, text, ATOMIC.flag("wx").flush(Flush.NONE));
                  return true;
                } catch (FileAlreadyExistsException e) {
                  return false;
                }
              });
        }
        int winners = 0;
        for (Future<Boolean> writer : pool.invokeAll(writers)) {
          winners += writer.get() ? 1 : 0;
        }
        assertThat(winners).isEqualTo(1);
      }
    } finally {
      pool.shutdown();
    }
    assertThat(names()).hasSize(30);
  }

  // --- Links and special files

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  default void atomic_chainOfLinks_replacesItsEnd(boolean exists) throws IOException {
    Path deep = Files.createDirectories(folder().resolve("a/b"));
    Path end = deep.resolve("end");
    if (exists) {
      Files.writeString(end, "old");
    }
    Path absolute = Files.createSymbolicLink(folder().resolve("a/absolute"), end);
    Path relative = Files.createSymbolicLink(deep.resolve("relative"), Path.of("../../a/absolute"));
    Path first = Files.createSymbolicLink(folder().resolve("first"), Path.of("a/b/relative"));
    assertThat(write(first, "new", ATOMIC)).isEqualTo(3);
    assertThat(end).hasContent("new");
    assertThat(List.of(first, relative, absolute)).allMatch(Files::isSymbolicLink);
    assertThat(names()).containsExactly("a", "first");
    try (Stream<Path> files = Files.list(deep)) {
      assertThat(files).containsExactlyInAnyOrder(end, relative);
    }
  }

  @Test
  default void atomic_loopOfLinks_throwsEloop() throws IOException {
    Path a = Files.createSymbolicLink(folder().resolve("a"), Path.of("b"));
    Files.createSymbolicLink(folder().resolve("b"), Path.of("a"));
    assertThat(assertFailsWithoutTrace(() -> write(a, "new", ATOMIC)))
        .isInstanceOf(FileSystemException.class)
        .hasMessageContainingAll(a.toString(), "ELOOP");
  }

  @Test
  default void atomic_linkInProcToADeletedFile_throwsAndCreatesNothing() throws IOException {
    Needs.linux();
    Path file = fileOf("old");
    try (FileChannel channel = FileChannel.open(file)) {
      assertThat(channel.isOpen()).isTrue();
      Path link = linkInProcTo(file);
      Files.delete(file);
      assertThat(assertFailsWithoutTrace(() -> write(link, "new", ATOMIC)))
          .isInstanceOf(FileSystemException.class)
          .hasMessageContainingAll(link.toString(), "ESTALE");
      // What the link's text names by chance is another file.
      Path namesake = Files.writeString(Path.of(file + " (deleted)"), "other");
      assertThat(assertFailsWithoutTrace(() -> write(link, "new", ATOMIC)))
          .isInstanceOf(FileSystemException.class)
          .hasMessageContainingAll(link.toString(), "ESTALE");
      assertThat(namesake).hasContent("other");
    }
  }

  private static Path linkInProcTo(Path file) throws IOException {
    try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
      for (Path link : (Iterable<Path>) open::iterator) {
        try {
          if (Files.readSymbolicLink(link).equals(file)) {
            return link;
          }
        } catch (NoSuchFileException e) {
          continue; // another thread has closed it
        }
      }
    }
    throw new AssertionError("no descriptor of " + file);
  }

  @Test
  default void atomic_folder_throwsEisdir() throws IOException {
    for (Path taken : List.of(folder(), Path.of("/"), folder().resolve(".."))) {
      assertThat(assertFailsWithoutTrace(() -> write(taken, "new", ATOMIC)))
          .isInstanceOf(FileSystemException.class)
          .hasMessageContaining("EISDIR");
    }
  }

  @Test
  default void atomic_specialFile_isRefusedAndStays() throws IOException {
    Needs.linux();
    Path pipe = folder().resolve("pipe");
    Mount.run("mkfifo", pipe.toString());
    Path link = Files.createSymbolicLink(folder().resolve("link"), Path.of("/dev/null"));
    for (Path special : List.of(pipe, Path.of("/dev/null"), link)) {
      assertThat(assertFailsWithoutTrace(() -> write(special, "new", ATOMIC)))
          .isInstanceOf(FileSystemException.class)
          .hasMessageContainingAll(special.toString(), "no regular file", "without atomic");
    }
  }

  @Test
  default void atomic_missingFolder_throwsNoSuchFile() throws IOException {
    assertThat(assertFailsWithoutTrace(() -> write(folder().resolve("no/file"), "new", ATOMIC)))
        .isInstanceOf(NoSuchFileException.class)
        .hasMessageContaining("ENOENT");
  }

  // --- Names

  @Test
  default void atomic_longestName_isWritten() throws IOException {
    Path file = folder().resolve("n".repeat(255));
    write(file, "1", ATOMIC);
    write(file, "2", ATOMIC);
    assertThat(file).hasContent("2");
    assertThat(assertFailsWithoutTrace(() -> write(folder().resolve("n".repeat(256)), "1", ATOMIC)))
        .isInstanceOf(FileSystemException.class)
        .hasMessageContaining("ENAMETOOLONG");
  }

  @ParameterizedTest
  @ValueSource(strings = {"caf\u00e9", "\u4e2d\u6587 \ud83d\ude00", "a b'\"\\$"})
  default void atomic_oddName_isWritten(String name) throws IOException {
    Needs.that("UTF-8".equals(System.getProperty("sun.jnu.encoding")), "needs a UTF-8 locale");
    Path file = folder().resolve(name);
    write(file, "1", ATOMIC);
    write(file, "2", ATOMIC);
    assertThat(file).hasContent("2");
    assertThat(names()).containsExactly(name);
  }

  // --- Metadata

  @ParameterizedTest
  @ValueSource(ints = {0644, 0600, 0444, 0, 0666, 0755, 04755, 02711, 01777})
  default void atomic_modeOfTheOldFile_isKept(int mode) throws IOException {
    Path file = fileOf("old");
    Files.setAttribute(file, "unix:mode", mode);
    write(file, "new", ATOMIC.mode(0640));
    assertThat(mode(file)).isEqualTo(mode);
  }

  @ParameterizedTest
  @ValueSource(ints = {0666, 0600, 0640, 0400, 0777, 02750})
  default void atomic_newFile_hasTheModeOfAPlainWrite(int mode) throws IOException {
    Path plain = folder().resolve("plain");
    write(plain, "new", WriteOptions.DEFAULT.mode(mode));
    write(file(), "new", ATOMIC.mode(mode));
    assertThat(mode(file())).isEqualTo(mode(plain));
  }

  /** Whether it is seen or not, the new file must not keep the mode of a temporary one. */
  @Test
  default void atomic_fileDeletedMeanwhile_isWrittenWithAModeOfAFile() throws Exception {
    Path plain = folder().resolve("plain");
    write(plain, "new", WriteOptions.DEFAULT);
    AtomicBoolean ends = new AtomicBoolean();
    ExecutorService executor = Executors.newSingleThreadExecutor();
    try {
      Future<?> deleting =
          executor.submit(
              () -> {
                while (!ends.get()) {
                  Files.deleteIfExists(file());
                }
                return null;
              });
      for (int round = 0; round < 1500; round++) {
        write(file(), "new", ATOMIC.flush(Flush.NONE));
        Path seen = folder().resolve("seen");
        try {
          Files.move(file(), seen, StandardCopyOption.REPLACE_EXISTING);
          assertThat(mode(seen)).isEqualTo(mode(plain));
        } catch (NoSuchFileException e) {
          // deleted before it could be looked at
        }
      }
      ends.set(true);
      deleting.get();
    } finally {
      ends.set(true);
      executor.shutdownNow();
    }
  }

  @Test
  default void atomic_ownerAndGroup_areKept() throws IOException {
    Needs.root();
    Path file = fileOf("old");
    Mount.run("chown", "1234:4321", file.toString());
    Mount.run("chmod", "6755", file.toString());
    write(file, "new", ATOMIC);
    assertThat(Files.getAttribute(file, "unix:uid")).isEqualTo(1234);
    assertThat(Files.getAttribute(file, "unix:gid")).isEqualTo(4321);
    assertThat(mode(file)).isEqualTo(06755);
  }

  @Test
  default void atomic_userAttributes_areKept() throws IOException {
    Path file = fileOf("old");
    UserDefinedFileAttributeView view =
        Files.getFileAttributeView(file, UserDefinedFileAttributeView.class);
    Needs.that(view != null, "needs user attributes");
    for (int i = 0; i < 30; i++) {
      view.write("attribute" + i, ByteBuffer.wrap(("value" + i).getBytes(StandardCharsets.UTF_8)));
    }
    view.write("empty", ByteBuffer.allocate(0));
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("r--------"));
    write(file, "new", ATOMIC);
    assertThat(view.list()).hasSize(31).contains("empty");
    for (int i = 0; i < 30; i++) {
      ByteBuffer value = ByteBuffer.allocate(view.size("attribute" + i));
      view.read("attribute" + i, value);
      assertThat(value.array()).asString().isEqualTo("value" + i);
    }
  }

  @Test
  default void atomic_accessList_isKept() throws IOException {
    if (!isNative()) {
      return; // the JDK sees none, as the contract says
    }
    Needs.tool("setfacl");
    Path file = fileOf("old");
    Mount.run("setfacl", "-m", "u:1234:rw,g:4321:r", file.toString());
    String before = Mount.run("getfacl", "-cn", file.toString());
    assertThat(before).contains("user:1234:rw-");
    write(file, "new", ATOMIC);
    assertThat(Mount.run("getfacl", "-cn", file.toString())).isEqualTo(before);
  }

  @ParameterizedTest
  @ValueSource(strings = {"d", "\u00e9"})
  default void atomic_accessListOfALongPath_isKept(String unit) throws IOException {
    if (!isNative()) {
      return; // as above
    }
    Needs.tool("setfacl");
    Needs.that("UTF-8".equals(System.getProperty("sun.jnu.encoding")), "needs a UTF-8 locale");
    StringBuilder path = new StringBuilder(folder().toString());
    while (path.length() < 1700) {
      path.append('/').append(unit.repeat(100));
    }
    Path file = Files.createDirectories(Path.of(path.toString())).resolve("file");
    Files.writeString(file, "old");
    Mount.run("setfacl", "-m", "u:1234:rw", file.toString());
    String before = Mount.run("getfacl", "-cn", file.toString());
    write(file, "new", ATOMIC);
    assertThat(Mount.run("getfacl", "-cn", file.toString())).isEqualTo(before);
  }

  @Test
  default void atomic_defaultListOfTheFolder_isForNewFilesOnly() throws IOException {
    if (!isNative()) {
      return; // the JDK sees none, as the contract says
    }
    Needs.tool("setfacl");
    Path file = fileOf("old");
    Files.setAttribute(file, "unix:mode", 0664);
    Mount.run("setfacl", "-d", "-m", "u:1234:rw", folder().toString());
    String before = Mount.run("getfacl", "-cn", file.toString());
    write(file, "new", ATOMIC);
    assertThat(Mount.run("getfacl", "-cn", file.toString())).isEqualTo(before);
    Path plain = folder().resolve("plain");
    Path fresh = folder().resolve("fresh");
    write(plain, "new");
    write(fresh, "new", ATOMIC);
    assertThat(Mount.run("getfacl", "-cn", fresh.toString()))
        .isEqualTo(Mount.run("getfacl", "-cn", plain.toString()))
        .contains("user:1234");
  }

  @Test
  default void atomic_hardLink_keepsTheOldContent() throws IOException {
    Path file = fileOf("old");
    Path other = Files.createLink(folder().resolve("other"), file);
    write(file, "new", ATOMIC);
    assertThat(file).hasContent("new");
    assertThat(other).hasContent("old");
  }

  // --- Failures

  @Test
  default void atomic_immutableFile_throwsAndKeepsIt() throws IOException {
    Needs.root();
    try (Mount mount = Mount.of("ext4")) {
      Path file = Files.writeString(mount.root().resolve("file"), "old");
      for (String attribute : List.of("i", "a")) {
        Mount.run("chattr", "+" + attribute, file.toString());
        try {
          assertThatThrownBy(() -> write(file, "new", ATOMIC))
              .isInstanceOf(FileSystemException.class)
              .hasMessageContainingAll("EPERM", "the file is as it was");
        } finally {
          Mount.run("chattr", "-" + attribute, file.toString());
        }
        assertThat(file).hasContent("old");
        assertNoTemp(mount.root());
      }
    }
  }

  private static void assertNoTemp(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      assertThat(files.filter(file -> TempName.matches(file.getFileName().toString()))).isEmpty();
    }
  }

  @Test
  default void atomic_fullDisk_throwsAndKeepsTheOldFile() throws IOException {
    Needs.root();
    try (Mount mount = Mount.of("tmpfs", ",size=256k")) {
      Path file = Files.writeString(mount.root().resolve("file"), "old");
      assertThatThrownBy(() -> write(file, "n".repeat(1 << 20), ATOMIC))
          .isInstanceOf(FileSystemException.class)
          .isNotInstanceOf(PartialWriteException.class)
          .hasMessageContainingAll("write", "ENOSPC", "the file is as it was");
      assertThat(file).hasContent("old");
      assertNoTemp(mount.root());
    }
  }

  @Test
  default void atomic_mountedOverFile_throwsWithAHint() throws IOException {
    Needs.root();
    Path file = fileOf("old");
    Path other = Files.writeString(folder().resolve("other"), "other");
    Mount.run("mount", "--bind", other.toString(), file.toString());
    try {
      assertThat(assertFailsWithoutTrace(() -> write(file, "new", ATOMIC)))
          .isInstanceOf(FileSystemException.class)
          .hasMessageContainingAll("rename", "EBUSY", "a write without atomic");
      assertThat(write(file, "plain")).isEqualTo(5);
    } finally {
      Mount.run("umount", file.toString());
    }
    assertThat(other).hasContent("plain");
  }

  /** dbuenzli/bos#70: a file that may be written in a folder that may not. */
  @Test
  default void atomic_fileOfTheKernel_throwsWithAHint() throws IOException {
    Needs.root();
    Path file = Path.of("/proc/self/comm");
    assertThatThrownBy(() -> write(file, "new", ATOMIC))
        .isInstanceOf(FileSystemException.class)
        .hasMessageContaining("the file is as it was");
    assertThat(write(file, "plain")).isEqualTo(5);
  }

  @Test
  default void atomic_leavesNoDescriptor() throws IOException {
    Needs.linux();
    Path file = fileOf("old");
    Path loop = Files.createSymbolicLink(folder().resolve("loop"), Path.of("loop"));
    Path link = Files.createSymbolicLink(folder().resolve("link"), file);
    write(link, "new", ATOMIC);
    long before = descriptors();
    for (int i = 0; i < 20; i++) {
      write(link, "new", ATOMIC);
      assertThatThrownBy(() -> write(loop, "new", ATOMIC)).isInstanceOf(IOException.class);
      assertThatThrownBy(() -> write(file, "new", ATOMIC.flag("wx")))
          .isInstanceOf(IOException.class);
      assertThatThrownBy(() -> write(folder(), "new", ATOMIC)).isInstanceOf(IOException.class);
    }
    assertThat(descriptors()).isLessThan(before + 10); // others may open some
  }

  private static long descriptors() throws IOException {
    try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
      return open.count();
    }
  }
}
