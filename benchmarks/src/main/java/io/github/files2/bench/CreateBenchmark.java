package io.github.files2.bench;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;

import io.github.files2.Files2;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.commons.io.FileUtils;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** Writes text to a file that isn't there yet, with the calls of {@link OverwriteBenchmark}. */
public class CreateBenchmark extends Measured {
  /** A file that is gone before each call. */
  @State(Scope.Thread)
  public static class Missing extends Target {
    // Before each call, which costs two looks at the clock: little beside an open(2).
    @Setup(Level.Invocation)
    public void delete() throws IOException {
      Files.deleteIfExists(file);
    }
  }

  @Benchmark
  public long files2(Missing target, Lane lane) throws IOException {
    return Files2.writeStringSync(target.file, target.content);
  }

  @Benchmark
  public Path filesWriteString(Missing target) throws IOException {
    return Files.writeString(target.file, target.content);
  }

  @Benchmark
  public void fileOutputStream(Missing target) throws IOException {
    try (FileOutputStream out = new FileOutputStream(target.ioFile)) {
      out.write(target.content.getBytes(UTF_8));
    }
  }

  @Benchmark
  public void fileChannel(Missing target) throws IOException {
    try (FileChannel channel = FileChannel.open(target.file, CREATE, TRUNCATE_EXISTING, WRITE)) {
      channel.write(ByteBuffer.wrap(target.content.getBytes(UTF_8)));
    }
  }

  @Benchmark
  public void commonsIo(Missing target) throws IOException {
    FileUtils.writeStringToFile(target.ioFile, target.content, UTF_8);
  }
}
