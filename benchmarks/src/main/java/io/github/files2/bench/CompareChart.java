package io.github.files2.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.VectorGraphicsEncoder;
import org.knowm.xchart.VectorGraphicsEncoder.VectorGraphicsFormat;

/** Draws how often slower the others are than the first contender: bars, a group for each work. */
final class CompareChart {
  private static final int WIDTH = 1400;
  private static final int HEIGHT = 700;

  private CompareChart() {}

  static void write(List<Compare.Result> results, Path file) throws IOException {
    Set<String> contenders = new LinkedHashSet<>();
    Set<String> groups = new LinkedHashSet<>();
    for (Compare.Result result : results) {
      contenders.add(result.contender());
      if (isShown(result)) {
        groups.add(group(result));
      }
    }
    if (groups.isEmpty()) {
      return;
    }
    String first = results.get(0).contender();
    CategoryChart chart =
        new CategoryChartBuilder()
            .width(WIDTH)
            .height(HEIGHT)
            .title("Time of a call, as a multiple of that of " + first + " (less is better)")
            .build();
    chart.getStyler().setYAxisLogarithmic(true);
    chart.getStyler().setYAxisMin(0.1); // else it is 0, which has no logarithm
    chart.getStyler().setXAxisLabelRotation(30);
    for (String contender : contenders) {
      List<Double> ratios = new ArrayList<>();
      for (String group : groups) {
        ratios.add(median(results, group, contender) / median(results, group, first));
      }
      // The axis has no place for what was not measured.
      if (!ratios.contains(0.0)) {
        chart.addSeries(contender, new ArrayList<>(groups), ratios);
      }
    }
    VectorGraphicsEncoder.saveVectorGraphic(chart, file.toString(), VectorGraphicsFormat.SVG);
  }

  /** Few enough to read, and what all contenders can do. */
  private static boolean isShown(Compare.Result result) {
    boolean isOfSize = result.bytes() == 1024 || result.bytes() == 1024 * 1024;
    return result.threads() == 1 && isOfSize && result.work().equals("overwrite");
  }

  private static String group(Compare.Result result) {
    String size = result.bytes() == 1024 ? "1 KiB" : "1 MiB";
    return result.fileSystem() + " " + result.work() + " " + size + " " + result.text();
  }

  private static double median(List<Compare.Result> results, String group, String contender) {
    return results.stream()
        .filter(result -> result.contender().equals(contender) && group(result).equals(group))
        .filter(result -> result.threads() == 1)
        .mapToDouble(Compare.Result::median)
        .findFirst()
        .orElse(0);
  }
}
