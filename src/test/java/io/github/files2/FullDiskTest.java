package io.github.files2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Overwriting where no block is left: the old file survives every failure. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class FullDiskTest {
  /** The kinds where a reservation can keep the old file. */
  private static final String[] KINDS = {"ext4", "xfs", "tmpfs"};

  /** One chunk, and more than that: then the length is counted first. */
  private static final int[] OLD_SIZES = {8192, 303_104};

  private static final WritePlan PLAN = WriteOptions.DEFAULT.writePlan();
  private static final WritePlan TRUNCATING =
      WriteOptions.DEFAULT.overwrite(Overwrite.TRUNCATE).writePlan();

  private final Map<String, Mount> mounts = new TreeMap<>();

  static List<Arguments> cases() {
    List<Arguments> all = new ArrayList<>();
    for (String kind : KINDS) {
      for (LaneUnderTest lane : List.of(LaneUnderTest.SHIM, LaneUnderTest.LIBC)) {
        for (int oldSize : OLD_SIZES) {
          all.add(Arguments.of(kind, lane, oldSize));
        }
      }
    }
    return all;
  }

  static List<Arguments> kindsAndLanes() {
    return MountedFilesTest.kindsAndLanes().stream()
        .filter(arguments -> List.of(KINDS).contains(arguments.get()[0]))
        .toList();
  }

  private Mount mount(String kind) {
    return mounts.computeIfAbsent(kind, Mount::of);
  }

  @AfterEach
  void empty() throws IOException {
    for (Mount mount : mounts.values()) {
      try (var files = Files.newDirectoryStream(mount.root(), "[!l]*")) { // not lost+found
        for (Path file : files) {
          Files.delete(file);
        }
      }
    }
  }

  @AfterAll
  void unmount() {
    mounts.values().forEach(Mount::close);
  }

  private static String old(int byteCount) {
    return MountedFilesTest.text(byteCount, 'o');
  }

  private static void assertIs(Path file, String text) throws IOException {
    assertThat(Files.size(file)).isEqualTo(text.length());
    assertThat(Files.readString(file).equals(text)).as("the content is right").isTrue();
  }

  /** Makes the old file and fills the disk. */
  private Path oldFileOnFullDisk(String kind, int oldSize) throws IOException {
    Mount mount = mount(kind);
    Path file = Files.writeString(mount.root().resolve("file"), old(oldSize));
    mount.fill(0);
    return file;
  }

  @ParameterizedTest
  @MethodSource("cases")
  void overwrite_longerText_throwsAndKeepsTheOldFile(String kind, LaneUnderTest lane, int oldSize)
      throws IOException {
    Path file = oldFileOnFullDisk(kind, oldSize);
    for (int more : new int[] {4096, 1_000_000}) {
      String text = MountedFilesTest.text(oldSize + more, 'n');
      assertThatThrownBy(() -> lane.backend().writeText(file, text, PLAN))
          .isExactlyInstanceOf(FileSystemException.class)
          .hasMessageContaining(file.toString())
          .hasMessageContaining("fallocate: ENOSPC");
      assertIs(file, old(oldSize));
    }
  }

  @ParameterizedTest
  @MethodSource("cases")
  void overwrite_longerBytes_throwsAndKeepsTheOldFile(String kind, LaneUnderTest lane, int oldSize)
      throws IOException {
    Path file = oldFileOnFullDisk(kind, oldSize);
    byte[] bytes = new byte[oldSize + 4096];
    assertThatThrownBy(() -> lane.backend().writeBytes(file, ByteBuffer.wrap(bytes), PLAN))
        .isExactlyInstanceOf(FileSystemException.class)
        .hasMessageContaining("fallocate: ENOSPC");
    assertIs(file, old(oldSize));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void overwrite_textThatGrowsWhenEncoded_throwsAndKeepsTheOldFile(
      String kind, LaneUnderTest lane, int oldSize) throws IOException {
    Path file = oldFileOnFullDisk(kind, oldSize);
    String text = "\u043f\u0440\u0438\u0432\u0435\u0442".repeat(oldSize / 6);
    assertThat(text.length()).isLessThanOrEqualTo(oldSize);
    assertThatThrownBy(() -> lane.backend().writeText(file, text, PLAN))
        .isExactlyInstanceOf(FileSystemException.class)
        .hasMessageContaining("fallocate: ENOSPC");
    assertIs(file, old(oldSize));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void overwrite_equalLength_succeeds(String kind, LaneUnderTest lane, int oldSize)
      throws IOException {
    Path file = oldFileOnFullDisk(kind, oldSize);
    String text = MountedFilesTest.text(oldSize, 'n');
    lane.backend().writeText(file, text, PLAN);
    assertIs(file, text);
  }

  @ParameterizedTest
  @MethodSource("cases")
  void overwrite_shorterText_succeeds(String kind, LaneUnderTest lane, int oldSize)
      throws IOException {
    Path file = oldFileOnFullDisk(kind, oldSize);
    String text = MountedFilesTest.text(oldSize - 5000, 'n');
    lane.backend().writeText(file, text, PLAN);
    assertIs(file, text);
  }

  @ParameterizedTest
  @MethodSource("cases")
  void overwrite_longerWithinTheLastBlock_succeeds(String kind, LaneUnderTest lane, int oldSize)
      throws IOException {
    Path file = oldFileOnFullDisk(kind, oldSize - 1000);
    String text = MountedFilesTest.text(oldSize, 'n');
    lane.backend().writeText(file, text, PLAN);
    assertIs(file, text);
  }

  @ParameterizedTest
  @MethodSource("cases")
  void overwrite_sparseOldFile_throwsAndKeepsIt(String kind, LaneUnderTest lane, int oldSize)
      throws IOException {
    Mount mount = mount(kind);
    Path file = mount.root().resolve("file");
    MountedFilesTest.makeSparse(file, oldSize);
    byte[] old = Files.readAllBytes(file);
    mount.fill(0);
    for (int newSize : new int[] {oldSize - 4096, oldSize, oldSize + 4096}) {
      String text = MountedFilesTest.text(newSize, 'n');
      assertThatThrownBy(() -> lane.backend().writeText(file, text, PLAN))
          .isExactlyInstanceOf(FileSystemException.class)
          .hasMessageContaining("fallocate: ENOSPC");
      assertThat(Files.readAllBytes(file)).isEqualTo(old);
    }
  }

  @ParameterizedTest
  @MethodSource("cases")
  void overwrite_refusedForSpace_givesAllBlocksBack(String kind, LaneUnderTest lane, int oldSize)
      throws IOException {
    Mount mount = mount(kind);
    Path file = Files.writeString(mount.root().resolve("file"), old(oldSize));
    mount.fill(400_000);
    long free = mount.freeBytes();
    assertThat(free).isGreaterThanOrEqualTo(300_000);
    assertThatThrownBy(
            () -> lane.backend().writeText(file, MountedFilesTest.text(3_000_000, 'n'), PLAN))
        .hasMessageContaining("fallocate: ENOSPC");
    // ext4 keeps a block of the tree that listed the extents.
    assertThat(mount.freeBytes()).isBetween(free - 4096, free);
    assertIs(file, old(oldSize));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void overwrite_stream_tellsHowFarItGotAndCutsThere(String kind, LaneUnderTest lane, int oldSize)
      throws IOException {
    Path file = oldFileOnFullDisk(kind, oldSize);
    byte[] bytes =
        MountedFilesTest.text(oldSize + 500_000, 'n').getBytes(StandardCharsets.US_ASCII);
    PartialWriteException failure =
        catchThrowableOfType(
            PartialWriteException.class,
            () -> {
              try (var out = lane.backend().newOutputStream(file, PLAN)) {
                out.write(bytes);
              }
            });
    assertThat(failure.bytesWritten()).isEqualTo(Files.size(file)).isGreaterThanOrEqualTo(oldSize);
    assertIs(file, new String(bytes, 0, (int) failure.bytesWritten(), StandardCharsets.US_ASCII));
  }

  @ParameterizedTest
  @MethodSource("kindsAndLanes")
  void truncateFirst_failingMidway_tellsHowFarItGot(String kind, LaneUnderTest lane)
      throws IOException {
    Mount mount = mount(kind);
    Path file = Files.writeString(mount.root().resolve("file"), old(100_000));
    mount.fill(3_000_000); // XFS takes none of a write(2) that it has no room for
    String text = MountedFilesTest.text(9_000_000, 'n');
    PartialWriteException failure =
        catchThrowableOfType(
            PartialWriteException.class, () -> lane.backend().writeText(file, text, TRUNCATING));
    assertThat(failure).hasMessageContaining("write: ENOSPC").hasMessageContaining(file.toString());
    assertThat(failure.bytesWritten()).isEqualTo(Files.size(file)).isGreaterThan(900_000);
    assertIs(file, text.substring(0, (int) failure.bytesWritten()));
  }

  @ParameterizedTest
  @MethodSource("kindsAndLanes")
  void append_failingMidway_keepsTheOldBytesAndTellsHowFarItGot(String kind, LaneUnderTest lane)
      throws IOException {
    Mount mount = mount(kind);
    Path file = Files.writeString(mount.root().resolve("file"), old(100_000));
    mount.fill(500_000);
    String text = MountedFilesTest.text(9_000_000, 'n');
    PartialWriteException failure =
        catchThrowableOfType(
            PartialWriteException.class,
            () -> lane.backend().writeText(file, text, WriteOptions.DEFAULT.appendPlan()));
    assertThat(failure.bytesWritten()).isEqualTo(Files.size(file) - 100_000);
    assertIs(file, old(100_000) + text.substring(0, (int) failure.bytesWritten()));
  }

  @ParameterizedTest
  @EnumSource(LaneUnderTest.class)
  void overwrite_btrfsFailingMidway_cutsToWhatWasWritten(LaneUnderTest lane) throws IOException {
    Mount mount = mount("btrfs");
    Path file = Files.writeString(mount.root().resolve("file"), old(1_000_000));
    mount.fill(0);
    // Copy-on-write needs new blocks for old bytes: no reservation helps.
    String text = MountedFilesTest.text(60_000_000, 'n');
    FileSystemException failure =
        catchThrowableOfType(
            FileSystemException.class, () -> lane.backend().writeText(file, text, PLAN));
    assertThat(failure).hasMessageContaining("write: ENOSPC");
    if (failure instanceof PartialWriteException partial) {
      assertIs(file, text.substring(0, (int) partial.bytesWritten()));
    } else {
      assertIs(file, lane == LaneUnderTest.NIO ? "" : old(1_000_000));
    }
  }

  @Test
  void fill_ext4_leavesNoBlock() throws IOException {
    Mount mount = mount("ext4");
    mount.fill(0);
    assertThatThrownBy(() -> Files.write(mount.root().resolve("more"), new byte[4096]))
        .hasMessageContaining("No space left");
  }
}
