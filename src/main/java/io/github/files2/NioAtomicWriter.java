package io.github.files2;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
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
    // What is no disk has nothing to sync.
    boolean syncsFolder =
        isDurable() && knows("posix") && target.file().getFileSystem() == FileSystems.getDefault();
    FileChannel folder = syncsFolder ? openFolder() : null;
    try {
      long written = replace(pieces);
      IOException failure = temp == null ? null : removeLinked();
      if (folder != null) {
        syncFolderAfter(failure, folder);
      }
      if (failure != null) {
        throw failure;
      }
      return written;
    } finally {
      closeFolder(folder);
    }
  }

  private static void closeFolder(FileChannel folder) {
    try {
      if (folder != null) {
        folder.close();
      }
    } catch (IOException e) {
      // A folder's close holds nothing back.
    }
  }

  private long replace(Pieces pieces) throws IOException {
    try {
      long written = complete(pieces);
      publish();
      return written;
    } catch (Throwable e) { // what the JDK throws undeclared, too
      removeAfter(e);
      throw e;
    }
  }

  /** Opens the folder before anything is done: one that can't be synced is refused. */
  private FileChannel openFolder() throws IOException {
    try {
      return FileChannel.open(target.folder(), StandardOpenOption.READ);
    } catch (IOException e) {
      if (NioFailure.isUnsupported(e)) {
        return null;
      }
      throw AtomicStep.OPEN_FOLDER.exception(e, name);
    }
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
    AtomicTarget.Old old = target.old();
    boolean hasGroup = !old.hasMode() || copyNumber("unix:gid", old.gid());
    boolean hasOwner = !old.hasMode() || copyNumber("unix:uid", old.uid());
    copyUserAttributes();
    try {
      if (old.hasMode()) {
        copyMode(old.modeFor(hasOwner, hasGroup));
      } else if (knows("posix")) {
        Files.setPosixFilePermissions(temp, Files.getPosixFilePermissions(target.file()));
      }
    } catch (IOException e) {
      throw AtomicStep.MODE.exception(e, name);
    }
  }

  /** Returns whether it is equal now: a user may not give files away. */
  private boolean copyNumber(String attribute, int old) throws IOException {
    try {
      if (!Files.getAttribute(temp, attribute).equals(old)) {
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

  private void copyMode(int wanted) throws IOException {
    // A file system without modes refuses what it has given already.
    int given = (Integer) Files.getAttribute(temp, "unix:mode") & PERMISSION_BITS;
    if (given != wanted) {
      Files.setAttribute(temp, "unix:mode", wanted);
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
      // What is gone, or not this user's to read, can't be kept.
      int errno = NioFailure.errnoOf(e);
      boolean isHidden = errno == Errno.ENOENT || errno == Errno.EACCES;
      if (!isHidden && !NioFailure.isUnsupported(e)) {
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

  /** Returns what fails, or {@code null}. */
  private IOException removeLinked() {
    try {
      Files.deleteIfExists(temp);
      return null;
    } catch (IOException e) {
      return AtomicStep.TIDY.exception(e, name);
    }
  }

  /** The content has its name, which is to be durable whatever else went wrong. */
  private void syncFolderAfter(IOException failure, FileChannel folder) throws IOException {
    try {
      syncFolder(folder);
    } catch (IOException e) {
      if (failure == null) {
        throw e;
      }
      failure.addSuppressed(e);
    }
  }

  /** Makes the new name durable; an interrupt neither stops it nor is lost. */
  private void syncFolder(FileChannel opened) throws IOException {
    boolean isInterrupted = Thread.interrupted();
    try {
      if (!force(opened)) {
        isInterrupted |= Thread.interrupted();
        while (!forceFolder()) {
          isInterrupted |= Thread.interrupted();
        }
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

  private boolean forceFolder() throws IOException {
    try (FileChannel folder = FileChannel.open(target.folder(), StandardOpenOption.READ)) {
      return force(folder);
    }
  }

  /** Returns false where an interrupt has closed the channel. */
  private static boolean force(FileChannel folder) throws IOException {
    try {
      folder.force(true);
      return true;
    } catch (ClosedByInterruptException e) {
      return false;
    }
  }
}
