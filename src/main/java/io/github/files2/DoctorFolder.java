package io.github.files2;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * The one folder that the doctor writes in. It is removed by {@link #close}, or when the JVM ends
 * in any other way but being killed. Safe for use by many threads.
 */
final class DoctorFolder implements Closeable {
  /** A write that is under way may make a file again while the folder is removed. */
  private static final int MAX_TRIES = 1000;

  private final Path folder;
  private volatile boolean isClosed;

  private DoctorFolder(Path folder) {
    this.folder = folder;
  }

  static DoctorFolder create(Path parent) throws IOException {
    Path path = Files.createTempDirectory(parent, "files2-doctor-");
    DoctorFolder folder = new DoctorFolder(path);
    Runtime.getRuntime().addShutdownHook(new Thread(folder::closeAtExit));
    return folder;
  }

  Path file(String name) {
    return folder.resolve(name);
  }

  /** Tells whether writing has to end. */
  boolean isClosed() {
    return isClosed;
  }

  /** Removes the folder. A second call does nothing. */
  @Override
  public void close() throws IOException {
    isClosed = true;
    for (int tries = 1; ; tries++) {
      try {
        empty();
        Files.deleteIfExists(folder);
        return;
      } catch (DirectoryNotEmptyException e) {
        if (tries == MAX_TRIES) {
          throw e;
        }
      }
    }
  }

  private void empty() throws IOException {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
      for (Path file : files) {
        Files.deleteIfExists(file);
      }
    } catch (NoSuchFileException e) {
      // Removed already.
    }
  }

  private void closeAtExit() {
    try {
      close();
    } catch (IOException e) {
      System.err.println("files2: " + folder + " is left behind: " + e);
    }
  }
}
