package io.github.files2;

import java.util.Locale;

/** How the doctor's rows look. */
final class DoctorTable {
  private static final String FORMAT = "%-10s %-9s %-10s %18s %12s %8s   %s";

  private DoctorTable() {}

  static String head() {
    return String.format(
        FORMAT,
        "write",
        "size",
        "text",
        "Files.writeString",
        "Files2",
        "ratio",
        "middle half of the ratios");
  }

  static String row(DoctorTrial trial, DoctorTrial.Outcome outcome) {
    return String.format(
        FORMAT,
        trial.operation.label(),
        bytes(trial.byteCount),
        trial.textName,
        micros(outcome.filesNanos()),
        micros(outcome.files2Nanos()),
        outcome.differsAt() < 0 ? ratio(outcome.ratio()) : "DIFFERS",
        ratio(outcome.lowRatio()) + " to " + ratio(outcome.highRatio()));
  }

  /** Returns what a reader has to know before quoting a figure. */
  static String foot() {
    return """

        Times are medians of rounds in which both wrote in turns. The ratio is the median of the
        rounds' ratios, not the quotient of the two times; beside it, between what bounds the middle
        half of the ratios lies. Above 1, Files2 took less time. The bytes in the page cache are
        compared; neither waits for the disk. Where a native lane overwrites, it leaves the old
        content in place and cuts what is too long: Files.writeString empties the file first, which
        makes ext4 start writing it out at once.
        """
        .replace("\n", System.lineSeparator());
  }

  static String bytes(int byteCount) {
    if (byteCount >= 1 << 20 && byteCount % (1 << 20) == 0) {
      return (byteCount >> 20) + " MiB";
    }
    if (byteCount >= 1 << 10 && byteCount % (1 << 10) == 0) {
      return (byteCount >> 10) + " KiB";
    }
    return byteCount + " B";
  }

  private static String micros(double nanos) {
    return String.format(Locale.ROOT, "%.2f us", nanos / 1000);
  }

  private static String ratio(double ratio) {
    return String.format(Locale.ROOT, "%.2f", ratio);
  }
}
