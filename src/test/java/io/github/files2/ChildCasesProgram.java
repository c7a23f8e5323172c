package io.github.files2;

import com.sun.jna.Function;
import java.io.FileDescriptor;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.file.Path;
import java.util.Collections;

/** The child's side of {@link ChildCasesTest}. */
final class ChildCasesProgram {
  /** More than a pipe holds. */
  static final int OUTPUT_CHARS = 300_000;

  private static final Charset CHARSET = Charset.forName("windows-1252");
  private static final int LINE_COUNT = 2_500;
  private static final String LINE = "\u20ac".repeat(999);

  private static final int F_GETFL = 3;
  private static final int F_SETFL = 4;
  private static final int O_NONBLOCK = 04000;

  private ChildCasesProgram() {}

  public static void main(String[] args) throws IOException {
    Path file = Path.of(args[1]);
    switch (args[0]) {
      case "descriptor" -> report(() -> writeToDescriptor(file));
      case "lines" ->
          report(() -> Files2.write(file, Collections.nCopies(LINE_COUNT, LINE), CHARSET));
      case "non-blocking-output" -> writeToNonBlockingOutput();
      default -> throw new IllegalArgumentException(args[0]);
    }
  }

  private interface Write {
    void run() throws IOException;
  }

  private static void report(Write write) {
    try {
      write.run();
      System.out.println("no exception");
    } catch (PartialWriteException e) {
      System.out.println("PartialWriteException " + e.bytesWritten());
    } catch (IOException e) {
      System.out.println(e);
    }
  }

  private static void writeToDescriptor(Path file) throws IOException {
    int fd = Files2.openSync(file, "w");
    try {
      Files2.writeStringSync(fd, LINE.repeat(LINE_COUNT), WriteOptions.DEFAULT.encoding(CHARSET));
    } finally {
      Files2.closeSync(fd);
    }
  }

  private static void writeToNonBlockingOutput() throws IOException {
    Function fcntl = Function.getFunction("c", "fcntl");
    int flags = fcntl.invokeInt(new Object[] {1, F_GETFL});
    if (flags < 0 || fcntl.invokeInt(new Object[] {1, F_SETFL, flags | O_NONBLOCK}) != 0) {
      throw new IllegalStateException("fcntl failed");
    }
    long written =
        Files2.writeStringSync(FileDescriptor.out, MountedFilesTest.text(OUTPUT_CHARS, 'p'));
    if (written != OUTPUT_CHARS) {
      throw new IllegalStateException("wrote " + written);
    }
  }
}
