package io.github.files2;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/**
 * The program of {@code java -jar files2.jar}: tells which lane runs and why, and measures {@code
 * Files2} beside {@code Files.writeString} in a folder.
 */
final class Doctor {
  private static final int DONE = 0;

  /** A write failed, or the bytes differed. */
  private static final int FAILED = 1;

  /** The arguments can't be used; nothing was written. */
  private static final int REFUSED = 2;

  /** More would take long to write, and the whole text is held in memory. */
  private static final int MAX_TEXT_BYTES = 64 * 1024 * 1024;

  private static final String USAGE =
      """
      usage: java -jar files2.jar [-h | --help] [FOLDER [TEXTFILE]]

      Tells which lane of Files2 runs here and why, then writes for a few seconds in FOLDER
      (default: the folder for temporary files) with Files.writeString and with Files2 in turns,
      compares the bytes and prints the times. The text of TEXTFILE, in UTF-8, is written too.
      Leaves nothing behind. A name that begins with "-" is given as "./-name". Exit status: 0
      done, 1 a write failed or the bytes differ, 2 the arguments can't be used.
      """;

  private final PrintStream out;
  private final PrintStream err;
  private final DoctorTrial.Contender contender;
  private final int millisPerRow;

  /** {@code contender} stands beside {@code Files.writeString}. */
  Doctor(PrintStream out, PrintStream err, DoctorTrial.Contender contender, int millisPerRow) {
    this.out = out;
    this.err = err;
    this.contender = contender;
    this.millisPerRow = millisPerRow;
  }

  /**
   * Runs the doctor and exits.
   *
   * @param args the folder and the text file, both optional
   */
  public static void main(String[] args) {
    System.exit(new Doctor(System.out, System.err, DoctorTrial.FILES2, 150).run(args));
  }

  /** An argument, or a property, that can't be used; the message says why. */
  private static final class Refusal extends Exception {
    private static final long serialVersionUID = 1;

    Refusal(String message) {
      super(message);
    }
  }

  /** Returns the exit status. */
  int run(String... args) {
    for (String arg : args) {
      if (arg.equals("-h") || arg.equals("--help")) {
        out.print(USAGE);
        return DONE;
      }
    }
    for (String arg : args) {
      if (arg.startsWith("-")) {
        err.printf("files2: unknown option: %s%n%s", arg, USAGE);
        return REFUSED;
      }
    }
    if (args.length > 2) {
      err.print(USAGE);
      return REFUSED;
    }
    try {
      Path parent = folder(args.length > 0 ? args[0] : System.getProperty("java.io.tmpdir"));
      String text = args.length > 1 ? text(path(args[1])) : null;
      try (DoctorFolder folder = create(parent)) {
        describe(parent, folder);
        return measure(folder, text);
      }
    } catch (Refusal e) {
      err.println("files2: " + e.getMessage());
      return REFUSED;
    } catch (IOException e) {
      err.println("files2: " + e);
      return FAILED;
    }
  }

  // --- Arguments

  private static Path path(String arg) throws Refusal {
    try {
      return Path.of(arg);
    } catch (InvalidPathException e) {
      throw new Refusal(arg + ": no path in this locale: " + e.getReason());
    }
  }

  private static Path folder(String arg) throws Refusal {
    // The empty path would be the current folder, and is rather an unset variable.
    if (arg.isEmpty()) {
      throw new Refusal("the name of the folder is empty");
    }
    Path folder = path(arg).toAbsolutePath();
    if (!Files.isDirectory(folder)) {
      throw new Refusal(folder + (Files.exists(folder) ? ": not a folder" : ": no such folder"));
    }
    return folder;
  }

  private static DoctorFolder create(Path parent) throws Refusal {
    try {
      return DoctorFolder.create(parent);
    } catch (IOException e) {
      throw new Refusal(parent + ": can't write there: " + reason(e));
    }
  }

  private static String text(Path file) throws Refusal {
    ByteBuffer bytes;
    try (InputStream in = Files.newInputStream(file)) {
      bytes = ByteBuffer.wrap(in.readNBytes(MAX_TEXT_BYTES + 1));
    } catch (IOException e) {
      throw new Refusal(file + ": can't read it: " + reason(e));
    }
    if (bytes.limit() > MAX_TEXT_BYTES) {
      throw new Refusal(file + ": longer than " + MAX_TEXT_BYTES + " bytes");
    }
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(bytes).toString();
    } catch (CharacterCodingException e) {
      throw new Refusal(file + ": not UTF-8, from byte " + bytes.position() + " on");
    }
  }

  /** The JDK leaves these reasons to the class of the exception. */
  private static String reason(IOException e) {
    if (e instanceof NoSuchFileException) {
      return "no such file";
    }
    if (e instanceof AccessDeniedException) {
      return "permission denied";
    }
    String reason = e instanceof FileSystemException system ? system.getReason() : e.getMessage();
    return reason == null ? e.toString() : reason;
  }

  // --- Work

  private void describe(Path parent, DoctorFolder folder) throws Refusal {
    Backend lane;
    try {
      lane = Backends.preparedForPath(folder.file("lane"));
    } catch (IllegalStateException e) {
      throw new Refusal(e.getMessage());
    }
    // Only the manifest tells it: there is none beside loose classes, nor for a named module.
    String version = Doctor.class.getPackage().getImplementationVersion();
    if (version != null) {
      out.printf("files2: %s%n", version);
    }
    out.printf(
        "java: %s %s%n", System.getProperty("java.vm.name"), System.getProperty("java.vm.version"));
    out.printf(
        "system: %s %s, %s, %d processors%n",
        System.getProperty("os.name"),
        System.getProperty("os.version"),
        System.getProperty("os.arch"),
        Runtime.getRuntime().availableProcessors());
    out.print(Files2.backendReport().replace("\n", System.lineSeparator()));
    String fileSystem = fileSystem(parent);
    out.printf("folder: %s, file system %s%n%n", parent, fileSystem);
    if (lane != Backends.nio() && !truncates() && !fileSystem.equals("tmpfs")) {
      out.printf(
          "On %s the overwrite rows tell mostly what emptying the file costs Files.writeString;%n"
              + "Files2 does not empty it.%n%n",
          fileSystem);
    }
  }

  private static boolean truncates() {
    return "truncate".equalsIgnoreCase(System.getProperty(Settings.OVERWRITE));
  }

  private static String fileSystem(Path folder) {
    try {
      return Files.getFileStore(folder).type();
    } catch (IOException e) {
      return "unknown: " + reason(e);
    }
  }

  private int measure(DoctorFolder folder, String text) throws IOException {
    List<DoctorTrial> trials = DoctorTrial.all(folder, contender, text);
    int differences = 0;
    try {
      // All before any: code that is not compiled yet would make the first rows slow.
      for (DoctorTrial trial : trials) {
        trial.warmUp(millisPerRow / 5);
      }
      out.println(DoctorTable.head());
      for (DoctorTrial trial : trials) {
        DoctorTrial.Outcome outcome = trial.measure(millisPerRow);
        if (folder.isClosed()) {
          return FAILED; // interrupted: one of the two has perhaps written less
        }
        out.println(DoctorTable.row(trial, outcome));
        if (outcome.differsAt() >= 0) {
          differences++;
          err.printf("files2: %s: the bytes differ from %d on%n", trial, outcome.differsAt());
        }
      }
    } catch (IOException e) {
      if (folder.isClosed()) {
        return FAILED; // interrupted: that it is gone is no news
      }
      throw e;
    }
    out.print(DoctorTable.foot());
    return differences == 0 ? DONE : FAILED;
  }
}
