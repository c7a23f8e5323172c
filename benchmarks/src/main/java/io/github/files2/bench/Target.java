package io.github.files2.bench;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** A file and the text to write to it. The file exists at first, with the same text in it. */
@State(Scope.Thread)
public class Target {
  private static final Path TMPFS = Path.of("/dev/shm");

  /** Where a file that is appended to is emptied, between two measured calls. */
  private static final long MAX_APPENDED_BYTES = 32 * 1024 * 1024;

  /** Where to write; "default" is {@code /dev/shm}, or the temporary folder where it is missing. */
  @Param("default")
  public String folder;

  @Param({"12", "1024", "12288", "102400", "1048576"})
  public int bytes;

  @Param({"ascii", "russian", "chinese", "emoji", "mix"})
  public String text;

  private Path temporary;
  private long appendedBytes;

  /** The file, twice: who takes a {@code File} need not pay for the conversion. */
  Path file;

  File ioFile;

  /** What to write. */
  String content;

  @Setup(Level.Trial)
  public void create() throws IOException {
    content = Texts.of(text, bytes);
    temporary = Files.createTempDirectory(parent(), "files2-bench-");
    file = temporary.resolve("file");
    ioFile = file.toFile();
    Files.writeString(file, content);
    appendedBytes = bytes;
  }

  private Path parent() {
    return folder.equals("default") ? defaultFolder() : Path.of(folder).toAbsolutePath();
  }

  static Path defaultFolder() {
    return Files.isWritable(TMPFS) ? TMPFS : Path.of(System.getProperty("java.io.tmpdir"));
  }

  @TearDown(Level.Trial)
  public void remove() throws IOException {
    Files.deleteIfExists(file);
    Files.delete(temporary);
  }

  /** Empties the file if {@code writes} more would make it too long, and counts them. */
  final void makeRoom(int writes) throws IOException {
    if (appendedBytes + (long) writes * bytes > MAX_APPENDED_BYTES) {
      Files.write(file, new byte[0]);
      appendedBytes = 0;
    }
    appendedBytes += (long) writes * bytes;
  }
}
