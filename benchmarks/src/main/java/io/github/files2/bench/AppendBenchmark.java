package io.github.files2.bench;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE;

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

/** Opens a file, appends text and closes it. */
public class AppendBenchmark extends Measured {
  /** A file that does not grow for ever. */
  @State(Scope.Thread)
  public static class Growing extends Target {
    @Setup(Level.Invocation)
    public void makeRoom() throws IOException {
      makeRoom(1);
    }
  }

  @Benchmark
  public long files2(Growing target, Lane lane) throws IOException {
    return Files2.appendStringSync(target.file, target.content);
  }

  @Benchmark
  public Path filesWriteString(Growing target) throws IOException {
    return Files.writeString(target.file, target.content, CREATE, APPEND);
  }

  @Benchmark
  public void fileOutputStream(Growing target) throws IOException {
    try (FileOutputStream out = new FileOutputStream(target.ioFile, true)) {
      out.write(target.content.getBytes(UTF_8));
    }
  }

  @Benchmark
  public void fileChannel(Growing target) throws IOException {
    try (FileChannel channel = FileChannel.open(target.file, CREATE, APPEND)) {
      channel.write(ByteBuffer.wrap(target.content.getBytes(UTF_8)));
    }
  }

  @Benchmark
  public void commonsIo(Growing target) throws IOException {
    FileUtils.writeStringToFile(target.ioFile, target.content, UTF_8, true);
  }
}
