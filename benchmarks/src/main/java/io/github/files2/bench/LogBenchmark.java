package io.github.files2.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.files2.Appender;
import io.github.files2.Files2;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Random;
import java.util.Set;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Log lines of 80 to 400 bytes, each in the file before the next: {@code -t 2} for two threads that
 * share the log.
 */
public class LogBenchmark extends Measured {
  private static final int LINES = 256;
  private static final int MIN_BYTES = 80;
  private static final int MAX_BYTES = 400;

  /** Emptied now and then, all at the same length. */
  private static final long MAX_FILE_BYTES = 32 * 1024 * 1024;

  /** A log that all threads write to, by each of the ways. */
  @State(Scope.Benchmark)
  public static class Log {
    @Param("default")
    public String folder;

    private final String[] lines = new String[LINES];
    private Path file;
    private Appender appender;
    private FileChannel channel;
    private BufferedWriter writer;
    private int calls;

    @Setup(Level.Trial)
    public void open() throws IOException {
      Random random = new Random(1);
      for (int i = 0; i < LINES; i++) {
        int bytes = MIN_BYTES + random.nextInt(MAX_BYTES - MIN_BYTES);
        lines[i] = Texts.of("ascii", bytes - 1).replace('\n', ' ') + '\n';
      }
      Path parent = folder.equals("default") ? Target.defaultFolder() : Path.of(folder);
      file = Files.createTempFile(parent, "files2-bench-", ".log");
      appender = Appender.open(file);
      channel = FileChannel.open(file, StandardOpenOption.APPEND);
      writer = Files.newBufferedWriter(file, StandardOpenOption.APPEND);
    }

    @TearDown(Level.Iteration)
    public void empty() throws IOException {
      Files.write(file, new byte[0]);
    }

    @TearDown(Level.Trial)
    public void close() throws IOException {
      appender.close();
      channel.close();
      writer.close();
      Files.delete(file);
    }

    /** Returns the next line; the count need not be exact among threads. */
    private String next() throws IOException {
      int call = calls++;
      if ((call & 0xffff) == 0 && Files.size(file) > MAX_FILE_BYTES) {
        Files.write(file, new byte[0]);
      }
      return lines[call & LINES - 1];
    }

    Path file() {
      return file;
    }

    Set<String> lines() {
      return Set.copyOf(Arrays.asList(lines)); // some are alike
    }

    void writeLinesTo(Path target) throws IOException {
      Files.writeString(target, String.join("", lines));
    }

    int meanBytes() {
      return String.join("", lines).length() / LINES;
    }
  }

  @Benchmark
  public long appender(Log log, Lane lane) throws IOException {
    return log.appender.write(log.next());
  }

  @Benchmark
  public long appendStringSync(Log log, Lane lane) throws IOException {
    return Files2.appendStringSync(log.file, log.next());
  }

  @Benchmark
  public Path filesWriteString(Log log) throws IOException {
    return Files.writeString(log.file, log.next(), StandardOpenOption.APPEND);
  }

  @Benchmark
  public int fileChannel(Log log) throws IOException {
    return log.channel.write(ByteBuffer.wrap(log.next().getBytes(UTF_8)));
  }

  @Benchmark
  public void bufferedWriter(Log log) throws IOException {
    String line = log.next();
    synchronized (log.writer) { // a line and its flush belong together
      log.writer.write(line);
      log.writer.flush();
    }
  }
}
