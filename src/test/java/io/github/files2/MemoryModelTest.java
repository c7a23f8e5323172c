package io.github.files2;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A {@link MemoryFile} beside a plain array of bytes, through many random steps. */
final class MemoryModelTest extends EachLaneTest {
  private static final int STEPS = Boolean.getBoolean("files2.full") ? 30_000 : 3_000;
  private static final WriteOptions LATIN1 = WriteOptions.DEFAULT.encoding("latin1");

  /** What a file should be: the simplest thing that could be right. */
  private static final class Model {
    byte[] bytes = new byte[0];
    long position;
    final boolean appends;
    final int maxBytes;

    Model(boolean appends, int maxBytes) {
      this.appends = appends;
      this.maxBytes = maxBytes;
    }

    /** Returns false where the limit forbids it. */
    boolean write(byte[] data) {
      if (data.length == 0) {
        return true;
      }
      long at = appends ? bytes.length : position;
      if (at + data.length > maxBytes) {
        return false;
      }
      bytes = Arrays.copyOf(bytes, (int) Math.max(bytes.length, at + data.length));
      System.arraycopy(data, 0, bytes, (int) at, data.length);
      position = at + data.length;
      return true;
    }

    byte[] read(int byteCount) {
      int from = (int) Math.min(position, bytes.length);
      byte[] found = Arrays.copyOfRange(bytes, from, Math.min(bytes.length, from + byteCount));
      position += found.length;
      return found;
    }

    void truncate(int size) {
      bytes = Arrays.copyOf(bytes, Math.min(bytes.length, size));
      position = Math.min(position, size);
    }
  }

  private final Random random = new Random();
  private MemoryFile file;
  private Model model;

  @ParameterizedTest
  @CsvSource({"w+, 600000", "r+, 600000", "a+, 300000", "w+, 1025", "wx+, 131073", "w+, 4096"})
  void randomSteps_giveWhatAPlainArrayGives(String flags, int maxBytes) throws IOException {
    long seed = Long.getLong("files2.seed", System.nanoTime());
    random.setSeed(seed);
    try {
      run(flags, maxBytes);
    } catch (AssertionError | RuntimeException | IOException e) {
      throw new AssertionError("-Dfiles2.seed=" + seed, e);
    }
  }

  private void run(String flags, int maxBytes) throws IOException {
    model = new Model(flags.startsWith("a"), maxBytes);
    if (flags.startsWith("r")) {
      model.bytes = data();
      Files.write(file(), model.bytes);
    }
    file = MemoryFile.open(file(), flags, LATIN1, maxBytes);
    for (int i = 0; i < STEPS; i++) {
      step();
      assertThat(file.size()).isEqualTo(model.bytes.length);
      assertThat(file.position()).isEqualTo(model.position);
    }
    assertSame();
    file.close();
    assertThat(Arrays.equals(Files.readAllBytes(file()), model.bytes)).isTrue();
  }

  private void step() throws IOException {
    switch (random.nextInt(16)) {
      case 0, 1, 2, 3 -> write(data());
      case 4, 5 -> writeText();
      case 6 -> writeStream();
      case 7, 8, 9 -> read();
      case 10, 11, 12 -> seek();
      case 13 -> truncate();
      case 14 -> compareSometimes();
      default -> flushSometimes();
    }
  }

  /** Small most of the time, and a few blocks now and then. */
  private int length() {
    return random.nextInt(1 + Math.min(1 << random.nextInt(18), model.maxBytes));
  }

  private byte[] data() {
    byte[] data = new byte[length()];
    random.nextBytes(data);
    return data;
  }

  private void write(byte[] data) throws IOException {
    ByteBuffer source = buffer(data);
    int before = source.position();
    boolean fits = model.write(data);
    try {
      assertThat(file.write(source)).isEqualTo(data.length);
      assertThat(fits).isTrue();
      assertThat(source.hasRemaining()).isFalse();
    } catch (FileSystemException e) {
      assertThat(fits).as(e.getMessage()).isFalse();
      assertThat(source.position()).isEqualTo(before);
    }
  }

  private ByteBuffer buffer(byte[] data) {
    return switch (random.nextInt(3)) {
      case 0 -> ByteBuffer.wrap(data).asReadOnlyBuffer();
      case 1 -> ByteBuffer.allocateDirect(data.length + 3).put(3, data).position(3);
      default -> ByteBuffer.wrap(data);
    };
  }

  private void writeText() throws IOException {
    byte[] data = data();
    boolean fits = model.write(data);
    try {
      assertThat(file.write(new String(data, java.nio.charset.StandardCharsets.ISO_8859_1)))
          .isEqualTo(data.length);
      assertThat(fits).isTrue();
    } catch (FileSystemException e) {
      assertThat(fits).as(e.getMessage()).isFalse();
    }
  }

  private void writeStream() throws IOException {
    OutputStream out = file.outputStream();
    for (int left = random.nextInt(20); left > 0; left--) {
      byte[] one = {(byte) random.nextInt()};
      boolean fits = model.write(one);
      try {
        out.write(one[0]);
        assertThat(fits).isTrue();
      } catch (FileSystemException e) {
        assertThat(fits).as(e.getMessage()).isFalse();
      }
    }
  }

  private void read() throws IOException {
    int byteCount = length();
    boolean isAtEnd = model.position >= model.bytes.length;
    ByteBuffer target =
        random.nextBoolean()
            ? ByteBuffer.allocate(byteCount)
            : ByteBuffer.allocateDirect(byteCount);
    byte[] expected = model.read(byteCount);
    int count = file.read(target);
    assertThat(count).isEqualTo(byteCount > 0 && isAtEnd ? -1 : expected.length);
    assertThat(target.flip()).isEqualTo(ByteBuffer.wrap(expected));
  }

  private void seek() throws IOException {
    long end = model.bytes.length;
    model.position =
        switch (random.nextInt(4)) {
          case 0 -> end;
          case 1 -> random.nextInt(model.maxBytes + 1000);
          case 2 -> Math.max(0, end - random.nextInt(5000));
          default -> random.nextInt((int) end + 1);
        };
    file.position(model.position);
  }

  private void truncate() throws IOException {
    if (model.appends) {
      return;
    }
    int size = random.nextInt(random.nextInt(8) == 0 ? 100 : model.maxBytes + 100);
    model.truncate(size);
    file.truncate(size);
  }

  /** Reading all, or writing all to a file, in each step would be most of the time. */
  private void compareSometimes() throws IOException {
    if (random.nextInt(20) == 0) {
      assertSame();
    }
  }

  private void flushSometimes() throws IOException {
    if (random.nextInt(20) == 0) {
      file.flush();
      assertThat(Arrays.equals(Files.readAllBytes(file()), model.bytes)).isTrue();
    }
  }

  private void assertSame() throws IOException {
    ByteBuffer all = ByteBuffer.allocate(model.bytes.length);
    long before = file.position();
    file.position(0);
    int count = file.read(all);
    assertThat(Math.max(count, 0)).isEqualTo(model.bytes.length);
    assertThat(Arrays.equals(all.array(), model.bytes)).isTrue();
    file.position(before);
  }

  /** Every border of a block, from both sides. */
  @Test
  void writesOfEachSizeUpToSeveralBlocks_areWhole() throws IOException {
    for (int border : new int[] {4096, 12_288, 28_672, 61_440, 126_976, 258_048, 389_120}) {
      for (int size = border - 2; size <= border + 2; size++) {
        byte[] data = new byte[size];
        random.nextBytes(data);
        try (MemoryFile whole = MemoryFile.open(file(), "w")) {
          for (int from = 0; from < size; from += 1023) {
            whole.write(ByteBuffer.wrap(data, from, Math.min(1023, size - from)));
          }
        }
        assertThat(Arrays.equals(Files.readAllBytes(file()), data)).isTrue();
      }
    }
  }
}
