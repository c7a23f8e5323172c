package io.github.files2;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Does again on a {@link DiskModel} what system calls of a trace did in one folder. */
final class CallReplay {
  private static final Pattern FD = Pattern.compile("^(\\d+)<([^>]*)>.*");
  private static final Pattern NAME = Pattern.compile("\"([^\"]*)\"");
  private static final Pattern LAST_NUMBER = Pattern.compile(".*, (\\d+)$");

  /** What changes nothing on the disk that the model knows. */
  private static final List<String> IGNORED =
      List.of(
          "statx",
          "newfstatat",
          "fstat",
          "fstatfs",
          "flock",
          "fchmod",
          "fchown",
          "listxattr",
          "flistxattr",
          "access",
          "readlink",
          "readlinkat",
          "lseek",
          "getxattr",
          "fsetxattr");

  private final DiskModel disk;
  private final Path folder;
  private final byte[] written;
  private final Map<Integer, OpenFile> open = new HashMap<>();

  /** An open file description of open(2). */
  private static final class OpenFile {
    /** {@code null} for the folder. */
    private final DiskModel.Inode inode;

    private final boolean isSync;
    private int offset;

    OpenFile(DiskModel.Inode inode, boolean isSync) {
      this.inode = inode;
      this.isSync = isSync;
    }
  }

  /**
   * Makes one.
   *
   * @param written what the calls write, from the start of the file on: a trace has no bytes
   */
  CallReplay(DiskModel disk, Path folder, byte[] written) {
    this.disk = disk;
    this.folder = folder;
    this.written = written;
  }

  void replay(TracedJvm.Call call) {
    String arguments = call.arguments();
    if (call.result().startsWith("-")) {
      return;
    }
    switch (call.name()) {
      case "open", "openat" -> open(arguments, call.result());
      case "close" -> open.remove(fd(arguments));
      case "fcntl" -> {
        if (arguments.contains("F_DUPFD")) {
          open.put(fd(call.result()), open.get(fd(arguments)));
        }
      }
      case "write" -> write(open.get(fd(arguments)), Integer.parseInt(call.result()));
      case "ftruncate" -> disk.truncate(open.get(fd(arguments)).inode, lastNumber(arguments));
      case "fsync", "fdatasync" -> sync(open.get(fd(arguments)));
      case "rename", "renameat", "renameat2" -> {
        List<String> names = names(arguments);
        disk.rename(names.get(0), names.get(1));
      }
      case "link", "linkat" -> {
        List<String> names = names(arguments);
        disk.link(disk.find(names.get(0)), names.get(1));
      }
      case "unlink", "unlinkat" -> disk.unlink(names(arguments).get(0));
      case "fallocate" -> {
        if (!arguments.contains("FALLOC_FL_KEEP_SIZE")) {
          throw new AssertionError(call);
        }
      }
      default -> {
        if (!IGNORED.contains(call.name())) {
          throw new AssertionError("what does it do? " + call);
        }
      }
    }
  }

  private void open(String arguments, String result) {
    Matcher opened = FD.matcher(result);
    if (!opened.matches()) {
      throw new AssertionError(result);
    }
    int fd = Integer.parseInt(opened.group(1));
    if (opened.group(2).equals(folder.toString())) {
      open.put(fd, new OpenFile(null, false));
      return;
    }
    String name = names(arguments).get(0);
    DiskModel.Inode inode = disk.find(name);
    if (inode == null) {
      inode = disk.create(name);
    } else if (arguments.contains("O_TRUNC")) {
      disk.truncate(inode, 0);
    }
    boolean isSync = arguments.contains("O_SYNC") || arguments.contains("O_DSYNC");
    open.put(fd, new OpenFile(inode, isSync));
  }

  private void write(OpenFile file, int count) {
    int end = file.offset + count;
    disk.write(file.inode, file.offset, Arrays.copyOfRange(written, file.offset, end));
    file.offset = end;
    if (file.isSync) {
      disk.sync(file.inode);
    }
  }

  private void sync(OpenFile file) {
    if (file.inode == null) {
      disk.syncFolder();
    } else {
      disk.sync(file.inode);
    }
  }

  private static int fd(String text) {
    Matcher matcher = FD.matcher(text);
    if (!matcher.matches()) {
      throw new AssertionError("no descriptor: " + text);
    }
    return Integer.parseInt(matcher.group(1));
  }

  private static int lastNumber(String arguments) {
    Matcher matcher = LAST_NUMBER.matcher(arguments);
    if (!matcher.matches()) {
      throw new AssertionError("no number: " + arguments);
    }
    return Integer.parseInt(matcher.group(1));
  }

  /** Returns the names of the files, without their folder. */
  private static List<String> names(String arguments) {
    return NAME.matcher(arguments)
        .results()
        .map(result -> result.group(1))
        .map(path -> path.substring(path.lastIndexOf('/') + 1))
        .toList();
  }
}
