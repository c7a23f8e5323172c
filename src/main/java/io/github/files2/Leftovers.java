package io.github.files2;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;

/** Temporary files of atomic writes whose writers were killed. */
final class Leftovers {
  /** A writer locks its file right after it has made it; a younger one may not have got there. */
  private static final long MIN_AGE_MILLIS = 60_000;

  private Leftovers() {}

  /**
   * Removes those in {@code folder} through {@code lane} and returns how many they were. In a
   * folder like /tmp those of other users can't be removed: that is thrown after the rest is gone.
   */
  static int remove(Backend lane, Path folder) throws IOException {
    int count = 0;
    IOException failure = null;
    try (DirectoryStream<Path> files =
        Files.newDirectoryStream(folder, TempName.PREFIX + "*" + TempName.SUFFIX)) {
      for (Path file : files) {
        try {
          count += isOurs(file) && lane.removeLeftover(file) ? 1 : 0;
        } catch (IOException e) {
          failure = added(failure, e);
        }
      }
    } catch (DirectoryIteratorException e) {
      failure = added(failure, NioFailure.named(e.getCause(), "readdir", folder.toString()));
    } catch (IOException e) {
      failure = added(failure, NioFailure.named(e, "opendir", folder.toString()));
    }
    if (failure != null) {
      throw failure;
    }
    return count;
  }

  private static IOException added(IOException first, IOException later) {
    if (first == null) {
      return later;
    }
    first.addSuppressed(later);
    return first;
  }

  private static boolean isOurs(Path file) throws IOException {
    return TempName.matches(file.getFileName().toString()) && isOld(file);
  }

  private static boolean isOld(Path file) throws IOException {
    try {
      BasicFileAttributes found =
          Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
      long ageMillis = System.currentTimeMillis() - found.lastModifiedTime().toMillis();
      return found.isRegularFile() && ageMillis > MIN_AGE_MILLIS;
    } catch (NoSuchFileException e) {
      return false;
    }
  }
}
