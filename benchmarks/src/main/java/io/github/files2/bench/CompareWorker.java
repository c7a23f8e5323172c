package io.github.files2.bench;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;

import io.github.files2.Files2;
import io.github.files2.Flush;
import io.github.files2.WriteOptions;
import java.io.BufferedReader;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import org.apache.commons.io.FileUtils;

/**
 * One contender of {@link Compare}: a process that does the same work as the others when it is told
 * to. It reads commands from its standard input, fields with tabs between, and answers each with a
 * line:
 *
 * <ul>
 *   <li>{@code begin WORK TEXT BYTES THREADS}: {@code TEXT} is a file with the text, in UTF-8, and
 *       {@code TEXT.bytes} has the {@code BYTES} that writing it makes. Puts those into the file
 *       {@code file} of its folder ({@code file1} for a second thread). Answers {@code ok}, or
 *       {@code no} and the rest of a reason if it can't do this.
 *   <li>{@code run COUNT}: does it so often on each thread, and answers the nanoseconds that it
 *       took. What is created is one file more each time; what grows is emptied before it is too
 *       long.
 *   <li>{@code end}: closes what is open. The files hold what was written.
 * </ul>
 */
final class CompareWorker {
  private static final long MOST_BYTES = 32 * 1024 * 1024;

  private final Ways ways;
  private final Path folder;
  private final List<Writer> writers = new ArrayList<>();
  private boolean creates;
  private boolean grows;
  private long byteCount;

  /** A thread's file and what it does there. */
  private record Writer(Path file, Job job, AutoCloseable open) {}

  /** A call; {@code i} counts them. */
  interface Job {
    void run(int i) throws IOException;
  }

  /** How a contender writes; {@code null} for what it can't. */
  abstract static class Ways {
    Job overwrite(Path file, String text) {
      return null;
    }

    Job append(Path file, String text) {
      return null;
    }

    Job base64(Path file, String text) {
      return null;
    }

    Job flush(Path file, String text) {
      return null;
    }

    Job atomic(Path file, String text, boolean isDurable) {
      return null;
    }

    Job unchanged(Path file, String text) {
      return null;
    }

    Job descriptor(FileOutputStream out, String text) throws IOException {
      return null;
    }
  }

  private static final class OfFiles2 extends Ways {
    @Override
    Job overwrite(Path file, String text) {
      return i -> Files2.writeStringSync(file, text);
    }

    @Override
    Job append(Path file, String text) {
      return i -> Files2.appendStringSync(file, text);
    }

    @Override
    Job base64(Path file, String text) {
      return with(file, text, WriteOptions.DEFAULT.encoding("base64"));
    }

    @Override
    Job flush(Path file, String text) {
      return with(file, text, WriteOptions.DEFAULT.flush(true));
    }

    @Override
    Job atomic(Path file, String text, boolean isDurable) {
      WriteOptions atomic = WriteOptions.DEFAULT.atomic(true);
      return with(file, text, isDurable ? atomic : atomic.flush(Flush.NONE));
    }

    @Override
    Job unchanged(Path file, String text) {
      return with(file, text, WriteOptions.DEFAULT.onlyIfChanged(true));
    }

    private static Job with(Path file, String text, WriteOptions options) {
      return i -> Files2.writeStringSync(file, text, options);
    }

    @Override
    Job descriptor(FileOutputStream out, String text) throws IOException {
      java.io.FileDescriptor fd = out.getFD();
      return i -> Files2.writeStringSync(fd, text);
    }
  }

  private static final class OfFiles extends Ways {
    @Override
    Job overwrite(Path file, String text) {
      return i -> Files.writeString(file, text);
    }

    @Override
    Job append(Path file, String text) {
      return i -> Files.writeString(file, text, CREATE, APPEND);
    }

    @Override
    Job base64(Path file, String text) {
      return i -> Files.write(file, Base64.getDecoder().decode(text));
    }

    @Override
    Job unchanged(Path file, String text) {
      return i -> {
        byte[] bytes = text.getBytes(UTF_8);
        if (!Arrays.equals(Files.readAllBytes(file), bytes)) {
          Files.write(file, bytes);
        }
      };
    }
  }

  private static final class OfStream extends Ways {
    @Override
    Job overwrite(Path file, String text) {
      return to(file, false, text, false);
    }

    @Override
    Job append(Path file, String text) {
      return to(file, true, text, false);
    }

    @Override
    Job flush(Path file, String text) {
      return to(file, false, text, true);
    }

    private static Job to(Path file, boolean appends, String text, boolean syncs) {
      return i -> {
        try (FileOutputStream out = new FileOutputStream(file.toFile(), appends)) {
          out.write(text.getBytes(UTF_8));
          if (syncs) {
            out.getFD().sync();
          }
        }
      };
    }

    @Override
    Job descriptor(FileOutputStream out, String text) {
      return i -> out.write(text.getBytes(UTF_8));
    }
  }

  private static final class OfChannel extends Ways {
    @Override
    Job overwrite(Path file, String text) {
      return to(file, text, false, CREATE, TRUNCATE_EXISTING, WRITE);
    }

    @Override
    Job append(Path file, String text) {
      return to(file, text, false, CREATE, APPEND);
    }

    @Override
    Job flush(Path file, String text) {
      return to(file, text, true, CREATE, TRUNCATE_EXISTING, WRITE);
    }

    private static Job to(Path file, String text, boolean syncs, OpenOption... options) {
      return i -> {
        try (FileChannel channel = FileChannel.open(file, options)) {
          writeAll(channel, text);
          if (syncs) {
            channel.force(true);
          }
        }
      };
    }

    private static void writeAll(FileChannel channel, String text) throws IOException {
      ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(UTF_8));
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
    }

    /** What people write by hand; it loses the old file's mode, owner and attributes. */
    @Override
    Job atomic(Path file, String text, boolean isDurable) {
      return i -> {
        Path temp = Files.createTempFile(file.getParent(), "temp", null);
        try (FileChannel channel = FileChannel.open(temp, WRITE)) {
          writeAll(channel, text);
          if (isDurable) {
            channel.force(true);
          }
        }
        Files.move(temp, file, StandardCopyOption.ATOMIC_MOVE);
        if (isDurable) {
          try (FileChannel parent = FileChannel.open(file.getParent())) {
            parent.force(true);
          }
        }
      };
    }

    @Override
    Job descriptor(FileOutputStream out, String text) {
      FileChannel channel = out.getChannel();
      return i -> writeAll(channel, text);
    }
  }

  private static final class OfCommonsIo extends Ways {
    @Override
    Job overwrite(Path file, String text) {
      return i -> FileUtils.writeStringToFile(file.toFile(), text, UTF_8);
    }

    @Override
    Job append(Path file, String text) {
      return i -> FileUtils.writeStringToFile(file.toFile(), text, UTF_8, true);
    }
  }

  private CompareWorker(Ways ways, Path folder) {
    this.ways = ways;
    this.folder = folder;
  }

  /** Arguments: the contender, and its folder. */
  public static void main(String[] args) throws Exception {
    Ways ways =
        switch (args[0]) {
          case "files2" -> new OfFiles2();
          case "Files.writeString" -> new OfFiles();
          case "FileOutputStream" -> new OfStream();
          case "FileChannel" -> new OfChannel();
          case "commons-io" -> new OfCommonsIo();
          default -> throw new IllegalArgumentException(args[0]);
        };
    CompareWorker worker = new CompareWorker(ways, Path.of(args[1]));
    BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    for (String line = commands.readLine(); line != null; line = commands.readLine()) {
      String[] words = line.split("\t");
      System.out.println(
          switch (words[0]) {
            case "begin" -> worker.begin(words[1], Path.of(words[2]), words[3], words[4]);
            case "run" -> worker.run(Integer.parseInt(words[1]));
            default -> worker.end();
          });
    }
  }

  private String begin(String work, Path textFile, String bytes, String threads)
      throws IOException {
    creates = work.equals("create");
    grows = work.equals("append") || work.equals("descriptor");
    byteCount = Long.parseLong(bytes);
    // The bytes of base64 are one a char; reading them so keeps the text compact.
    String text = Files.readString(textFile, work.equals("base64") ? ISO_8859_1 : UTF_8);
    for (int t = 0; t < Integer.parseInt(threads); t++) {
      Path file = folder.resolve(t == 0 ? "file" : "file" + t);
      Files.copy(
          textFile.resolveSibling(textFile.getFileName() + ".bytes"),
          file,
          StandardCopyOption.REPLACE_EXISTING);
      FileOutputStream out =
          work.equals("descriptor") ? new FileOutputStream(file.toFile(), true) : null;
      Job job =
          switch (work) {
            case "overwrite" -> ways.overwrite(file, text);
            case "create" -> created(file, text);
            case "append" -> ways.append(file, text);
            case "base64" -> ways.base64(file, text);
            case "flush" -> ways.flush(file, text);
            case "atomic" -> ways.atomic(file, text, false);
            case "atomic-durable" -> ways.atomic(file, text, true);
            case "unchanged" -> ways.unchanged(file, text);
            case "descriptor" -> ways.descriptor(out, text);
            default -> null;
          };
      if (job == null) {
        if (out != null) {
          out.close();
        }
        return "no way to do this in one call or two";
      }
      writers.add(new Writer(file, job, out));
    }
    return "ok";
  }

  /** The paths are part of the work: a program that creates has them for once only. */
  private Job created(Path file, String text) {
    return i -> ways.overwrite(numbered(file, i), text).run(i);
  }

  private static Path numbered(Path file, int i) {
    return file.resolveSibling(file.getFileName() + "-new" + i);
  }

  private long run(int count) throws Exception {
    for (Writer writer : writers) {
      if (grows && Files.size(writer.file) + count * byteCount > MOST_BYTES) {
        Files.write(writer.file, new byte[0]);
      }
    }
    List<Thread> threads = new ArrayList<>();
    for (Writer writer : writers.subList(1, writers.size())) {
      threads.add(new Thread(() -> runAll(writer, count)));
    }
    long start = System.nanoTime();
    threads.forEach(Thread::start);
    runAll(writers.get(0), count);
    for (Thread thread : threads) {
      thread.join();
    }
    long nanos = System.nanoTime() - start;
    for (Writer writer : creates ? writers : List.<Writer>of()) {
      Files.move(numbered(writer.file, 0), writer.file, StandardCopyOption.REPLACE_EXISTING);
      for (int i = 1; i < count; i++) {
        Files.delete(numbered(writer.file, i));
      }
    }
    return nanos;
  }

  private static void runAll(Writer writer, int count) {
    try {
      for (int i = 0; i < count; i++) {
        writer.job.run(i);
      }
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private String end() throws Exception {
    for (Writer writer : writers) {
      if (writer.open != null) {
        writer.open.close();
      }
    }
    writers.clear();
    return "ok";
  }
}
