package io.github.files2;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.UserDefinedFileAttributeView;

/**
 * Atomic writes by the JDK's own means: the order of atomic.c as far as the JDK goes. It sees no
 * ACL, no label and no lock.
 */
final class NioAtomicWriter {
  private static final int NEW_FILE = OpenFlags.WRONLY | OpenFlags.CREAT | OpenFlags.EXCL;
  private static final int PERMISSION_BITS = 07777;
  private static final int SET_ID_BITS = 06000;

  private final WritePlan plan;
  private final String name;
  private final AtomicTarget target;

  /** Beside the target; {@code null} once it has its name, and before it is there. */
  private Path temp;

  private NioAtomicWriter(Path file, WritePlan plan) throws IOException {
    this.plan = plan;
    this.name = file.toString();
    this.target = AtomicTarget.of(file, plan.isExclusive());
  }

  static long write(Path file, Pieces pieces, WritePlan plan) throws IOException {
    return new NioAtomicWriter(file, plan).write(pieces);
  }

  private boolean isDurable() {
    return plan.flush != WritePlan.FLUSH_NONE;
  }

  private long write(Pieces pieces) throws IOException {
    long written;
    try {
      written = complete(pieces);
      publish();
    } catch (Throwable e) { // what the JDK throws undeclared, too
      removeAfter(e);
      throw e;
    }
    if (temp != null) {
      removeLinked();
    }
    if (isDurable() && knows("posix")) {
      syncFolder();
    }
    return written;
  }

  private boolean knows(String view) {
    return target.file().getFileSystem().supportedFileAttributeViews().contains(view);
  }

  // --- The temporary file

  private long complete(Pieces pieces) throws IOException {
    NioFile opened = create();
    long written;
    try {
      written = fill(opened, pieces);
      if (target.exists()) {
        copyMetadata();
      }
      if (isDurable()) {
        sync(opened);
      }
    } catch (Throwable e) {
      closeAfter(opened, e);
      throw e;
    }
    try {
      opened.close();
    } catch (IOException e) {
      throw AtomicStep.CLOSE.exception(e, name);
    }
    return written;
  }

  private NioFile create() throws IOException {
    int mode = target.exists() ? 0600 : plan.mode;
    for (int tries = 1; ; tries++) {
      Path made = target.file().resolveSibling(TempName.next());
      try {
        NioFile opened = NioFile.open(made, NEW_FILE, mode, isDurable());
        temp = made;
        return opened;
      } catch (FileAlreadyExistsException e) {
        if (tries == TempName.MAX_TRIES) {
          throw AtomicStep.CREATE.exception(e, name);
        }
      } catch (IOException e) {
        temp = made; // it may be there all the same
        throw AtomicStep.CREATE.exception(e, name);
      }
    }
  }

  private long fill(NioFile opened, Pieces pieces) throws IOException {
    try {
      return opened.write(pieces);
    } catch (IOException e) {
      throw AtomicStep.WRITE.exception(e, name);
    }
  }

  private void sync(NioFile opened) throws IOException {
    try {
      opened.sync(WritePlan.FLUSH_FULL); // the mode has to be there too
    } catch (IOException e) {
      throw AtomicStep.SYNC.exception(e, name);
    }
  }

  private static void closeAfter(NioFile opened, Throwable first) {
    try {
      opened.close();
    } catch (IOException later) {
      first.addSuppressed(later);
    }
  }

  private void removeAfter(Throwable first) {
    try {
      if (temp != null) {
        Files.deleteIfExists(temp);
      }
    } catch (IOException later) {
      first.addSuppressed(later);
    }
  }

  // --- Metadata

  private void copyMetadata() throws IOException {
    boolean isOwnerRefused = knows("unix") && !copyOwner();
    copyUserAttributes();
    copyMode(isOwnerRefused);
  }

  /** Returns whether the file has its old owner and group. */
  private boolean copyOwner() throws IOException {
    boolean hasGroup = copyAttribute("unix:gid");
    return copyAttribute("unix:uid") && hasGroup;
  }

  /** Returns whether it is equal now: a user may not give files away. */
  private boolean copyAttribute(String attribute) throws IOException {
    try {
      Object old = Files.getAttribute(target.file(), attribute, LinkOption.NOFOLLOW_LINKS);
      if (!old.equals(Files.getAttribute(temp, attribute))) {
        Files.setAttribute(temp, attribute, old);
      }
      return true;
    } catch (IOException e) {
      if (NioFailure.isRefusal(e)) {
        return false;
      }
      throw AtomicStep.OWNER.exception(e, name);
    }
  }

  private void copyMode(boolean isOwnerRefused) throws IOException {
    try {
      if (knows("unix")) {
        int old = (Integer) Files.getAttribute(target.file(), "unix:mode");
        // Another owner's file must not run with that owner's rights.
        int dropped = isOwnerRefused ? SET_ID_BITS : 0;
        int wanted = old & PERMISSION_BITS & ~dropped;
        // A file system without modes refuses what it has given already.
        int given = (Integer) Files.getAttribute(temp, "unix:mode") & PERMISSION_BITS;
        if (given != wanted) {
          Files.setAttribute(temp, "unix:mode", wanted);
        }
      } else if (knows("posix")) {
        Files.setPosixFilePermissions(temp, Files.getPosixFilePermissions(target.file()));
      }
    } catch (IOException e) {
      throw AtomicStep.MODE.exception(e, name);
    }
  }

  private void copyUserAttributes() throws IOException {
    UserDefinedFileAttributeView from = userView(target.file());
    UserDefinedFileAttributeView to = userView(temp);
    if (from == null || to == null) {
      return;
    }
    try {
      for (String attribute : from.list()) {
        ByteBuffer value = ByteBuffer.allocate(from.size(attribute));
        from.read(attribute, value);
        to.write(attribute, value.flip());
      }
    } catch (IOException e) {
      if (!NioFailure.isUnsupported(e)) {
        throw AtomicStep.ATTRIBUTES.exception(e, name);
      }
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      // JDK 17 lets its own UnixException out, which is checked and not declared.
      throw AtomicStep.ATTRIBUTES.exception(new IOException(e.getMessage(), e), name);
    }
  }

  private static UserDefinedFileAttributeView userView(Path file) {
    return Files.getFileAttributeView(file, UserDefinedFileAttributeView.class);
  }

  // --- Publishing

  private void publish() throws IOException {
    try {
      if (plan.isExclusive()) {
        publishExclusively();
      } else {
        Files.move(
            temp,
            target.file(),
            StandardCopyOption.ATOMIC_MOVE,
            StandardCopyOption.REPLACE_EXISTING);
        temp = null;
      }
    } catch (IOException e) {
      throw AtomicStep.PUBLISH.exception(e, name);
    }
  }

  private void publishExclusively() throws IOException {
    try {
      Files.createLink(target.file(), temp); // a move would replace what came meanwhile
    } catch (UnsupportedOperationException e) {
      // A zip file has no links, and its moves are made by one thread at a time.
      Files.move(temp, target.file());
      temp = null;
    }
  }

  private void removeLinked() throws IOException {
    try {
      Files.deleteIfExists(temp);
    } catch (IOException e) {
      throw AtomicStep.TIDY.exception(e, name);
    }
  }

  /** Makes the new name durable; an interrupt neither stops it nor is lost. */
  private void syncFolder() throws IOException {
    if (target.file().getFileSystem() != FileSystems.getDefault()) {
      return; // what is no disk has nothing to sync
    }
    boolean isInterrupted = Thread.interrupted();
    try {
      while (!forceFolder()) {
        isInterrupted |= Thread.interrupted();
      }
    } catch (IOException e) {
      if (!NioFailure.isUnsupported(e)) {
        throw AtomicStep.SYNC_FOLDER.exception(e, name);
      }
    } finally {
      if (isInterrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Returns false where an interrupt has closed the channel. */
  private boolean forceFolder() throws IOException {
    try (FileChannel folder = FileChannel.open(target.folder(), StandardOpenOption.READ)) {
      folder.force(true);
      return true;
    } catch (ClosedByInterruptException e) {
      return false;
    }
  }
}
