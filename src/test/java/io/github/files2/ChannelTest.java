package io.github.files2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.NonWritableChannelException;
import java.nio.channels.Pipe;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Somebody else's channel: written by its own rules, never closed. */
final class ChannelTest {
  @TempDir Path folder;

  /** Takes up to {@code bytesPerCall} bytes a call, and fails after {@code limitBytes}. */
  private static final class PickyChannel implements WritableByteChannel {
    final ByteArrayOutputStream taken = new ByteArrayOutputStream();
    private final int bytesPerCall;
    private final int limitBytes;
    private int calls;

    PickyChannel(int bytesPerCall, int limitBytes) {
      this.bytesPerCall = bytesPerCall;
      this.limitBytes = limitBytes;
    }

    @Override
    public int write(ByteBuffer bytes) throws IOException {
      calls++;
      int count = Math.min(Math.min(bytesPerCall, bytes.remaining()), limitBytes - taken.size());
      if (count == 0 && limitBytes == taken.size()) {
        throw new IOException("No space left on device");
      }
      for (int i = 0; i < count; i++) {
        taken.write(bytes.get());
      }
      return count;
    }

    @Override
    public boolean isOpen() {
      return true;
    }

    @Override
    public void close() {
      throw new AssertionError("closed by the write");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 1000, 1 << 30})
  void writeStringSync_channelThatTakesLittle_getsAllBytes(int bytesPerCall) throws IOException {
    PickyChannel channel = new PickyChannel(bytesPerCall, Integer.MAX_VALUE);
    String text = "\u20ac\ud83d\ude00".repeat(20_000) + "\ud800";
    byte[] expected = NaiveEncoder.encode("utf8", text);
    assertThat(Files2.writeStringSync(channel, text)).isEqualTo(expected.length);
    assertThat(channel.taken.toByteArray()).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(ints = {10, 131_073, 1_048_576})
  void writeStringSync_upToOneMebibyte_isOneCall(int charCount) throws IOException {
    PickyChannel channel = new PickyChannel(Integer.MAX_VALUE, Integer.MAX_VALUE);
    Files2.writeStringSync(channel, "x".repeat(charCount));
    assertThat(channel.calls).isEqualTo(1);
  }

  @Test
  void writeStringSync_emptyText_makesNoCall() throws IOException {
    PickyChannel channel = new PickyChannel(1, 0);
    assertThat(Files2.writeStringSync(channel, "")).isZero();
    assertThat(channel.calls).isZero();
  }

  @Test
  void writeStringSync_channelFailsMidway_tellsTheCount() {
    PickyChannel channel = new PickyChannel(1000, 2500);
    PartialWriteException e =
        catchThrowableOfType(
            PartialWriteException.class, () -> Files2.writeStringSync(channel, "x".repeat(10_000)));
    assertThat(e.bytesWritten()).isEqualTo(2500);
    assertThat(e).hasMessageContainingAll("channel", "write", "ENOSPC", "2500");
  }

  @Test
  void writeStringSync_channelTakesNothing_isAnErrorAndNoSpin() {
    PickyChannel channel = new PickyChannel(0, 10);
    assertThatThrownBy(() -> Files2.writeStringSync(channel, "x"))
        .isInstanceOf(FileSystemException.class)
        .hasMessageContaining("no byte was taken");
  }

  @Test
  void writeStringSync_nonBlockingChannel_isRefused() throws IOException {
    Pipe pipe = Pipe.open();
    try (var source = pipe.source();
        var sink = pipe.sink()) {
      sink.configureBlocking(false);
      assertThatThrownBy(() -> Files2.writeStringSync(sink, "x"))
          .isInstanceOf(IllegalBlockingModeException.class);
      sink.configureBlocking(true);
      assertThat(Files2.writeStringSync(sink, "x")).isEqualTo(1);
      assertThat(source.read(ByteBuffer.allocate(10))).isEqualTo(1);
    }
  }

  @Test
  void writeStringSync_closedOrReadOnlyChannel_throwsWhatTheChannelThrows() throws IOException {
    Path file = Files.writeString(folder.resolve("file"), "old");
    FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
    assertThatThrownBy(() -> Files2.writeStringSync(channel, "x"))
        .isInstanceOf(NonWritableChannelException.class);
    channel.close();
    assertThatThrownBy(() -> Files2.writeStringSync(channel, "x"))
        .isInstanceOf(ClosedChannelException.class);
  }

  @Test
  void writeStringSync_malformedTextReported_writesNothing() {
    PickyChannel channel = new PickyChannel(1, Integer.MAX_VALUE);
    WriteOptions strict = WriteOptions.DEFAULT.onMalformedInput(CodingErrorAction.REPORT);
    String text = "x".repeat(500_000) + "\ud800";
    MalformedTextException e =
        catchThrowableOfType(
            MalformedTextException.class, () -> Files2.writeStringSync(channel, text, strict));
    assertThat(e.index()).isEqualTo(500_000);
    assertThat(channel.calls).isZero();
  }

  @Test
  void writeStringSync_utf16ToFileChannel_marksAnEmptyFileOnly() throws IOException {
    WriteOptions utf16 = WriteOptions.DEFAULT.encoding(StandardCharsets.UTF_16);
    Path file = folder.resolve("file");
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      Files2.writeStringSync(channel, "a", utf16);
      Files2.writeStringSync(channel, "b", utf16);
    }
    assertThat(Files.readAllBytes(file)).isEqualTo("ab".getBytes(StandardCharsets.UTF_16));
  }
}
