package io.github.files2;

import com.sun.management.ThreadMXBean;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;

/** Writes many times in one way and prints how many bytes of heap a write took, rounded down. */
final class AllocationProgram {
  private static final int WRITES = 1000;

  private AllocationProgram() {}

  /** One write. */
  private interface Write {
    void run() throws IOException;
  }

  public static void main(String[] args) throws IOException {
    Path file = Path.of(args[1]).toAbsolutePath();
    String text = (args[2].equals("wide") ? "\u0436" : "a").repeat(Integer.parseInt(args[3]));
    // The text of a Path is made at the first call that asks for it.
    System.out.println("to " + file);
    int fd = highDescriptor(file);
    try (FileOutputStream stream = new FileOutputStream(file.toFile());
        Appender appender = Appender.open(file)) {
      FileDescriptor descriptor = stream.getFD();
      Write write =
          switch (args[0]) {
            case "path" -> () -> Files2.writeStringSync(file, text);
            case "append" -> () -> Files2.appendStringSync(file, text);
            case "fd" -> () -> Files2.writeStringSync(fd, text);
            case "appender" -> () -> appender.write(text);
            case "descriptor" -> () -> Files2.writeStringSync(descriptor, text);
            default -> throw new IllegalArgumentException(args[0]);
          };
      count(write);
      System.out.println(count(write) / WRITES + " bytes a write");
    }
  }

  /** Returns a number that no cache of small Integers holds. */
  private static int highDescriptor(Path file) throws IOException {
    int fd;
    do {
      fd = Files2.openSync(file, "a");
    } while (fd < 128);
    return fd;
  }

  private static long count(Write write) throws IOException {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadAllocatedBytes();
    for (int i = 0; i < WRITES; i++) {
      write.run();
    }
    return threads.getCurrentThreadAllocatedBytes() - before;
  }
}
