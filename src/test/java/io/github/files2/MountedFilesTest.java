package io.github.files2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What a write leaves on file systems of each kind, mounted for these tests. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class MountedFilesTest {
  private static final String[] KINDS = {"ext4", "xfs", "btrfs", "tmpfs", "overlay", "fuse"};

  /** Kinds that can be mounted anew, read-only. */
  private static final List<String> DISKS = List.of("ext4", "xfs", "btrfs", "tmpfs");

  /** Around the borders that matter: a block, one chunk, several chunks. */
  private static final int[] SIZES = {0, 1, 4096, 5000, 131_072, 131_073, 300_000};

  private final Map<String, Mount> mounts = new TreeMap<>();

  static List<Arguments> kindsAndLanes() {
    List<Arguments> all = new ArrayList<>();
    for (String kind : KINDS) {
      for (LaneUnderTest lane : LaneUnderTest.values()) {
        all.add(Arguments.of(kind, lane));
      }
    }
    return all;
  }

  static List<Arguments> kindsAndNativeLanes() {
    return kindsAndLanes().stream()
        .filter(arguments -> arguments.get()[1] != LaneUnderTest.NIO) // Files itself
        .toList();
  }

  static List<Arguments> disksAndLanes() {
    return kindsAndLanes().stream()
        .filter(arguments -> DISKS.contains(arguments.get()[0]))
        .toList();
  }

  private Path fileOn(String kind) {
    return mounts.computeIfAbsent(kind, Mount::of).root().resolve("file");
  }

  @AfterAll
  void unmount() {
    mounts.values().forEach(Mount::close);
  }

  /** Text whose content tells where it is, so that no block can pass for another. */
  static String text(int charCount, char first) {
    StringBuilder text = new StringBuilder(charCount + 16);
    for (int i = 0; text.length() < charCount; i++) {
      text.append(first).append(i).append(' ');
    }
    text.setLength(charCount);
    return text.toString();
  }

  @ParameterizedTest
  @MethodSource("kindsAndLanes")
  void overwrite_textOverAnyOldSize_leavesExactlyTheText(String kind, LaneUnderTest lane)
      throws IOException {
    Path file = fileOn(kind);
    for (int oldSize : SIZES) {
      for (int newSize : SIZES) {
        Files.writeString(file, text(oldSize, 'o'));
        String text = text(newSize, 'n');
        long written = lane.backend().writeText(file, text, WriteOptions.DEFAULT.writePlan());
        assertThat(written).isEqualTo(newSize);
        // Not by hasContent: a failure would print all of it.
        assertThat(Files.readString(file).equals(text))
            .as("%d bytes over %d", newSize, oldSize)
            .isTrue();
      }
    }
  }

  @ParameterizedTest
  @MethodSource("kindsAndLanes")
  void overwrite_bytesOverAnyOldSize_leavesExactlyTheBytes(String kind, LaneUnderTest lane)
      throws IOException {
    Path file = fileOn(kind);
    for (int oldSize : SIZES) {
      for (int newSize : SIZES) {
        Files.writeString(file, text(oldSize, 'o'));
        byte[] bytes = text(newSize, 'b').getBytes(StandardCharsets.US_ASCII);
        lane.backend().writeBytes(file, ByteBuffer.wrap(bytes), WriteOptions.DEFAULT.writePlan());
        assertThat(java.util.Arrays.equals(Files.readAllBytes(file), bytes))
            .as("%d bytes over %d", newSize, oldSize)
            .isTrue();
      }
    }
  }

  @ParameterizedTest
  @MethodSource("kindsAndLanes")
  void overwrite_textThatGrowsWhenEncoded_leavesExactlyTheText(String kind, LaneUnderTest lane)
      throws IOException {
    Path file = fileOn(kind);
    String russian = "\u043f\u0440\u0438\u0432\u0435\u0442 ".repeat(20_000);
    for (int oldSize : new int[] {10, 140_000, 200_000, 280_000}) {
      Files.writeString(file, text(oldSize, 'o'));
      lane.backend().writeText(file, russian, WriteOptions.DEFAULT.writePlan());
      assertThat(Files.readString(file).equals(russian)).as("over %d", oldSize).isTrue();
    }
  }

  @ParameterizedTest
  @MethodSource("kindsAndLanes")
  void append_anyFile_keepsWhatWasThere(String kind, LaneUnderTest lane) throws IOException {
    Path file = fileOn(kind);
    Files.writeString(file, text(5000, 'o'));
    lane.backend().writeText(file, text(300_000, 'n'), WriteOptions.DEFAULT.appendPlan());
    assertThat(Files.readString(file).equals(text(5000, 'o') + text(300_000, 'n'))).isTrue();
  }

  @ParameterizedTest
  @MethodSource("kindsAndLanes")
  void overwrite_withEachFlush_leavesExactlyTheText(String kind, LaneUnderTest lane)
      throws IOException {
    Path file = fileOn(kind);
    for (Flush flush : Flush.values()) {
      Files.writeString(file, text(5000, 'o'));
      lane.backend().writeText(file, "short", WriteOptions.DEFAULT.flush(flush).writePlan());
      assertThat(file).hasContent("short");
    }
  }

  @ParameterizedTest
  @MethodSource("kindsAndLanes")
  void overwrite_existingFile_keepsInodeModeAndLinks(String kind, LaneUnderTest lane)
      throws IOException {
    Path file = fileOn(kind);
    Files.deleteIfExists(file);
    Files.writeString(file, text(5000, 'o'));
    Files.setAttribute(file, "unix:mode", 0640);
    Files.setAttribute(file, "unix:uid", 1234);
    Path link = file.resolveSibling("link-" + lane);
    Files.createLink(link, file);
    Object inode = Files.getAttribute(file, "unix:ino");
    lane.backend().writeText(file, "new", WriteOptions.DEFAULT.writePlan());
    assertThat(link).hasContent("new");
    assertThat(Files.readAttributes(file, "unix:ino,mode,uid,nlink"))
        .containsEntry("ino", inode)
        .containsEntry("mode", 0100640)
        .containsEntry("uid", 1234)
        .containsEntry("nlink", 2);
    Files.delete(link);
  }

  @ParameterizedTest
  @MethodSource("kindsAndLanes")
  void overwrite_sparseOldFile_leavesExactlyTheText(String kind, LaneUnderTest lane)
      throws IOException {
    Path file = fileOn(kind);
    for (int newSize : new int[] {1000, 200_000, 400_000}) {
      makeSparse(file, 300_000);
      lane.backend().writeText(file, text(newSize, 'n'), WriteOptions.DEFAULT.writePlan());
      assertThat(Files.readString(file).equals(text(newSize, 'n'))).as("%d", newSize).isTrue();
    }
  }

  /** Makes a file that is a hole but for its last bytes. */
  static void makeSparse(Path file, int byteCount) throws IOException {
    Files.deleteIfExists(file);
    try (var channel =
        java.nio.channels.FileChannel.open(
            file,
            java.nio.file.StandardOpenOption.CREATE_NEW,
            java.nio.file.StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.wrap("end".getBytes(StandardCharsets.US_ASCII)), byteCount - 3);
    }
  }

  @ParameterizedTest
  @MethodSource("kindsAndNativeLanes")
  void lines_longerAndShorterThanTheOldFile_areAllThatIsLeft(String kind, LaneUnderTest lane)
      throws IOException {
    Path file = fileOn(kind);
    for (int newSize : new int[] {0, 1000, 400_000}) {
      Files.writeString(file, text(300_000, 'o'));
      try (var out = lane.backend().newOutputStream(file, WritePlan.REPLACE)) {
        out.write(text(newSize, 'n').getBytes(StandardCharsets.US_ASCII));
      }
      assertThat(Files.readString(file).equals(text(newSize, 'n'))).as("%d", newSize).isTrue();
    }
  }

  @ParameterizedTest
  @MethodSource("disksAndLanes")
  void write_readOnlyMount_throwsErofsAndNamesThePath(String kind, LaneUnderTest lane)
      throws IOException {
    try (Mount mount = Mount.of(kind)) {
      Path file = Files.writeString(mount.root().resolve("file"), "old");
      mount.makeReadOnly();
      assertThatThrownBy(
              () -> lane.backend().writeText(file, "new", WriteOptions.DEFAULT.writePlan()))
          .isExactlyInstanceOf(FileSystemException.class)
          .hasMessageContaining(file.toString())
          .hasMessageContaining("EROFS");
      assertThat(file).hasContent("old");
    }
  }
}
