package io.github.files2;

import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * One row of the doctor's table: one text, written in one way by two contenders in turns. Not safe
 * for use by many threads.
 */
final class DoctorTrial {
  /** A way to write. */
  interface Contender {
    void write(Path file, String text, boolean appends) throws IOException;
  }

  static final Contender FILES2 =
      (file, text, appends) -> {
        if (appends) {
          Files2.appendStringSync(file, text);
        } else {
          Files2.writeStringSync(file, text);
        }
      };

  private static final Contender FILES =
      (file, text, appends) -> {
        if (appends) {
          Files.writeString(file, text, CREATE, APPEND);
        } else {
          Files.writeString(file, text);
        }
      };

  /** What the rows try. */
  enum Operation {
    OVERWRITE,
    CREATE,
    APPEND;

    String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * What a trial found.
   *
   * @param filesNanos the median time of a write with {@code Files}
   * @param files2Nanos the same of the contender
   * @param ratio the median of the rounds' ratios
   * @param lowRatio a quarter of the rounds had a lower one
   * @param highRatio a quarter of the rounds had a higher one
   * @param differsAt the first byte that differed, or -1
   */
  record Outcome(
      double filesNanos,
      double files2Nanos,
      double ratio,
      double lowRatio,
      double highRatio,
      long differsAt) {}

  private static final long NANOS_PER_MILLI = 1_000_000;

  /** Rounds aimed at; the quartiles need a few. */
  private static final int ROUNDS = 15;

  private static final int MIN_ROUNDS = 3;

  /** Where a file that is appended to starts anew. */
  private static final long MAX_APPENDED_BYTES = 16 * 1024 * 1024;

  final Operation operation;
  final String textName;
  final int byteCount;
  private final String text;
  private final DoctorFolder folder;
  private final Side files;
  private final Side files2;
  private double nanosPerPair;

  /** One contender and its file. */
  private record Side(Contender contender, Path file) {}

  DoctorTrial(
      Operation operation, String textName, String text, DoctorFolder folder, Contender contender) {
    this.operation = operation;
    this.textName = textName;
    this.text = text;
    this.folder = folder;
    byteCount = text.getBytes(StandardCharsets.UTF_8).length;
    files = new Side(FILES, folder.file("files"));
    files2 = new Side(contender, folder.file("files2"));
  }

  /** Returns all rows; {@code ownText} is the user's, or {@code null}. */
  static List<DoctorTrial> all(DoctorFolder folder, Contender contender, String ownText) {
    List<DoctorTrial> trials = new ArrayList<>();
    for (Operation operation : Operation.values()) {
      for (int byteCount : new int[] {12, 1024, 1024 * 1024}) {
        trials.add(sample(operation, "ASCII", "hello, file\n", byteCount, folder, contender));
        trials.add(sample(operation, "Russian", "привет", byteCount, folder, contender));
        trials.add(sample(operation, "emoji", "🥳🚀😀", byteCount, folder, contender));
      }
      if (ownText != null) {
        trials.add(new DoctorTrial(operation, "your text", ownText, folder, contender));
      }
    }
    return trials;
  }

  /** Cuts a repeated sample of 12 bytes to size; all sizes are multiples of 4, as emoji need. */
  private static DoctorTrial sample(
      Operation operation,
      String textName,
      String sample,
      int byteCount,
      DoctorFolder folder,
      Contender contender) {
    int charCount = (int) ((long) sample.length() * byteCount / 12);
    String text = sample.repeat(byteCount / 12 + 1).substring(0, charCount);
    return new DoctorTrial(operation, textName, text, folder, contender);
  }

  /** Lets the JVM compile what is measured later, and finds out how long a write takes. */
  void warmUp(int millis) throws IOException {
    start();
    long from = System.nanoTime();
    long nanos;
    int writes = 0;
    do {
      averageNanos(files, 1);
      averageNanos(files2, 1);
      writes++;
      nanos = System.nanoTime() - from;
    } while (nanos < millis * NANOS_PER_MILLI && !folder.isClosed());
    nanosPerPair = (double) nanos / writes;
  }

  /** Measures for about the given time, and at least a few rounds, after a {@link #warmUp}. */
  Outcome measure(int millis) throws IOException {
    start();
    long nanos = millis * NANOS_PER_MILLI;
    int writes = (int) Math.max(1, nanos / (ROUNDS * nanosPerPair));
    List<double[]> rounds = new ArrayList<>();
    long from = System.nanoTime();
    while ((rounds.size() < MIN_ROUNDS || System.nanoTime() - from < nanos) && !folder.isClosed()) {
      rounds.add(round(writes, rounds.size() % 2 == 0));
    }
    return new Outcome(
        quantile(rounds, round -> round[0], 0.5),
        quantile(rounds, round -> round[1], 0.5),
        quantile(rounds, round -> round[0] / round[1], 0.5),
        quantile(rounds, round -> round[0] / round[1], 0.25),
        quantile(rounds, round -> round[0] / round[1], 0.75),
        Files.mismatch(files.file, files2.file));
  }

  /** Makes both files anew, so that every write that counts finds one. */
  private void start() throws IOException {
    for (Side side : List.of(files, files2)) {
      Files.deleteIfExists(side.file);
      averageNanos(side, 1);
    }
  }

  /** Returns the average times of a write with Files and with the contender. */
  private double[] round(int writes, boolean isFilesFirst) throws IOException {
    double[] nanos = new double[2];
    if (isFilesFirst) {
      nanos[0] = averageNanos(files, writes);
    }
    nanos[1] = averageNanos(files2, writes);
    if (!isFilesFirst) {
      nanos[0] = averageNanos(files, writes);
    }
    return nanos;
  }

  private double averageNanos(Side side, int writes) throws IOException {
    boolean appends = operation == Operation.APPEND;
    long nanos = 0;
    for (int i = 0; i < writes && !folder.isClosed(); i++) {
      makeRoom(side.file);
      long from = System.nanoTime();
      side.contender.write(side.file, text, appends);
      nanos += System.nanoTime() - from;
    }
    return (double) nanos / writes;
  }

  /** Does what has to come before a write and is no part of its time. */
  private void makeRoom(Path file) throws IOException {
    if (operation == Operation.CREATE) {
      Files.deleteIfExists(file);
    } else if (operation == Operation.APPEND
        && Files.exists(file)
        && Files.size(file) + byteCount > MAX_APPENDED_BYTES) {
      Files.write(file, new byte[0]);
    }
  }

  private static double quantile(
      List<double[]> rounds, ToDoubleFunction<double[]> value, double share) {
    double[] sorted = rounds.stream().mapToDouble(value).sorted().toArray();
    return sorted.length == 0 ? 0 : sorted[(int) (sorted.length * share)];
  }

  @Override
  public String toString() {
    return operation.label() + " " + DoctorTable.bytes(byteCount) + " " + textName;
  }
}
