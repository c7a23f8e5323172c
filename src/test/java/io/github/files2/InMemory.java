package io.github.files2;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDirFactory;

/** Makes temporary folders on tmpfs where there is one: for the many writes that compare bytes. */
final class InMemory implements TempDirFactory {
  private static final Path TMPFS = Path.of("/dev/shm");

  @Override
  public Path createTempDirectory(AnnotatedElementContext element, ExtensionContext test)
      throws IOException {
    return Files.isWritable(TMPFS)
        ? Files.createTempDirectory(TMPFS, "files2")
        : Files.createTempDirectory("files2");
  }
}
