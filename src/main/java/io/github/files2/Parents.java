package io.github.files2;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** The folders that a file is in: made where they were missing, on every lane alike. */
final class Parents {
  private Parents() {}

  /**
   * Makes the folders of {@code file}, so that the write can be tried again. Others may make them
   * at the same time.
   *
   * @param failure what the write has thrown; thrown again where there is nothing to make
   */
  static void make(Path file, WritePlan plan, NoSuchFileException failure) throws IOException {
    Path parent = plan.createsParents() ? file.getParent() : null;
    if (parent == null) {
      throw failure;
    }
    // Made by somebody else by now, or not what was missing (a dangling link): the write will tell.
    if (Files.isDirectory(parent)) {
      return;
    }
    try {
      Files.createDirectories(parent);
    } catch (IOException e) {
      IOException named = NioFailure.named(e, "mkdir", folderOf(e, parent));
      named.addSuppressed(failure);
      throw named;
    } catch (RuntimeException e) {
      e.addSuppressed(failure);
      throw e;
    }
  }

  /** Returns the folder that could not be made: {@code parent}, or one above it. */
  private static String folderOf(IOException e, Path parent) {
    String told = e instanceof FileSystemException failure ? failure.getFile() : null;
    return told == null ? parent.toString() : told;
  }
}
