package io.github.files2;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.files2.bench.EncodingBenchmark.Encoded;
import io.github.files2.bench.Measured;
import java.nio.ByteBuffer;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/**
 * What the libc and nio lanes encode with, into a direct buffer of a chunk's size, beside the JDK's
 * {@code getBytes} with the copy that would have to follow it. In the library's package, as it has
 * no public way in.
 */
public class JavaEncoderBenchmark extends Measured {
  /** What a lane reuses. */
  @State(Scope.Thread)
  public static class Reused {
    final ByteBuffer buffer = ByteBuffer.allocateDirect(Chunk.BYTES);
    final Scratch scratch = new Scratch(Scratch.CHARS);
  }

  @Benchmark
  public long files2(Encoded text, Reused reused) {
    Source source = new Utf8Source(text.content, reused.scratch);
    long byteCount = 0;
    boolean hasEnded;
    do {
      hasEnded = source.fill(reused.buffer.clear());
      byteCount += reused.buffer.position();
    } while (!hasEnded);
    return byteCount;
  }

  @Benchmark
  public long getBytesAndPut(Encoded text, Reused reused) {
    byte[] bytes = text.content.getBytes(UTF_8);
    for (int i = 0; i < bytes.length; i += Chunk.BYTES) {
      reused.buffer.clear().put(bytes, i, Math.min(Chunk.BYTES, bytes.length - i));
    }
    return bytes.length;
  }
}
