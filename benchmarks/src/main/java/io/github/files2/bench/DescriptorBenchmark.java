package io.github.files2.bench;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardOpenOption.APPEND;

import io.github.files2.Files2;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import org.apache.commons.io.IOUtils;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** Appends text to a file that stays open. */
@OperationsPerInvocation(DescriptorBenchmark.WRITES)
public class DescriptorBenchmark extends Measured {
  /** Writes a call: the looks at the clock around a call would cost a tenth of one small write. */
  static final int WRITES = 16;

  /** A file that does not grow for ever. */
  @State(Scope.Thread)
  public static class Growing extends Target {
    @Setup(Level.Invocation)
    public void makeRoom() throws IOException {
      makeRoom(WRITES);
    }
  }

  /** The file opened by the JDK. */
  @State(Scope.Thread)
  public static class Open {
    FileOutputStream stream;
    FileChannel channel;

    @Setup(Level.Trial)
    public void open(Growing target) throws IOException {
      stream = new FileOutputStream(target.ioFile, true);
      channel = FileChannel.open(target.file, APPEND);
    }

    @TearDown(Level.Trial)
    public void close() throws IOException {
      stream.close();
      channel.close();
    }
  }

  /** The file opened by the lane, which alone knows the number. */
  @State(Scope.Thread)
  public static class OpenInLane {
    int fd;

    @Setup(Level.Trial)
    public void open(Growing target, Lane lane) throws IOException {
      fd = Files2.openSync(target.file, "a");
    }

    @TearDown(Level.Trial)
    public void close() throws IOException {
      Files2.closeSync(fd);
    }
  }

  @Benchmark
  public void files2(Growing target, OpenInLane open, Lane lane) throws IOException {
    for (int i = 0; i < WRITES; i++) {
      Files2.writeStringSync(open.fd, target.content);
    }
  }

  @Benchmark
  public void files2OnFileDescriptor(Growing target, Open open, Lane lane) throws IOException {
    FileDescriptor fd = open.stream.getFD();
    for (int i = 0; i < WRITES; i++) {
      Files2.writeStringSync(fd, target.content);
    }
  }

  @Benchmark
  public void fileOutputStream(Growing target, Open open) throws IOException {
    for (int i = 0; i < WRITES; i++) {
      open.stream.write(target.content.getBytes(UTF_8));
    }
  }

  @Benchmark
  public void fileChannel(Growing target, Open open) throws IOException {
    for (int i = 0; i < WRITES; i++) {
      open.channel.write(ByteBuffer.wrap(target.content.getBytes(UTF_8)));
    }
  }

  @Benchmark
  public void commonsIo(Growing target, Open open) throws IOException {
    for (int i = 0; i < WRITES; i++) {
      IOUtils.write(target.content, open.stream, UTF_8);
    }
  }
}
