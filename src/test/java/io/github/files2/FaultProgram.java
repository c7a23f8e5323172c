package io.github.files2;

import io.github.files2.SyscallFaults.Syscall;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Does each {@link FaultJob} again and again while one system call fails: each call that can be,
 * each time it is made, in each way, once and from then on. Checks what the caller is told and what
 * the file holds. Arguments: the library, an empty folder. Prints what is wrong, and how many runs
 * there were.
 */
final class FaultProgram {
  /** A call that fails for good does it so often: EINTR is tried again and again. */
  private static final int FOR_GOOD = 50;

  private static final int MOST_CALLS = 60;
  private static final int MOST_WRONGS = 40;
  private static final int EIO = 5;
  private static final int EMFILE = 24;
  private static final int[] ERRNOS = {
    Errno.EINTR, Errno.EAGAIN, Errno.ENOSPC, Errno.EDQUOT, EIO, Errno.EFBIG, Errno.EROFS, EMFILE
  };

  /** What a write moves at most: nothing, a byte, and less than a piece. */
  private static final long[] SHORT_COUNTS = {0, 1, 7, 4096, 70_000};

  private static final Pattern BYTES_WRITTEN = Pattern.compile(" after (\\d+) bytes");

  /** What kernels, file systems and filters answer that do not know renameat2(2). */
  private static final List<Integer> NOT_KNOWN = List.of(Errno.ENOSYS, Errno.EINVAL, Errno.EPERM);

  private final SyscallFaults faults;
  private final Path file;

  private final boolean isNative;

  /** Every answer at every call, which takes minutes. */
  private final boolean triesAll = Boolean.getBoolean("files2.full");

  private final List<String> wrongs = new ArrayList<>();
  private long runs;
  private long faultCount;

  private FaultProgram(Path library, Path folder) {
    isNative = !System.getProperty("files2.backend").equals("nio");
    file = folder.resolve("file");
    faults = new SyscallFaults(library, folder);
  }

  public static void main(String[] args) throws IOException {
    FaultProgram program = new FaultProgram(Path.of(args[0]), Path.of(args[1]).toRealPath());
    for (FaultJob job : FaultJob.all()) {
      for (Syscall call : Syscall.values()) {
        program.tryAll(job, call);
      }
    }
    program.wrongs.stream().limit(MOST_WRONGS).forEach(System.out::println);
    System.out.printf(
        "%d runs, %d faults, %d wrong%n", program.runs, program.faultCount, program.wrongs.size());
  }

  private void tryAll(FaultJob job, Syscall call) throws IOException {
    if (!tryOnce(job, call, 1, 1, -ERRNOS[0])) {
      return; // the job does not make this call
    }
    for (int errno : ERRNOS) {
      tryEachTime(job, call, -errno);
    }
    if (call == Syscall.RENAMEAT2) {
      for (int errno : NOT_KNOWN) {
        tryEachTime(job, call, -errno);
      }
    }
    if (call.writes()) {
      for (long count : SHORT_COUNTS) {
        tryEachTime(job, call, count);
      }
    }
  }

  private void tryEachTime(FaultJob job, Syscall call, long answer) throws IOException {
    for (int times : new int[] {1, FOR_GOOD}) {
      int nth = 1;
      // What the first two did not show, the rest shows with few answers as well as with all.
      boolean isFew = answer == -Errno.ENOSPC || answer == -Errno.EINTR || answer == 7;
      while (nth <= (isFew || triesAll ? MOST_CALLS : 2)
          && tryOnce(job, call, nth, times, answer)) {
        nth++;
      }
    }
  }

  /** Returns whether the fault came. */
  private boolean tryOnce(FaultJob job, Syscall call, int nth, int times, long answer)
      throws IOException {
    removeLeftovers();
    job.prepare(file);
    List<String> openBefore = openFiles();
    long written = -1;
    IOException failure = null;
    faults.arm(call, nth, times, answer);
    try {
      written = job.write(file);
    } catch (IOException e) {
      failure = e;
    } catch (RuntimeException e) {
      // From the JDK's own streams, where a write takes nothing and says no more.
      if (!isByJdk(job) || !takesNothing(answer)) {
        throw e;
      }
      failure = new FileSystemException(file.toString(), null, e.getMessage());
    } finally {
      long fired = faults.disarm();
      runs++;
      faultCount += fired;
      if (fired == 0) {
        times = 0;
      }
    }
    String run = String.format("%s, %s %d x %d is %d: ", job.name, call, nth, times, answer);
    if (failure == null) {
      // What an atomic write closes after the file is the folder, or on nio attributes that were
      // read: they hold nothing back.
      boolean isFolders = job.kind == FaultJob.Kind.IS_ATOMIC && nth >= 2;
      checkSuccess(job, call, answer, times > 0, isFolders, written, run);
    } else {
      checkFailure(job, call, answer, times > 0, failure, run);
    }
    check(
        openFiles().equals(openBefore), run + "open before and after: " + openBefore + openFiles());
    job.close();
    check(job.isWhole(file), run + "an attribute is lost");
    try (Stream<Path> left = Files.list(file.getParent())) {
      // The JDK looks at what it deletes.
      boolean mayBeLeft = times > 0 && (call.removes() || isRemovalOfNio(call));
      check(mayBeLeft || left.allMatch(file::equals), run + "something is left beside the file");
    }
    if (failure != null) {
      checkNextWrite(job, run);
    }
    return times > 0;
  }

  /** Tells whether the JDK's own method does the job, and throws its own exceptions. */
  private boolean isByJdk(FaultJob job) {
    return !isNative && job.isJavaNio();
  }

  /** The JDK, which only the shim does without here, says of no sync why it failed. */
  private static boolean isSyncedByJdk(FaultJob job, Syscall call) {
    boolean isShim = Files2.backendReport().startsWith("lane: shim");
    return call.syncs() && job.name.startsWith("FileDescriptor") && !isShim;
  }

  private boolean isNative(FaultJob job) {
    return isNative && !job.isCharset();
  }

  /** On nio EAGAIN is the same as nothing taken: the JDK does not tell one from the other. */
  private static boolean takesNothing(long answer) {
    return answer == 0 || answer == -Errno.EAGAIN;
  }

  private void checkSuccess(
      FaultJob job,
      Syscall call,
      long answer,
      boolean hasFired,
      boolean isFolders,
      long written,
      String run)
      throws IOException {
    check(written == job.added.length, run + "returned " + written);
    byte[] content = Files.readAllBytes(file);
    check(Arrays.equals(content, job.contentAfter(job.added.length)), run + "wrong content");
    if (hasFired && !(isFolders && call == Syscall.CLOSE)) {
      check(mayBeOvercome(job, call, answer), run + "was not reported");
    }
  }

  /** Tells whether a write may go well although {@code call} did not. */
  private static boolean mayBeOvercome(FaultJob job, Syscall call, long answer) {
    if (call.writes()) {
      // The JDK's stream of a descriptor tries again where nothing was taken.
      boolean isOvercome = answer > 0 || (answer == 0 && job.name.startsWith("FileDescriptor"));
      return isOvercome || answer == -Errno.EINTR || answer == -Errno.EAGAIN;
    }
    if (call == Syscall.RENAMEAT2 && NOT_KNOWN.contains((int) -answer)) {
      return true; // there is a second way
    }
    boolean isVital =
        call.renames()
            || call.opens()
            || call.syncs()
            || call.isOnAttributes()
            || call == Syscall.FTRUNCATE
            || call == Syscall.FCNTL
            || call == Syscall.CLOSE;
    return !isVital || answer == -Errno.EINTR;
  }

  private void checkFailure(
      FaultJob job, Syscall call, long answer, boolean hasFired, IOException failure, String run)
      throws IOException {
    String said = run + failure;
    check(hasFired, said + " without any fault");
    String message = String.valueOf(failure.getMessage());
    if (isByJdk(job)) {
      String text = Errno.describe((int) -Math.min(answer, 0)).replaceAll(".*\\(|\\).*", "");
      check(takesNothing(answer) || message.contains(text), said + " does not say " + text);
    } else {
      check(failure instanceof FileSystemException, said + " is of no file");
      boolean isKnown =
          answer < 0 && (isNative(job) || !takesNothing(answer)) && !isSyncedByJdk(job, call);
      String text = isKnown ? Errno.describe((int) -answer) : "";
      check(message.contains(text), said + " does not say " + text);
      boolean namesIt = message.contains(file.toString()) || job.name.contains("escriptor");
      check(namesIt, said + " does not name the file");
    }
    int written = bytesWritten(failure);
    byte[] content = Files.exists(file) ? Files.readAllBytes(file) : null;
    check(isAllowed(job, call, written, content), said + " left " + describe(content));
  }

  /** Where all was written before the failure, only the message has the number. */
  private static int bytesWritten(IOException failure) {
    if (failure instanceof PartialWriteException partial) {
      return (int) partial.bytesWritten();
    }
    Matcher number = BYTES_WRITTEN.matcher(String.valueOf(failure.getMessage()));
    return number.find() ? Integer.parseInt(number.group(1)) : 0;
  }

  private boolean isAllowed(FaultJob job, Syscall call, int written, byte[] content) {
    if (Arrays.equals(content, job.old) && (written == 0 || written == job.added.length)) {
      // All that was not begun; and what is equal before and after.
      return written == 0 || Arrays.equals(content, job.contentAfter(written));
    }
    if (content == null) {
      return false;
    }
    if (isByJdk(job)) {
      // How far it got it does not say, and its writer's close tries the failed piece again.
      return content.length <= job.added.length;
    }
    if (job.kind == FaultJob.Kind.IS_ATOMIC) {
      // What is told after the new file has its name.
      boolean isLate =
          call.syncs() || call == Syscall.CLOSE || call.removes() || isRemovalOfNio(call);
      return Arrays.equals(content, isLate ? job.added : job.old)
          || Arrays.equals(content, job.old);
    }
    boolean isEmptied = written == 0 && job.kind != FaultJob.Kind.APPENDS;
    boolean staysInPlace = isNative(job) && job.kind == FaultJob.Kind.REPLACES && job.old != null;
    boolean isLate = call.syncs() || call == Syscall.CLOSE || call == Syscall.FTRUNCATE;
    if (Arrays.equals(content, job.contentAfter(written))
        && !(isEmptied && staysInPlace && !isLate)) {
      return true;
    }
    if (isLate && Arrays.equals(content, job.contentAfter(job.added.length))) {
      return written == 0 || written == job.added.length;
    }
    return call == Syscall.FTRUNCATE && staysInPlace && isOldTail(job, written, content);
  }

  /** Where the cut itself fails, the end of the old content stays. */
  private static boolean isOldTail(FaultJob job, int written, byte[] content) {
    byte[] expected = job.old.clone();
    if (written > expected.length) {
      return false;
    }
    System.arraycopy(job.added, 0, expected, 0, written);
    return Arrays.equals(content, expected);
  }

  /** The lane must not be worse for it. */
  private void checkNextWrite(FaultJob job, String run) {
    try {
      job.prepare(file);
      long written = job.write(file);
      job.close();
      checkSuccess(job, Syscall.OPEN, 0, false, false, written, run + "then: ");
    } catch (IOException e) {
      check(false, run + "then: " + e);
    }
  }

  private boolean isRemovalOfNio(Syscall call) {
    return !isNative && (call == Syscall.STATX || call == Syscall.NEWFSTATAT);
  }

  /** Those of the run before, whose removal had to fail. */
  private void removeLeftovers() throws IOException {
    try (DirectoryStream<Path> left =
        Files.newDirectoryStream(file.getParent(), TempName.PREFIX + "*")) {
      for (Path path : left) {
        Files.delete(path);
      }
    }
  }

  private List<String> openFiles() throws IOException {
    try (Stream<Path> fds = Files.list(Path.of("/proc/self/fd"))) {
      return fds.filter(fd -> isOnFile(fd)).map(Path::toString).sorted().toList();
    }
  }

  private boolean isOnFile(Path fd) {
    try {
      return Files.readSymbolicLink(fd).startsWith(file.getParent());
    } catch (IOException e) {
      return false; // the one that lists the folder
    }
  }

  private void check(boolean holds, String what) {
    if (!holds) {
      wrongs.add(what);
    }
  }

  private static String describe(byte[] content) {
    return content == null
        ? "no file"
        : content.length
            + " bytes, "
            + new String(content, 0, Math.min(20, content.length), StandardCharsets.UTF_8);
  }
}
