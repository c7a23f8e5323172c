package io.github.files2;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.jna.Native;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A file system that is mounted for a test, in a folder of its own under the temp folder. Closing
 * it unmounts and deletes all; a JVM that ends without does so too.
 */
final class Mount implements AutoCloseable {
  private static final int TIMEOUT_SECONDS = 60;

  /** What the file system's kind is. */
  private final String kind;

  private final Path base;

  /** What is mounted, the last one first. */
  private final Deque<Path> undo = new ArrayDeque<>();

  private final Thread hook = new Thread(this::undoAll);

  private Mount(String kind) throws IOException {
    Needs.root();
    this.kind = kind;
    this.base = Files.createTempDirectory("files2-" + kind);
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /** Mounts a fresh file system of {@code kind}, as small as its mkfs allows. */
  static Mount of(String kind) {
    return of(kind, "");
  }

  /** Mounts with more options, which begin with a comma. */
  static Mount of(String kind, String mountOptions) {
    try {
      Mount mount = new Mount(kind);
      try {
        mount.mount(mountOptions);
        return mount;
      } catch (IOException | RuntimeException | Error e) {
        mount.close();
        throw e;
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void mount(String mountOptions) throws IOException {
    Files.createDirectory(root());
    switch (kind) {
      case "ext4" -> image(8, mountOptions, "mkfs.ext4", "-q", "-F", "-m", "0");
      case "xfs" -> image(300, mountOptions, "mkfs.xfs", "-q");
      case "btrfs" -> image(114, mountOptions, "mkfs.btrfs", "-q");
      // Data and metadata share their blocks: what fills the one leaves nothing to the other.
      case "btrfs-mixed" -> image(64, mountOptions, "mkfs.btrfs", "-q", "--mixed");
      case "tmpfs" -> tmpfs("tmpfs", root(), mountOptions);
      case "overlay" -> {
        Path layers = Files.createDirectory(base.resolve("layers"));
        tmpfs("tmpfs", layers, "");
        for (String layer : new String[] {"lower", "upper", "work"}) {
          Files.createDirectory(layers.resolve(layer));
        }
        String options =
            "lowerdir=" + layers.resolve("lower") + ",upperdir=" + layers.resolve("upper");
        options += ",workdir=" + layers.resolve("work") + mountOptions;
        run("mount", "-t", "overlay", "overlay", "-o", options, root().toString());
        undo.push(root());
      }
      case "fuse" -> {
        Needs.tool("bindfs");
        Needs.that(Files.exists(Path.of("/dev/fuse")), "needs /dev/fuse");
        Path behind = Files.createDirectory(base.resolve("behind"));
        run("bindfs", behind.toString(), root().toString());
        undo.push(root());
      }
      default -> throw new IllegalArgumentException(kind);
    }
  }

  private void tmpfs(String name, Path folder, String mountOptions) {
    String options = "size=8m" + mountOptions;
    run("mount", "-t", "tmpfs", name, "-o", options, folder.toString());
    undo.push(folder);
  }

  private void image(int megabytes, String mountOptions, String... mkfs) throws IOException {
    Needs.tool(mkfs[0]);
    Path image = base.resolve("image");
    try (FileChannel channel =
        FileChannel.open(image, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.allocate(1), megabytes * 1024L * 1024 - 1);
    }
    String[] words =
        Stream.concat(Stream.of(mkfs), Stream.of(image.toString())).toArray(String[]::new);
    run(words);
    // The kernel frees the loop device with the mount.
    run("mount", "-o", "loop" + mountOptions, image.toString(), root().toString());
    undo.push(root());
  }

  /** Returns the folder that the file system is mounted on. */
  Path root() {
    return base.resolve("root");
  }

  /** Mounts it anew, read-only. */
  void makeReadOnly() {
    run("mount", "-o", "remount,ro", root().toString());
  }

  /** Runs a program that must succeed, and returns what it printed. */
  static String run(String... words) {
    try {
      Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
      process.getOutputStream().close();
      String out = new String(process.getInputStream().readAllBytes());
      assertThat(process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).as("%s: %s", List.of(words), out).isZero();
      return out;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new AssertionError("interrupted", e);
    }
  }

  /** Takes all space but {@code spareBytes}, to the last block. */
  void fill(long spareBytes) throws IOException {
    sync();
    // Binding again changes nothing where the libc lane is loaded.
    Libc.bind();
    // The names come first: XFS needs blocks for new inodes.
    Deque<Path> names = new ArrayDeque<>();
    for (int i = 0; i < 100; i++) {
      names.add(Files.createFile(root().resolve("fill" + i)));
    }
    Path spare = names.remove();
    assertThat(allocate(spare, spareBytes)).isTrue();
    for (long byteCount = 1L << 30; byteCount >= 512; ) {
      if (!allocate(names.remove(), byteCount)) {
        byteCount /= 2;
      }
    }
    Files.delete(spare);
    sync();
  }

  /** Gives a file blocks; false where there are not so many, though it may have got some. */
  private static boolean allocate(Path file, long byteCount) throws IOException {
    if (byteCount == 0) {
      return true;
    }
    int fd = LaneUnderTest.LIBC.backend().open(file, OpenFlags.RDWR, 0600);
    int result = Libc.fallocate(fd, 0, 0, byteCount);
    int errno = result == 0 ? 0 : Native.getLastError();
    Files2.closeSync(fd);
    assertThat(errno).isIn(0, Errno.ENOSPC);
    return result == 0;
  }

  /** Brings everything to the disk, so that free blocks can be counted. */
  void sync() {
    run("sync", "-f", root().toString());
  }

  /** Returns how many bytes are free. */
  long freeBytes() throws IOException {
    sync();
    return Files.getFileStore(root()).getUnallocatedSpace();
  }

  private void undoAll() {
    while (!undo.isEmpty()) {
      Path folder = undo.pop();
      try {
        run("umount", folder.toString());
      } catch (AssertionError e) {
        run("umount", "--lazy", folder.toString()); // nothing stays, but busy is a leak
        throw e;
      }
    }
    try (Stream<Path> files = Files.walk(base)) {
      files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    Runtime.getRuntime().removeShutdownHook(hook);
    undoAll();
  }

  @Override
  public String toString() {
    return kind;
  }
}
