package io.github.files2;

import java.nio.ByteBuffer;

/** Ready bytes. */
final class BytesSource implements Source {
  private final ByteBuffer data;

  /** Takes the bytes that remain in {@code data}, whose position and limit stay as they are. */
  BytesSource(ByteBuffer data) {
    this.data = data.duplicate();
  }

  @Override
  public long maxBytes() {
    return data.remaining();
  }

  @Override
  public long countBytes() {
    return data.remaining();
  }

  @Override
  public boolean fill(ByteBuffer target) {
    int count = Math.min(data.remaining(), target.remaining());
    target.put(target.position(), data, data.position(), count);
    target.position(target.position() + count);
    data.position(data.position() + count);
    return !data.hasRemaining();
  }
}
