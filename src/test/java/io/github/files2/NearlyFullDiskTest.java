package io.github.files2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Copy-on-write with fewer free blocks than the old file has, where cutting a file needs blocks as
 * well: a write fails in its midst, and so may what cleans up behind it.
 */
final class NearlyFullDiskTest {
  private static final int FILE_BYTES = 8_000_000;
  private static final int SPARE_BYTES = 2_500_000;

  @ParameterizedTest
  @EnumSource(
      value = LaneUnderTest.class,
      names = {"SHIM", "LIBC"})
  void overwrite_failingMidway_leavesNothingOfTheOldFileBehindTheNew(LaneUnderTest lane)
      throws IOException {
    Backend backend = lane.backend();
    try (Mount mount = Mount.of("btrfs-mixed")) {
      Path file = mount.root().resolve("file");
      String old = MountedFilesTest.text(FILE_BYTES, 'o');
      Files.writeString(file, old);
      mount.fill(SPARE_BYTES);
      String text = MountedFilesTest.text(FILE_BYTES, 'n');
      IOException failure =
          catchThrowableOfType(
              IOException.class,
              () -> backend.writeText(file, text, WriteOptions.DEFAULT.writePlan()));
      assertHolds(file, failure == null ? text : expected(failure, text, old, file));
    }
  }

  /** Whether so few blocks are enough is the file system's choice; what is left is not. */
  private static String expected(IOException failure, String text, String old, Path file)
      throws IOException {
    if (failure instanceof PartialWriteException partial) {
      return text.substring(0, (int) partial.bytesWritten());
    }
    return Files.size(file) == 0 ? "" : old;
  }

  private static void assertHolds(Path file, String text) throws IOException {
    assertThat(Files.size(file)).isEqualTo(text.length());
    assertThat(Files.readString(file).equals(text)).as("the content is right").isTrue();
  }
}
