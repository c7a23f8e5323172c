package io.github.files2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Buffers that hide their memory, or no longer have any. */
final class BufferCasesTest extends EachLaneTest {
  /** Below the position of each buffer, so that an offset that is forgotten shows. */
  private static final int SKIPPED_BYTES = 5;

  private static byte[] bytes(int byteCount) {
    byte[] bytes = new byte[byteCount];
    new Random(byteCount).nextBytes(bytes);
    return bytes;
  }

  /** Returns a read-only heap buffer in the middle of an array. */
  private static ByteBuffer readOnly(byte[] bytes) {
    ByteBuffer buffer = ByteBuffer.allocate(SKIPPED_BYTES + bytes.length + 7);
    buffer.position(SKIPPED_BYTES).put(bytes).flip().position(SKIPPED_BYTES);
    return buffer.asReadOnlyBuffer();
  }

  private static void assertTaken(ByteBuffer buffer, long written, int byteCount) {
    assertThat(written).isEqualTo(byteCount);
    assertThat(buffer.position()).isEqualTo(SKIPPED_BYTES + byteCount);
    assertThat(buffer.remaining()).isZero();
  }

  private static void assertHolds(Path file, byte[] bytes) throws IOException {
    assertThat(Files.size(file)).isEqualTo(bytes.length);
    assertThat(Arrays.equals(Files.readAllBytes(file), bytes)).as("the bytes are right").isTrue();
  }

  // --- Read-only heap buffers

  @ParameterizedTest
  @ValueSource(ints = {10, 300_000, 3_000_000})
  void readOnlyHeapBuffer_overLongerFile_replacesItInPlace(int byteCount) throws IOException {
    byte[] bytes = bytes(byteCount);
    Files.write(file(), bytes(byteCount + 4321));
    Object inode = Files.getAttribute(file(), "unix:ino");
    ByteBuffer buffer = readOnly(bytes);
    assertTaken(buffer, Files2.writeBytesSync(file(), buffer), byteCount);
    assertHolds(file(), bytes);
    assertThat(Files.getAttribute(file(), "unix:ino")).isEqualTo(inode);
  }

  @ParameterizedTest
  @ValueSource(ints = {10, 300_000, 3_000_000})
  void readOnlyHeapBuffer_appended_followsTheOldBytes(int byteCount) throws IOException {
    byte[] all = bytes(100 + byteCount);
    Files.write(file(), Arrays.copyOf(all, 100));
    ByteBuffer buffer = readOnly(Arrays.copyOfRange(all, 100, all.length));
    assertTaken(buffer, Files2.appendBytesSync(file(), buffer), byteCount);
    assertHolds(file(), all);
  }

  @ParameterizedTest
  @ValueSource(ints = {10, 300_000, 3_000_000})
  void readOnlyHeapBuffer_toDescriptor_goesToItsPosition(int byteCount) throws IOException {
    byte[] all = bytes(2 + byteCount);
    int fd = Files2.openSync(file(), "w");
    try {
      Files2.writeBytesSync(fd, Arrays.copyOf(all, 2));
      ByteBuffer buffer = readOnly(Arrays.copyOfRange(all, 2, all.length));
      assertTaken(buffer, Files2.writeBytesSync(fd, buffer), byteCount);
    } finally {
      Files2.closeSync(fd);
    }
    assertHolds(file(), all);
  }

  // --- Memory that is gone

  /** Returns a buffer whose memory was freed; by reflection, for JDK 17 compiles this too. */
  private static ByteBuffer ofClosedArena(int byteCount) throws ReflectiveOperationException {
    Class<?> arenaType = Class.forName("java.lang.foreign.Arena");
    Class<?> segmentType = Class.forName("java.lang.foreign.MemorySegment");
    Object arena = arenaType.getMethod("ofConfined").invoke(null);
    Object segment =
        arenaType.getMethod("allocate", long.class, long.class).invoke(arena, byteCount, 8L);
    ByteBuffer buffer = (ByteBuffer) segmentType.getMethod("asByteBuffer").invoke(segment);
    arenaType.getMethod("close").invoke(arena);
    return buffer;
  }

  @ParameterizedTest
  @ValueSource(ints = {64, 300_000})
  @EnabledForJreRange(minVersion = 22)
  void bufferOfClosedArena_toPath_isRefusedBeforeTheFileIsTouched(int byteCount)
      throws IOException, ReflectiveOperationException {
    ByteBuffer buffer = ofClosedArena(byteCount);
    fileOf("old");
    assertThatThrownBy(() -> Files2.writeBytesSync(file(), buffer))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> Files2.appendBytesSync(file(), buffer))
        .isInstanceOf(IllegalStateException.class);
    assertThat(file()).hasContent("old");
  }

  @Test
  @EnabledForJreRange(minVersion = 22)
  void bufferOfClosedArena_toDescriptor_isRefusedAndNothingWritten()
      throws IOException, ReflectiveOperationException {
    ByteBuffer buffer = ofClosedArena(64);
    int fd = Files2.openSync(file(), "w");
    try {
      assertThatThrownBy(() -> Files2.writeBytesSync(fd, buffer))
          .isInstanceOf(IllegalStateException.class);
    } finally {
      Files2.closeSync(fd);
    }
    assertThat(file()).isEmptyFile();
  }
}
