package io.github.files2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Writes where no native code can go, with and without modes and owners. */
final class OtherFileSystemsTest extends EachLaneTest {
  private static final WriteOptions ATOMIC = WriteOptions.DEFAULT.atomic(true);
  private static final WriteOptions IF_CHANGED = WriteOptions.DEFAULT.onlyIfChanged(true);

  private FileSystem system;

  /** What is written into. */
  private enum Kind {
    MEMORY_LIKE_UNIX,
    MEMORY_LIKE_WINDOWS,
    MEMORY_WITH_POSIX_MODES,
    ZIP
  }

  /** Returns a folder of a new file system. */
  private Path folderOf(Kind kind) throws IOException {
    Configuration unix = Configuration.unix();
    system =
        switch (kind) {
          case MEMORY_LIKE_UNIX -> Jimfs.newFileSystem(unix);
          case MEMORY_LIKE_WINDOWS -> Jimfs.newFileSystem(Configuration.windows());
          case MEMORY_WITH_POSIX_MODES ->
              Jimfs.newFileSystem(
                  unix.toBuilder().setAttributeViews("basic", "owner", "posix", "user").build());
          case ZIP -> FileSystems.newFileSystem(folder.resolve("a.zip"), Map.of("create", "true"));
        };
    Path root = system.getRootDirectories().iterator().next();
    return Files.createDirectory(root.resolve("folder"));
  }

  @AfterEach
  void close() throws IOException {
    system.close();
  }

  private static void assertAlone(Path file) throws IOException {
    try (Stream<Path> files = Files.list(file.getParent())) {
      assertThat(files.map(Path::getFileName)).containsExactly(file.getFileName());
    }
  }

  @ParameterizedTest
  @EnumSource
  void atomic_newAndOldFile_holdsTheText(Kind kind) throws IOException {
    Path file = folderOf(kind).resolve("file");
    String longer = "é and more\n".repeat(100_000);
    for (String text : new String[] {"new", longer, "", "short"}) {
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      assertThat(Files2.writeStringSync(file, text, ATOMIC)).isEqualTo(bytes.length);
      assertThat(Files.readAllBytes(file)).isEqualTo(bytes);
      assertThat(Files2.writeBytesSync(file, bytes, ATOMIC.flush(Flush.NONE)))
          .isEqualTo(bytes.length);
      assertThat(Files.readAllBytes(file)).isEqualTo(bytes);
      assertAlone(file);
    }
    assertThat(Files2.removeLeftovers(file.getParent())).isZero();
  }

  @ParameterizedTest
  @EnumSource
  void atomic_exclusive_keepsWhatIsThere(Kind kind) throws IOException {
    Path file = folderOf(kind).resolve("file");
    assertThat(Files2.writeStringSync(file, "first", ATOMIC.flag("wx"))).isEqualTo(5);
    assertThatThrownBy(() -> Files2.writeStringSync(file, "second", ATOMIC.flag("wx")))
        .isInstanceOf(FileAlreadyExistsException.class);
    assertThat(Files.readString(file)).isEqualTo("first");
    assertAlone(file);
  }

  @ParameterizedTest
  @EnumSource
  void atomic_missingFolder_throwsAndMakesNothing(Kind kind) throws IOException {
    Path missing = folderOf(kind).resolve("missing");
    assertThatThrownBy(() -> Files2.writeStringSync(missing.resolve("file"), "text", ATOMIC))
        .isInstanceOf(NoSuchFileException.class);
    assertThat(missing).doesNotExist();
  }

  @ParameterizedTest
  @EnumSource
  void onlyIfChanged_sameText_isNotWritten(Kind kind) throws IOException {
    Path file = folderOf(kind).resolve("file");
    String text = "é and more\n".repeat(30_000);
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    for (WriteOptions options : new WriteOptions[] {IF_CHANGED, IF_CHANGED.atomic(true)}) {
      Files.deleteIfExists(file);
      assertThat(Files2.writeStringSync(file, text, options)).isEqualTo(bytes.length);
      assertThat(Files2.writeStringSync(file, text, options)).isZero();
      assertThat(Files2.writeBytesSync(file, bytes, options)).isZero();
      assertThat(Files2.writeStringSync(file, text + "x", options)).isEqualTo(bytes.length + 1);
      assertThat(Files.readString(file)).isEqualTo(text + "x");
      assertAlone(file);
    }
  }

  @ParameterizedTest
  @EnumSource
  void appender_anySystem_appendsAndFollowsARotation(Kind kind) throws IOException {
    Path file = folderOf(kind).resolve("file");
    Path moved = file.resolveSibling("moved");
    try (Appender log = Appender.open(file)) {
      log.write("one ");
    }
    try (Appender log = Appender.open(file, WriteOptions.DEFAULT.flush(true))) {
      assertThat(log.write("two")).isEqualTo(3);
      log.flush();
    }
    assertThat(Files.readString(file)).isEqualTo("one two");
    try (Appender log = Appender.open(file, WriteOptions.DEFAULT.reopenIfMoved(true))) {
      Files.move(file, moved);
      log.write("three");
    }
    assertThat(Files.readString(file)).isEqualTo("three");
    assertThat(Files.readString(moved)).isEqualTo("one two");
  }

  @ParameterizedTest
  @EnumSource
  void createParents_missingFolders_areMade(Kind kind) throws IOException {
    Path deep = folderOf(kind).resolve("a").resolve("b").resolve("file");
    WriteOptions options = WriteOptions.DEFAULT.createParents(true);
    assertThat(Files2.writeStringSync(deep, "one", options)).isEqualTo(3);
    assertThat(Files2.appendStringSync(deep, "two", options)).isEqualTo(3);
    Path other = deep.resolveSibling("c").resolve("file");
    assertThat(Files2.writeStringSync(other, "three", options.atomic(true))).isEqualTo(5);
    assertThat(Files.readString(deep)).isEqualTo("onetwo");
    assertThat(Files.readString(other)).isEqualTo("three");
  }
}
