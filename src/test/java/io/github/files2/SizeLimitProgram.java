package io.github.files2;

import com.sun.jna.Function;
import com.sun.jna.Memory;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Writes more than RLIMIT_FSIZE allows, and prints what that threw and left. */
final class SizeLimitProgram {
  private static final int RLIMIT_FSIZE = 1;
  private static final int LIMIT_BYTES = 1_000_000;

  private SizeLimitProgram() {}

  public static void main(String[] args) throws IOException {
    Backend backend = Lanes.named(args[0]);
    Memory limits = new Memory(16);
    limits.setLong(0, LIMIT_BYTES);
    limits.setLong(8, LIMIT_BYTES);
    Function setrlimit = Function.getFunction("c", "setrlimit");
    if (setrlimit.invokeInt(new Object[] {RLIMIT_FSIZE, limits}) != 0) {
      throw new IllegalStateException("setrlimit failed");
    }
    Path folder = Path.of(args[1]);
    Path file = folder.resolve(args[0]);
    WriteOptions options = WriteOptions.DEFAULT;
    Files.write(file, new byte[500_000]);
    attempt("grow", backend, file, options.writePlan());
    Files.write(file, new byte[500_000]);
    attempt("truncate", backend, file, options.overwrite(Overwrite.TRUNCATE).writePlan());
    Files.write(file, new byte[500_000]);
    attempt("append", backend, file, options.appendPlan());
    Files.delete(file);
    attempt("create", backend, file, options.writePlan());
  }

  private static void attempt(String name, Backend backend, Path file, WritePlan plan)
      throws IOException {
    String result;
    try {
      backend.writeText(file, MountedFilesTest.text(2_500_000, 't'), plan);
      result = "no exception";
    } catch (FileSystemException e) {
      long count = e instanceof PartialWriteException partial ? partial.bytesWritten() : 0;
      String reason = e.getReason().substring(0, e.getReason().indexOf('('));
      result = e.getClass().getSimpleName() + " " + reason.strip() + " " + count;
    }
    System.out.println(name + ": " + result + ", file " + Files.size(file));
  }
}
