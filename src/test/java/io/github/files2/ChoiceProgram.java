package io.github.files2;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.nio.file.Path;

/** Uses Files2 as its class path and properties let it, and prints what came of it. */
final class ChoiceProgram {
  private static final int MOST_WRITES = 2_000_000;

  private ChoiceProgram() {}

  public static void main(String[] args) throws IOException {
    Path file = Path.of(args[1]);
    for (String job : args[0].split(",")) {
      try {
        run(job, file);
      } catch (RuntimeException e) {
        System.out.println(job + " threw " + e.getClass().getSimpleName() + ": " + e.getMessage());
      }
    }
  }

  private static void run(String job, Path file) throws IOException {
    switch (job) {
      case "write" -> System.out.println("wrote " + Files2.writeStringSync(file, "text"));
      case "open" -> {
        int fd = Files2.openSync(file, "w");
        System.out.println("wrote " + Files2.writeStringSync(fd, "text") + " to a descriptor");
        Files2.closeSync(fd);
      }
      case "report" -> System.out.print(Files2.backendReport());
      case "many" -> writeUntilSwitched(file);
      default -> throw new IllegalArgumentException(job);
    }
  }

  private static void writeUntilSwitched(Path file) throws IOException {
    ThreadInfo before = info();
    int writes = 0;
    int writesBeside = 0;
    boolean isDaemon = true;
    Backend nio = Backends.nio();
    while (Backends.current() == nio && writes < MOST_WRITES) {
      Files2.writeStringSync(file, "text");
      writes++;
      Thread preparer = preparer();
      if (preparer != null) {
        writesBeside++;
        isDaemon &= preparer.isDaemon();
      }
    }
    ThreadInfo after = info();
    System.out.println(Files2.writeStringSync(file, "text on the new lane"));
    System.out.println("lane after " + writes + " writes: " + Backends.current().name());
    System.out.println("writes beside the daemon: " + (isDaemon && writesBeside > 0));
    System.out.println("blocked: " + (after.getBlockedCount() - before.getBlockedCount()));
    System.out.println("waited: " + (after.getWaitedCount() - before.getWaitedCount()));
  }

  private static ThreadInfo info() {
    return ManagementFactory.getThreadMXBean().getThreadInfo(Thread.currentThread().getId());
  }

  private static Thread preparer() {
    Thread[] threads = new Thread[100];
    int count = Thread.enumerate(threads);
    for (int i = 0; i < count; i++) {
      if (threads[i].getName().equals("files2-prepare")) {
        return threads[i];
      }
    }
    return null;
  }
}
