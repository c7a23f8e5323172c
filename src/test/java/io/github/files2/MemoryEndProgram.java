package io.github.files2;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Fills a {@link MemoryFile} until there is no more memory, and looks at what that left. */
final class MemoryEndProgram {
  private static final int MIB = 1024 * 1024;

  private MemoryEndProgram() {}

  public static void main(String[] args) throws IOException {
    Path path = Path.of(args[0]);
    switch (args[1]) {
      case "fill" -> fill(path);
      case "read" -> read(path);
      case "gap" -> leaveGap(path);
      default -> throw new IllegalArgumentException(args[1]);
    }
    System.out.println("right");
  }

  private static void read(Path path) throws IOException {
    try {
      MemoryFile.open(path, "r").close();
      throw new AssertionError("there was enough memory");
    } catch (FileSystemException e) {
      System.out.println(e.getMessage());
    }
  }

  private static void leaveGap(Path path) throws IOException {
    MemoryFile file = MemoryFile.open(path, "w");
    file.write("text");
    file.position(MemoryBlocks.MAX_BYTES - 1);
    try {
      file.write("x");
      throw new AssertionError("there was enough memory");
    } catch (FileSystemException e) {
      System.out.println(e.getMessage());
    }
    check(file.size() == 4, "the file has changed");
    file.close();
    check(Files.readString(path).equals("text"), "written back");
  }

  private static void fill(Path path) throws IOException {
    ByteBuffer data = ByteBuffer.allocate(3 * MIB);
    MemoryFile file = MemoryFile.open(path, "w");
    file.write("begin");
    long size = file.size();
    String message = null;
    while (message == null) {
      try {
        file.write(data.clear());
        size += data.capacity();
      } catch (FileSystemException e) {
        message = e.getMessage();
      }
    }
    System.out.println(message);
    check(data.position() == 0, "the source has moved");
    check(file.size() == size && file.position() == size, "the file has changed");
    check(size > 6L * MIB, "the memory ended too early: " + size);
    // A program that goes on lets go of something.
    file.truncate(size - 2 * MIB).write("end");
    file.close();
    check(Files.size(path) == size - 2 * MIB + 3, "written back: " + Files.size(path));
  }

  private static void check(boolean holds, String otherwise) {
    if (!holds) {
      throw new AssertionError(otherwise);
    }
  }
}
