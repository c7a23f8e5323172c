package io.github.files2;

import java.io.BufferedReader;
import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Does one write for each line of standard input and answers with a line, all on one thread, which
 * {@link TracedJvm} traces. A line is {@code key=value} pairs with tabs between.
 */
final class TraceProgram {
  private TraceProgram() {}

  public static void main(String[] args) throws IOException {
    BufferedReader lines =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    System.out.println(
        ProcessHandle.current().pid()
            + " "
            + Files.readSymbolicLink(Path.of("/proc/thread-self")).getFileName());
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      Map<String, String> wish = new HashMap<>();
      for (String pair : line.split("\t")) {
        wish.put(pair.substring(0, pair.indexOf('=')), pair.substring(pair.indexOf('=') + 1));
      }
      String answer = answer(wish);
      // A system call that names the case, so that its end shows in the trace.
      new File("/files2-marker/" + wish.get("id")).canRead();
      System.out.println(answer);
    }
  }

  private static String answer(Map<String, String> wish) {
    try {
      return "wrote " + write(wish);
    } catch (IOException | RuntimeException e) {
      StringBuilder answer = new StringBuilder(e.getClass().getSimpleName());
      answer.append(' ').append(e.getMessage());
      if (e instanceof PartialWriteException partial) {
        answer.append(" count ").append(partial.bytesWritten());
      }
      for (Throwable later : e.getSuppressed()) {
        answer.append(" suppressed ").append(later.getMessage());
      }
      return answer.toString();
    }
  }

  private static long write(Map<String, String> wish) throws IOException {
    Path file = Path.of(wish.get("file"));
    int charCount = Integer.parseInt(wish.get("size"));
    String text = wish.get("unit").repeat(charCount / wish.get("unit").length());
    WriteOptions options =
        WriteOptions.DEFAULT
            .encoding(wish.getOrDefault("encoding", "utf8"))
            .flush(Flush.valueOf(wish.getOrDefault("flush", "NONE")))
            .flag(wish.getOrDefault("flags", "w"));
    if (wish.containsKey("atomic")) {
      // Without a wish for flush there is none that would be set.
      WriteOptions plain = WriteOptions.DEFAULT.flag(wish.getOrDefault("flags", "w"));
      options = (wish.containsKey("flush") ? options : plain).atomic(true);
    }
    if (wish.containsKey("onlyIfChanged")) {
      options = options.onlyIfChanged(true);
    }
    if (wish.containsKey("overwrite")) {
      options = options.overwrite(Overwrite.valueOf(wish.get("overwrite")));
    }
    ByteBuffer bytes = bytes(wish.get("data"), charCount);
    switch (wish.get("target")) {
      case "path" -> {
        return bytes == null
            ? Files2.writeStringSync(file, text, options)
            : Files2.writeBytesSync(file, bytes, options);
      }
      case "fd" -> {
        int fd = Files2.openSync(file, wish.getOrDefault("flags", "w"));
        try {
          return bytes == null
              ? Files2.writeStringSync(fd, text, options)
              : Files2.writeBytesSync(fd, bytes, options);
        } finally {
          Files2.closeSync(fd);
        }
      }
      case "descriptor" -> {
        boolean appends = wish.getOrDefault("flags", "w").equals("a");
        try (FileOutputStream out = new FileOutputStream(file.toFile(), appends)) {
          return bytes == null
              ? Files2.writeStringSync(out.getFD(), text, options)
              : Files2.writeBytesSync(out.getFD(), bytes, options);
        }
      }
      case "appender" -> {
        try (Appender appender = Appender.open(file, options)) {
          return appender.write(text);
        }
      }
      case "nio" -> {
        OpenOption[] how =
            Arrays.stream(wish.get("options").split(","))
                .map(StandardOpenOption::valueOf)
                .toArray(OpenOption[]::new);
        Files2.writeString(file, text, how);
        return text.length();
      }
      case "lines" -> {
        Files2.write(file, List.of(text));
        return text.length() + 1;
      }
      case "lazy-lines" -> {
        Stream<String> lines = Stream.of(text);
        Files2.write(file, (Iterable<String>) lines::iterator);
        return text.length() + 1;
      }
      default -> throw new IllegalArgumentException(wish.get("target"));
    }
  }

  /** Returns bytes of the kind, {@code null} for text. */
  private static ByteBuffer bytes(String data, int byteCount) {
    return switch (data) {
      case "text" -> null;
      case "array" -> ByteBuffer.wrap(new byte[byteCount]);
      case "direct" -> ByteBuffer.allocateDirect(byteCount);
      case "readonly" -> ByteBuffer.allocate(byteCount).asReadOnlyBuffer();
      default -> throw new IllegalArgumentException(data);
    };
  }
}
