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

/** Replaces the content of a file by as much text as it held. */
public class OverwriteBenchmark extends Measured {
  @Benchmark
  public long files2(Target target, Lane lane) throws IOException {
    return Files2.writeStringSync(target.file, target.content);
  }

  @Benchmark
  public Path filesWriteString(Target target) throws IOException {
    return Files.writeString(target.file, target.content);
  }

  @Benchmark
  public void fileOutputStream(Target target) throws IOException {
    try (FileOutputStream out = new FileOutputStream(target.ioFile)) {
      out.write(target.content.getBytes(UTF_8));
    }
  }

  @Benchmark
  public void fileChannel(Target target) throws IOException {
    try (FileChannel channel = FileChannel.open(target.file, CREATE, TRUNCATE_EXISTING, WRITE)) {
      channel.write(ByteBuffer.wrap(target.content.getBytes(UTF_8)));
    }
  }

  @Benchmark
  public void commonsIo(Target target) throws IOException {
    FileUtils.writeStringToFile(target.ioFile, target.content, UTF_8);
  }
}
