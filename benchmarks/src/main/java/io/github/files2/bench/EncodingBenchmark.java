package io.github.files2.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.files2.Files2;
import io.github.files2.WriteOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Whole calls that replace a file by text of one kind, counted in chars, beside what the JDK needs
 * to encode it alone.
 */
public class EncodingBenchmark extends Measured {
  private static final WriteOptions BASE64 = WriteOptions.DEFAULT.encoding("base64");

  /** The text, and a file that holds it. */
  @State(Scope.Thread)
  public static class Encoded {
    @Param("default")
    public String folder;

    @Param({"1024", "18432", "1048576"})
    public int chars;

    @Param({
      "ascii",
      "french",
      "russian",
      "chinese",
      "emoji",
      "mix",
      "french-words",
      "russian-words",
      "chinese-words",
      "emoji-words",
      "planes"
    })
    public String text;

    Path file;
    public String content;
    String base64;
    private Path temporary;

    @Setup(Level.Trial)
    public void create() throws IOException {
      content = Texts.ofChars(text, chars);
      base64 = Base64.getEncoder().encodeToString(new byte[chars / 4 * 3]);
      Path parent = folder.equals("default") ? Target.defaultFolder() : Path.of(folder);
      temporary = Files.createTempDirectory(parent.toAbsolutePath(), "files2-bench-");
      file = Files.writeString(temporary.resolve("file"), content);
    }

    @TearDown(Level.Trial)
    public void remove() throws IOException {
      Files.delete(file);
      Files.delete(temporary);
    }
  }

  @Benchmark
  public long files2(Encoded target, Lane lane) throws IOException {
    return Files2.writeStringSync(target.file, target.content);
  }

  @Benchmark
  public Path filesWriteString(Encoded target) throws IOException {
    return Files.writeString(target.file, target.content);
  }

  @Benchmark
  public byte[] getBytes(Encoded target) {
    return target.content.getBytes(UTF_8);
  }

  @Benchmark
  public long files2Base64(Encoded target, Lane lane) throws IOException {
    return Files2.writeStringSync(target.file, target.base64, BASE64);
  }

  @Benchmark
  public Path filesWriteDecoded(Encoded target) throws IOException {
    return Files.write(target.file, Base64.getDecoder().decode(target.base64));
  }

  @Benchmark
  public byte[] decode(Encoded target) {
    return Base64.getDecoder().decode(target.base64);
  }
}
