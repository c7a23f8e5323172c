package io.github.files2;

import java.io.IOException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** What {@link ConcurrencyTest} runs in JVMs of their own; the job is the first argument. */
final class ConcurrencyProgram {
  static final int THREADS = 2;
  static final int RECORDS = 20;
  static final List<Integer> RECORD_BYTES =
      List.of(2, 100, 8193, 131_072, 131_073, Pieces.SINGLE_WRITE_BYTES);

  private ConcurrencyProgram() {}

  public static void main(String[] args) throws Exception {
    switch (args[0]) {
      case "append" -> append(Path.of(args[1]), Long.parseLong(args[2]));
      case "appender" -> appendByOne(Path.of(args[1]), Long.parseLong(args[2]));
      case "loaders" -> useTwoLoaders(Path.of(args[1]));
      default -> throw new IllegalArgumentException(args[0]);
    }
  }

  /** Where a record goes. */
  private interface Target {
    void append(String record) throws IOException;
  }

  private static void append(Path file, long seed) throws InterruptedException {
    append(record -> Files2.appendStringSync(file, record), seed);
  }

  private static void appendByOne(Path file, long seed) throws IOException, InterruptedException {
    try (Appender appender = Appender.open(file)) {
      append(appender::write, seed);
    }
  }

  /** Each thread appends records of one letter, of all sizes. */
  private static void append(Target target, long seed) throws InterruptedException {
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      Random random = new Random(seed + i);
      Thread thread = new Thread(() -> appendRecords(target, random));
      thread.start();
      threads.add(thread);
    }
    for (Thread thread : threads) {
      thread.join();
    }
    System.out.println("appended");
  }

  private static void appendRecords(Target target, Random random) {
    try {
      for (int i = 0; i < RECORDS; i++) {
        int byteCount = RECORD_BYTES.get(random.nextInt(RECORD_BYTES.size()));
        String letter = String.valueOf((char) ('a' + random.nextInt(26)));
        target.append(letter.repeat(byteCount - 1) + "\n");
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** As two applications in one server do, each with its own copy of the library. */
  private static void useTwoLoaders(Path folder) throws Exception {
    URL[] classPath = {
      ChildProgram.homeOf(Files2.class).toUri().toURL(), ChildProgram.jna().toUri().toURL()
    };
    for (int i = 0; i < 2; i++) {
      ClassLoader parent = ClassLoader.getPlatformClassLoader();
      ClassLoader loader = new URLClassLoader(classPath, parent); // in use until the end
      Class<?> files2 = loader.loadClass(Files2.class.getName());
      Method open = files2.getMethod("openSync", Path.class, String.class);
      Method write = files2.getMethod("writeStringSync", int.class, CharSequence.class);
      Object fd = open.invoke(null, folder.resolve("file" + i), "w");
      System.out.println("wrote " + write.invoke(null, fd, "text \u043f\u0440\u0438"));
      System.out.print(files2.getMethod("backendReport").invoke(null));
    }
  }
}
