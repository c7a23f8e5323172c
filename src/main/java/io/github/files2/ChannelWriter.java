package io.github.files2;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.FileSystemException;

/** Writes text to somebody else's channel, by the channel's own rules. */
final class ChannelWriter {
  private static final int PIECE_BYTES = 128 * 1024;
  private static final String NAME = "channel";

  private ChannelWriter() {}

  /**
   * Writes {@code text}, in one call of the channel where it is at most {@link
   * Pieces#SINGLE_WRITE_BYTES}.
   *
   * @throws IllegalBlockingModeException if the channel is in non-blocking mode
   */
  static long write(WritableByteChannel channel, String text, WritePlan plan) throws IOException {
    TextSource source = TextSource.of(text, plan);
    if (plan.encoding.isCharset() && channel instanceof FileChannel file && file.size() > 0) {
      ((CharsetSource) source).continueFile();
    }
    if (channel instanceof SelectableChannel selectable) {
      synchronized (selectable.blockingLock()) {
        if (!selectable.isBlocking()) {
          throw new IllegalBlockingModeException();
        }
        return write(channel, source, plan.flush);
      }
    }
    return write(channel, source, plan.flush);
  }

  private static long write(WritableByteChannel channel, Source source, int flush)
      throws IOException {
    Pieces pieces =
        new Pieces(source, ByteBuffer.allocate(Pieces.bufferBytes(source, PIECE_BYTES)));
    int joinBytes = pieces.joinBytes();
    if (joinBytes > 0) {
      pieces.join(ByteBuffer.allocate(joinBytes));
    }
    long written = 0;
    for (ByteBuffer piece = pieces.next(); piece != null; piece = pieces.next()) {
      while (piece.hasRemaining()) {
        int taken = write(channel, piece, written);
        if (taken <= 0) {
          throw Errno.exception("write", 0, NAME, written);
        }
        written += taken;
      }
    }
    if (channel instanceof FileChannel file && flush != WritePlan.FLUSH_NONE) {
      file.force(flush == WritePlan.FLUSH_FULL);
    }
    return written;
  }

  /** Keeps the channel's own exception where there is more in its class than in its text. */
  private static int write(WritableByteChannel channel, ByteBuffer piece, long written)
      throws IOException {
    int before = piece.remaining();
    try {
      return channel.write(piece);
    } catch (IOException e) {
      boolean isPlain = e.getClass() == IOException.class || e instanceof FileSystemException;
      throw isPlain ? NioFailure.ofWrite(e, NAME, written + before - piece.remaining()) : e;
    }
  }
}
