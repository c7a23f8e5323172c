package io.github.files2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Copy-on-write with fewer free blocks than the old file has: a write fails in its midst. */
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
    try (Mount mount = Mount.of("btrfs")) {
      Path file = mount.root().resolve("file");
      Files.writeString(file, MountedFilesTest.text(FILE_BYTES, 'o'));
      mount.fill(SPARE_BYTES);
      String text = MountedFilesTest.text(FILE_BYTES, 'n');
      PartialWriteException failure =
          catchThrowableOfType(
              PartialWriteException.class,
              () -> backend.writeText(file, text, WriteOptions.DEFAULT.writePlan()));
      assertThat(failure).isNotNull();
      assertThat(failure.getSuppressed()).isEmpty();
      assertThat(Files.size(file)).isEqualTo(failure.bytesWritten());
      String kept = Files.readString(file);
      assertThat(text.startsWith(kept)).as("the file holds the new text only").isTrue();
    }
  }
}
