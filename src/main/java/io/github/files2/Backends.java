package io.github.files2;

import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Picks the lane, once, and keeps why others were passed over.
 *
 * <p>Loading JNA costs more than many a program's whole run, so path writes begin on the nio lane
 * and a daemon thread prepares the native lane once they have taken {@link #RENT_NANOS} in all:
 * rent until the rent equals the price. Nobody pays more than twice the best. Safe for use by many
 * threads.
 */
final class Backends {
  /** About what preparing a native lane costs, in nanoseconds. */
  private static final long RENT_NANOS = 100_000_000;

  private static final NioBackend NIO = new NioBackend();

  /** The lane for the default file system; {@code null} until it is prepared. */
  private static volatile Backend prepared;

  private static final AtomicLong PAID_NANOS = new AtomicLong();

  /** 1 once the preparing thread was started. AtomicBoolean would load half of the VarHandles. */
  private static final AtomicInteger RENTS_ENDED = new AtomicInteger();

  /** Why lanes were passed over, a line each; written before {@link #prepared}. */
  private static List<String> reasons = List.of();

  /** What a native lane takes: nothing of another file system, nor relative to another folder. */
  private static FileSystem nativeFileSystem;

  private static boolean takesRelativePaths;

  private Backends() {}

  static NioBackend nio() {
    return NIO;
  }

  /** Returns the lane for {@code file} as things are now, without waiting for a better one. */
  static Backend forPath(Path file) {
    Backend backend = current();
    return backend == NIO || !isNative(file) ? NIO : backend;
  }

  /** Returns the lane for {@code file}, prepared now if need be. */
  static Backend preparedForPath(Path file) {
    Backend backend = preparedLane();
    return backend == NIO || !isNative(file) ? NIO : backend;
  }

  /** Returns the lane for descriptors, prepared now if need be. */
  static Backend preparedLane() {
    Backend backend = prepared;
    return backend == null ? prepare() : backend;
  }

  /** Returns the lane that has {@code fd} open. */
  static Backend forDescriptor(int fd) {
    return Descriptors.ownerOr(fd, preparedLane());
  }

  /** Returns the lane for what any lane can do without a path, as things are now. */
  static Backend current() {
    Backend backend = prepared;
    if (backend == null) {
      backend = forced();
    }
    return backend == null ? NIO : backend;
  }

  private static boolean isNative(Path file) {
    return file.getFileSystem() == nativeFileSystem
        && (takesRelativePaths || file.isAbsolute())
        && !hasSecurityManager();
  }

  /** A native lane would pass by its checks. */
  @SuppressWarnings("removal")
  private static boolean hasSecurityManager() {
    return System.getSecurityManager() != null;
  }

  /** Prepares the lane that the property names; {@code null} where none is named. */
  private static Backend forced() {
    return System.getProperty(Settings.BACKEND) == null ? null : prepare();
  }

  // --- Renting

  /** Returns when a path write began on the nio lane, or 0 where nobody counts any more. */
  static long rentFrom() {
    return prepared == null ? System.nanoTime() | 1 : 0;
  }

  /** Adds what the write cost that began at {@code from}. */
  static void payRent(long from) {
    if (from == 0 || prepared != null) {
      return;
    }
    long paid = PAID_NANOS.addAndGet(Math.max(0, System.nanoTime() - from));
    if (paid >= RENT_NANOS && RENTS_ENDED.compareAndSet(0, 1)) {
      startPreparing();
    }
  }

  private static void startPreparing() {
    try {
      Preparer preparer = new Preparer();
      preparer.setDaemon(true);
      preparer.start();
    } catch (OutOfMemoryError e) {
      // No thread to be had, and no reason to fail a write that is done: another rent, another try.
      PAID_NANOS.set(0);
      RENTS_ENDED.set(0);
    }
  }

  /** Prepares the native lane beside the program. */
  private static final class Preparer extends Thread {
    Preparer() {
      super(null, null, "files2-prepare", 0, false);
    }

    @Override
    public void run() {
      prepare();
    }
  }

  // --- Preparing

  private static synchronized Backend prepare() {
    Backend backend = prepared;
    if (backend == null) {
      String forced = System.getProperty(Settings.BACKEND, "");
      List<String> why = new ArrayList<>();
      backend =
          switch (forced) {
            case "" -> best(why);
            case "shim", "libc" -> demanded(forced, why);
            case "nio" -> {
              why.add("shim, libc: -D" + Settings.BACKEND + "=nio");
              yield NIO;
            }
            default ->
                throw new IllegalStateException(
                    Settings.BACKEND + "=" + forced + " is not one of shim, libc, nio");
          };
      reasons = List.copyOf(why);
      NIO.setWhyAlone(String.join("; ", why));
      prepared = backend;
    }
    return backend;
  }

  private static Backend best(List<String> why) {
    for (String lane : new String[] {"shim", "libc"}) {
      Backend backend = tryToLoad(lane, why);
      if (backend != null) {
        return backend;
      }
    }
    return NIO;
  }

  private static Backend demanded(String lane, List<String> why) {
    Backend backend = tryToLoad(lane, why);
    if (backend == null) {
      throw new IllegalStateException(
          Settings.BACKEND + "=" + lane + " can't be had: " + String.join("; ", why));
    }
    return backend;
  }

  /**
   * Loads a lane. JNA fails in many ways, some a plain {@code Error} (its version clash) or a
   * {@code RuntimeException} (native access denied): whatever it is, it is a reason and no failure
   * of the write that happened to come first.
   */
  private static Backend tryToLoad(String lane, List<String> why) {
    try {
      return NativeLane.load(lane);
    } catch (VirtualMachineError e) {
      throw e;
    } catch (RuntimeException | Error e) {
      why.add(lane + ": " + reason(e));
      return null;
    }
  }

  private static String reason(Throwable e) {
    Throwable root = e;
    while (root.getCause() != null && root.getCause() != root) {
      root = root.getCause();
    }
    String message = root.getMessage() == null ? "" : root.getMessage().strip();
    int end = message.indexOf('\n');
    return root.getClass().getSimpleName() + ": " + (end < 0 ? message : message.substring(0, end));
  }

  /** What only a native lane needs; apart, so that a first write does not load it. */
  private static final class NativeLane {
    /** Of a MiB each, which are never let go. */
    private static final int MAX_LARGE_CHUNKS = 8;

    static Backend load(String lane) {
      Settings settings = Settings.read();
      FileSystem fileSystem = FileSystems.getDefault();
      if (fileSystem.provider().getClass().getClassLoader() != null) {
        throw new UnsupportedOperationException("the default file system is not the JDK's own");
      }
      int cores = Runtime.getRuntime().availableProcessors();
      ChunkPool pool = new ChunkPool(2 * cores, Math.min(cores, MAX_LARGE_CHUNKS));
      Backend backend =
          lane.equals("shim")
              ? ShimBackend.load(pool, NIO, settings)
              : LibcBackend.load(pool, NIO, settings);
      nativeFileSystem = fileSystem;
      takesRelativePaths = isDefaultFolderOurs();
      return backend;
    }

    /** The JDK resolves relative paths against a folder that -Duser.dir can move. */
    private static boolean isDefaultFolderOurs() {
      try {
        Path folder = Path.of("").toAbsolutePath();
        return folder.equals(Files.readSymbolicLink(Path.of("/proc/self/cwd")));
      } catch (java.io.IOException | RuntimeException e) {
        return false;
      }
    }
  }

  // --- The report

  /** Returns what {@link Files2#backendReport} tells. */
  static String report() {
    try {
      forced();
    } catch (IllegalStateException e) {
      return "lane: none\nevery write fails: " + e.getMessage() + "\n";
    }
    Backend backend = prepared;
    StringBuilder report = new StringBuilder();
    if (backend == null) {
      long millis = PAID_NANOS.get() / 1_000_000;
      report.append("lane: nio\nnative lane: not prepared yet; it is loaded once path writes");
      report.append(" have taken ").append(RENT_NANOS / 1_000_000).append(" ms (");
      return report.append(millis).append(" ms so far)\n").toString();
    }
    report.append("lane: ").append(backend.name()).append('\n');
    if (backend instanceof ShimBackend shim) {
      report.append("details: ").append(shim.details()).append('\n');
    }
    if (backend != NIO && !takesRelativePaths) {
      report.append("relative paths: nio, the JVM's folder is not the process's\n");
    }
    for (String reason : reasons) {
      report.append("passed over: ").append(reason).append('\n');
    }
    return report.toString();
  }
}
