package io.github.files2;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a {@link MemoryFile} takes of the memory, and what happens at its end. */
final class MemoryCostTest {
  private static final int MIB = 1024 * 1024;

  /** For the objects around the blocks: the channel, buffers that the compiler has not removed. */
  private static final int FEW_BYTES = 64 * 1024;

  @TempDir(factory = InMemory.class)
  Path folder;

  private Path file() {
    return folder.resolve("file");
  }

  private static long allocatedBytes() {
    return ((ThreadMXBean) ManagementFactory.getThreadMXBean()).getCurrentThreadAllocatedBytes();
  }

  /**
   * All allocations of all steps are within what the documentation says of the size at the end: so
   * nothing is ever allocated twice, and there is nothing to copy to.
   */
  @ParameterizedTest
  @CsvSource({"8, 1024", "1, 1000", "8, 100000", "32, 8192"})
  void smallWrites_allocateTheBoundAndNoMore(int mebibytes, int step) throws IOException {
    ByteBuffer data = ByteBuffer.allocateDirect(step);
    MemoryFile file = MemoryFile.open(file(), "w");
    long size = (long) mebibytes * MIB / step * step;
    long before = allocatedBytes();
    while (file.size() < size) {
      file.write(data.clear());
    }
    long taken = allocatedBytes() - before;
    file.discard();
    assertThat(taken).isLessThan(size + MemoryBlocks.BLOCK_BYTES + FEW_BYTES);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 4096, 4097, 12_289, 100_000})
  void smallFile_takesAtMostTwiceItsSizeAnd4KiB(int size) throws IOException {
    OutputStream out = MemoryFile.open(file(), "w").outputStream();
    long before = allocatedBytes();
    for (int i = 0; i < size; i++) {
      out.write(i);
    }
    assertThat(allocatedBytes() - before).isLessThan(2L * size + 4096 + 2048);
  }

  @Test
  void filesOneAfterTheOther_useTheSameBlocks() throws IOException {
    ByteBuffer data = ByteBuffer.allocateDirect(2 * MemoryBlocks.BLOCK_BYTES);
    for (int i = 0; i < 3; i++) {
      MemoryFile file = MemoryFile.open(file(), "w");
      long before = allocatedBytes();
      file.write(data.clear());
      long taken = allocatedBytes() - before;
      file.discard();
      if (i > 0) {
        // The small blocks of 124 KiB in all are new each time; of the others there are two.
        assertThat(taken).isLessThan(MemoryBlocks.BLOCK_BYTES + FEW_BYTES);
      }
    }
  }

  /** Written back in pieces, so no second copy of the file is made. */
  @ParameterizedTest
  @ValueSource(strings = {"w", "a"})
  void writeBack_takesNoCopyOfTheFile(String flags) throws IOException {
    for (int i = 0; i < 2; i++) { // the first time classes are loaded
      MemoryFile file = MemoryFile.open(file(), flags);
      file.write(ByteBuffer.allocateDirect(16 * MIB));
      long before = allocatedBytes();
      file.close();
      if (i > 0) {
        assertThat(allocatedBytes() - before).isLessThan(MIB);
      }
    }
  }

  /** A gap takes the list, and no blocks. */
  @Test
  void gap_takesLittleMemory() throws IOException {
    MemoryFile file = MemoryFile.open(file(), "w");
    long before = allocatedBytes();
    file.position(10_000L * MIB).write("x");
    assertThat(allocatedBytes() - before).isLessThan(4 * MIB);
    file.discard();
  }

  // --- Long arithmetic

  /** apache/parquet-java#1031, apache/wicket#1443 */
  @Test
  void sizeBeyondTwoGibibytes_isNotNegative() throws IOException {
    MemoryFile file = MemoryFile.open(file(), "w+");
    file.write(ByteBuffer.allocate(1024));
    long size = 1024L + (1L << 31) - 17;
    file.position(size - 2).write("at");
    assertThat(file.size()).isEqualTo(size);
    file.outputStream().write(new byte[] {'e', 'n', 'd'});
    assertThat(file.position()).isEqualTo(size + 3).isEqualTo(file.size());
    ByteBuffer found = ByteBuffer.allocate(10);
    assertThat(file.position(file.size() - 6).read(found)).isEqualTo(6);
    assertThat(new String(found.array(), 0, 6)).isEqualTo("\0atend");
    assertThat(file.truncate(size).size()).isEqualTo(size);
    file.discard();
  }

  @Test
  @EnabledIfSystemProperty(named = "files2.full", matches = "true")
  void moreThanTwoGibibytes_areWrittenBackWhole() throws IOException {
    long size = (1L << 31) + 12_345;
    byte[] piece = new byte[MIB];
    new Random(1).nextBytes(piece);
    try (MemoryFile file = MemoryFile.open(file(), "w")) {
      for (long left = size; left > 0; left -= piece.length) {
        file.write(ByteBuffer.wrap(piece, 0, (int) Math.min(left, piece.length)));
      }
    }
    assertThat(file()).hasSize(size);
    try (var in = Files.newInputStream(file())) {
      for (long left = size; left > 0; left -= piece.length) {
        int count = (int) Math.min(left, piece.length);
        assertThat(Arrays.equals(in.readNBytes(count), Arrays.copyOf(piece, count))).isTrue();
      }
    }
  }

  // --- The end of the memory

  private String run(String job) {
    return new ChildProgram(MemoryEndProgram.class, file().toString(), job)
        // A collector that has memory for small objects where there is none for a large one.
        .with("-Xmx48m", "-XX:+UseSerialGC", "-Dfiles2.backend=nio")
        .run()
        .ok();
  }

  /** palantir/giraffe#4, apache/flink#28252, apache/arrow-dotnet#418 */
  @Test
  void memoryEnds_clearErrorNothingChangedAndAllIsWrittenBack() {
    assertThat(run("fill")).contains("write: ENOMEM", "nothing was changed").endsWith("right\n");
  }

  @Test
  void memoryEndsWhileReading_clearError() throws IOException {
    try (MemoryFile file = MemoryFile.open(file(), "w")) {
      file.position(200L * MIB).write("x");
    }
    assertThat(run("read")).contains("read: ENOMEM").endsWith("right\n");
    assertThat(file()).hasSize(200L * MIB + 1);
  }

  /** Where the list of the blocks alone, for the gap, is too long. */
  @Test
  void memoryEndsInTheList_clearErrorAndNothingChanged() {
    assertThat(run("gap")).contains("write: ENOMEM", "nothing was changed").endsWith("right\n");
  }
}
