package io.github.files2;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Map;
import java.util.Objects;

/**
 * Where an atomic write goes: the end of all links, which are followed by hand so that the
 * temporary file can be made beside it. For what the shim does not write: the twin of spot.c.
 * Immutable.
 *
 * @param file the end of all links
 * @param old what the regular file that is there looked like, {@code null} for none: read once, so
 *     that one who deletes it meanwhile makes no difference
 */
record AtomicTarget(Path file, Old old) {
  private static final int MAX_LINKS = 40; // as in the kernel
  private static final int PERMISSION_BITS = 07777;
  private static final int SET_ID_BITS = 06000;
  private static final int GROUP_BITS = 0070;

  /** What the new file takes from the old one; without a mode where the file system has none. */
  record Old(boolean hasMode, int mode, int uid, int gid) {
    private static final Old PLAIN = new Old(false, 0, 0, 0);

    /**
     * Returns the mode for a new file that is not the owner's, or not the group's, of the old one:
     * it must not run with other rights, nor open to another group what the old one had.
     */
    int modeFor(boolean hasOwner, boolean hasGroup) {
      int kept = mode & PERMISSION_BITS;
      if (!hasOwner || !hasGroup) {
        kept &= ~SET_ID_BITS;
      }
      return hasGroup ? kept : kept & (~GROUP_BITS | kept << 3);
    }
  }

  /**
   * Finds the target of {@code file} and refuses what can't be replaced.
   *
   * @param isExclusive nothing may be there, not even a link
   */
  static AtomicTarget of(Path file, boolean isExclusive) throws IOException {
    String name = file.toString();
    BasicFileAttributes found = look(file, AtomicStep.LOOK, name, LinkOption.NOFOLLOW_LINKS);
    if (found != null && isExclusive) {
      throw AtomicStep.REFUSE.exception(Errno.EEXIST, name);
    }
    Path end = file;
    if (found != null && found.isSymbolicLink()) {
      // Asking the kernel also applies its rules for links in folders like /tmp.
      BasicFileAttributes through = look(file, AtomicStep.FOLLOW, name);
      refuseSpecial(through, name);
      for (int links = 0; found != null && found.isSymbolicLink(); links++) {
        if (links == MAX_LINKS) {
          throw AtomicStep.FOLLOW.exception(Errno.ELOOP, name);
        }
        end = end.resolveSibling(readLink(end, name));
        found = look(end, AtomicStep.LOOK, name, LinkOption.NOFOLLOW_LINKS);
      }
      // A link in /proc may lead to what its text does not name.
      if (through != null
          && (found == null || !Objects.equals(found.fileKey(), through.fileKey()))) {
        throw AtomicStep.FOLLOW.exception(Errno.ESTALE, name);
      }
    }
    refuseSpecial(found, name);
    return new AtomicTarget(end, found == null ? null : lookCloser(end, name));
  }

  /** Returns what is to be kept of {@code file}, {@code null} where it is gone by now. */
  private static Old lookCloser(Path file, String name) throws IOException {
    if (!file.getFileSystem().supportedFileAttributeViews().contains("unix")) {
      return Old.PLAIN;
    }
    try {
      Map<String, Object> found =
          Files.readAttributes(file, "unix:mode,uid,gid", LinkOption.NOFOLLOW_LINKS);
      return new Old(
          true,
          (Integer) found.get("mode"),
          (Integer) found.get("uid"),
          (Integer) found.get("gid"));
    } catch (NoSuchFileException e) {
      return null;
    } catch (IOException e) {
      throw AtomicStep.LOOK.exception(e, name);
    }
  }

  boolean exists() {
    return old != null;
  }

  private static Path readLink(Path link, String name) throws IOException {
    try {
      return Files.readSymbolicLink(link);
    } catch (IOException e) {
      throw AtomicStep.FOLLOW.exception(e, name);
    }
  }

  /** Returns what is there, {@code null} for nothing. */
  private static BasicFileAttributes look(
      Path file, AtomicStep step, String name, LinkOption... options) throws IOException {
    try {
      return Files.readAttributes(file, BasicFileAttributes.class, options);
    } catch (NoSuchFileException e) {
      return null;
    } catch (IOException e) {
      throw step.exception(e, name);
    }
  }

  private static void refuseSpecial(BasicFileAttributes found, String name) throws IOException {
    if (found != null && found.isDirectory()) {
      throw AtomicStep.REFUSE.exception(Errno.EISDIR, name);
    }
    if (found != null && !found.isRegularFile()) {
      throw AtomicStep.REFUSE.exception(Errno.EINVAL, name);
    }
  }

  /** Returns the folder that the target is in. */
  Path folder() {
    Path parent = file.getParent();
    return parent == null ? file.getFileSystem().getPath(".") : parent;
  }
}
