package io.github.files2;

import java.io.FileInputStream;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Writes under hard conditions, checks every byte and prints {@code right}; one job a run. */
final class StressProgram {
  /** Kinds of text: Latin-1 and wide layouts, pairs, and a lone surrogate. */
  private static final String[] UNITS = {
    "ascii ", "caf\u00e9 ", "\u043f\u0440\u0438 ", "\u4e2d\u6587", "\ud83d\ude00a", "a\ud800b"
  };

  private static volatile Object garbage;

  private StressProgram() {}

  public static void main(String[] args) throws Exception {
    Path folder = Path.of(args[1]);
    switch (args[0]) {
      case "sizes" -> writeAllSizes(folder.resolve("file"));
      case "few" -> writeFew(folder.resolve("file"));
      case "collect" -> writeWhileCollecting(folder.resolve("file"));
      case "large" -> writeLarge(folder.resolve("file"));
      case "huge" -> writeHuge();
      case "threads" -> writeFromThreads(folder, Executors.newFixedThreadPool(200));
      case "virtual" -> writeFromThreads(folder, virtualThreads());
      default -> throw new IllegalArgumentException(args[0]);
    }
    System.out.print(Files2.backendReport());
    System.out.println("right");
  }

  private static void writeAllSizes(Path file) throws IOException {
    // Around the borders of the small buffer, of one look at a string, and of a chunk.
    int[] sizes = {
      0, 1, 5, 511, 1024, 5_400, 5_461, 8_192, 16_384, 21_845, 32_768, 65_536, 131_072, 200_000
    };
    for (int size : sizes) {
      for (String unit : UNITS) {
        write(file, text(unit, size));
      }
      byte[] bytes = text("byte ", size).getBytes(StandardCharsets.US_ASCII);
      Files2.writeBytesSync(file, bytes);
      check(file, bytes, "bytes " + size);
    }
  }

  /** Where each try for direct memory takes the JVM half a second. */
  private static void writeFew(Path file) throws IOException {
    for (String unit : new String[] {"ascii ", "\u043f\u0440\u0438 "}) {
      String text = text(unit, 200_000);
      Files2.writeStringSync(file, text);
      check(file, utf8(text), unit);
    }
    byte[] bytes = utf8(text("byte ", 200_000));
    Files2.writeBytesSync(file, bytes);
    check(file, bytes, "bytes");
  }

  private static String text(String unit, int charCount) {
    return unit.repeat(charCount / unit.length() + 1).substring(0, charCount);
  }

  private static void write(Path file, String text) throws IOException {
    byte[] utf8 = utf8(text);
    String what = text.length() + " of " + text.codePoints().limit(3).boxed().toList();
    check(Files2.writeStringSync(file, text) == utf8.length, "count of " + what);
    check(file, utf8, "utf8 " + what);
    Files2.writeStringSync(file, text, WriteOptions.DEFAULT.encoding("utf16le"));
    check(file, text.toCharArray(), what);
    Files2.writeStringSync(file, text, WriteOptions.DEFAULT.encoding("latin1"));
    check(file, latin1(text), "latin1 " + what);
    Files2.writeStringSync(
        file, Base64.getEncoder().encodeToString(utf8), WriteOptions.DEFAULT.encoding("base64"));
    check(file, utf8, "base64 " + what);
    Files2.writeStringSync(
        file, HexFormat.of().formatHex(utf8), WriteOptions.DEFAULT.encoding("hex"));
    check(file, utf8, "hex " + what);
  }

  /** As Node: a lone surrogate becomes U+FFFD. */
  private static byte[] utf8(String text) {
    return text.replaceAll("a\ud800b", "a\ufffdb")
        .replaceAll("[\ud800-\udbff]$", "\ufffd")
        .getBytes(StandardCharsets.UTF_8);
  }

  private static byte[] latin1(String text) {
    byte[] bytes = new byte[text.length()];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) text.charAt(i);
    }
    return bytes;
  }

  private static void check(Path file, char[] units, String what) throws IOException {
    byte[] bytes = new byte[2 * units.length];
    for (int i = 0; i < units.length; i++) {
      bytes[2 * i] = (byte) units[i];
      bytes[2 * i + 1] = (byte) (units[i] >> 8);
    }
    check(file, bytes, "utf16le " + what);
  }

  private static void check(Path file, byte[] expected, String what) throws IOException {
    // Not by Files, which takes direct memory.
    try (FileInputStream in = new FileInputStream(file.toFile())) {
      check(Arrays.equals(in.readAllBytes(), expected), what);
    }
  }

  private static void check(boolean isRight, String what) {
    if (!isRight) {
      throw new AssertionError(what + " is wrong");
    }
  }

  /** Another thread makes the collector move things all the time. */
  private static void writeWhileCollecting(Path file) throws IOException {
    Thread allocator =
        new Thread(
            () -> {
              List<byte[]> kept = new ArrayList<>();
              while (garbage != Thread.currentThread()) {
                kept.add(new byte[20_000]);
                if (kept.size() > 500) {
                  kept.clear();
                }
              }
            });
    allocator.setDaemon(true);
    allocator.start();
    try {
      for (int round = 0; round < 2; round++) {
        writeAllSizes(file);
        System.gc();
      }
    } finally {
      garbage = allocator;
    }
  }

  /** 64 MB of text, which the heap holds but direct memory and a second copy do not. */
  private static void writeLarge(Path file) throws IOException {
    for (String unit : new String[] {"ascii ", "\u043f\u0440"}) {
      int charCount = unit.length() == 2 ? 32 << 20 : 64 << 20;
      String text = unit.repeat(charCount / unit.length());
      long expected = (long) text.length() * (unit.length() == 2 ? 2 : 1);
      check(Files2.writeStringSync(file, text) == expected, "count");
      check(Files.size(file) == expected, "size");
    }
  }

  /** More bytes than an int counts, from fewer chars (JDK-8379786). */
  private static void writeHuge() throws IOException {
    String text = "\u00e9".repeat((1 << 30) + 5);
    check(Files2.writeStringSync(Path.of("/dev/null"), text) == 2L * text.length(), "count");
  }

  private static ExecutorService virtualThreads() throws ReflectiveOperationException {
    // Java 21 has them; this is compiled for 17.
    return (ExecutorService)
        Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
  }

  /** Many threads, each with chunks of its own for a moment: what stays behind must be little. */
  private static void writeFromThreads(Path folder, ExecutorService executor) throws Exception {
    String text = text("caf\u00e9 ", 150_000);
    byte[] expected = utf8(text);
    List<Future<Void>> results = new ArrayList<>();
    for (int thread = 0; thread < 200; thread++) {
      Path file = folder.resolve("file" + thread);
      Callable<Void> job =
          () -> {
            for (int i = 0; i < 5; i++) {
              Files2.writeStringSync(file, text);
              check(file, expected, file.toString());
            }
            return null;
          };
      results.add(executor.submit(job));
    }
    for (Future<Void> result : results) {
      try {
        result.get();
      } catch (ExecutionException e) {
        throw new AssertionError(e.getCause());
      }
    }
    executor.shutdown();
    // What the pool did not keep is the collector's, which needs telling.
    long mostBytes = Long.getLong("mostBytes");
    for (int i = 0; i < 50 && directBytes() > mostBytes; i++) {
      System.gc();
      Thread.sleep(20);
    }
    System.out.println("direct bytes " + directBytes());
    String status = Files.readString(Path.of("/proc/self/status"));
    System.out.println(status.replaceFirst("(?s).*(VmRSS:[^\\n]*).*", "$1"));
  }

  private static long directBytes() {
    long bytes = 0;
    for (var pool : ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)) {
      bytes += pool.getName().equals("direct") ? pool.getMemoryUsed() : 0;
    }
    return bytes;
  }
}
