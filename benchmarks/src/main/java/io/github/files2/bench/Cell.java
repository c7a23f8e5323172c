package io.github.files2.bench;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A workload on a file system: what was measured side by side.
 *
 * @param samples microseconds a call by contender, a sample a round; all contenders took part in a
 *     round one after the other
 * @param leftOut why a contender has no samples
 */
record Cell(
    String fileSystem,
    Workload workload,
    Map<String, double[]> samples,
    Map<String, String> leftOut) {
  Cell(String fileSystem, Workload workload) {
    this(fileSystem, workload, new LinkedHashMap<>(), new LinkedHashMap<>());
  }

  /** The quartiles of some samples. */
  record Quartiles(double low, double median, double high) {
    static Quartiles of(double[] samples) {
      double[] sorted = samples.clone();
      Arrays.sort(sorted);
      return new Quartiles(at(sorted, 0.25), at(sorted, 0.5), at(sorted, 0.75));
    }

    private static double at(double[] sorted, double part) {
      double place = part * (sorted.length - 1);
      int below = (int) place;
      int above = Math.min(below + 1, sorted.length - 1);
      return sorted[below] + (place - below) * (sorted[above] - sorted[below]);
    }
  }

  boolean has(String contender) {
    return samples.containsKey(contender);
  }

  Quartiles times(String contender) {
    return Quartiles.of(samples.get(contender));
  }

  /**
   * Returns how many times as long {@code contender} takes as {@code other} does. The ratio is
   * taken in each round, so that a machine that gets slower in between makes no difference.
   */
  Quartiles ratio(String contender, String other) {
    double[] times = samples.get(contender);
    double[] others = samples.get(other);
    double[] ratios = new double[times.length];
    for (int round = 0; round < ratios.length; round++) {
      ratios[round] = times[round] / others[round];
    }
    return Quartiles.of(ratios);
  }

  /** Prints the times, and what they are of the first contender's. */
  void print() {
    System.out.printf("%n%s, %s%n", fileSystem, workload);
    String first = samples.isEmpty() ? "" : samples.keySet().iterator().next();
    for (String contender : samples.keySet()) {
      Quartiles ratio = ratio(contender, first);
      System.out.printf(
          "  %-28s %12.2f us  %6.2f x  (%.2f to %.2f)%n",
          contender, times(contender).median(), ratio.median(), ratio.low(), ratio.high());
    }
    leftOut.forEach((contender, why) -> System.out.printf("  %-28s %s%n", contender, why));
  }
}
