package io.github.files2.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.VectorGraphicsEncoder;
import org.knowm.xchart.VectorGraphicsEncoder.VectorGraphicsFormat;

/** Draws how often slower the others are than the first contender: bars, a group for each work. */
final class CompareChart {
  private static final int WIDTH = 1000;
  private static final int HEIGHT = 560;

  /** Too many bars are no picture: the rest is in the tables. */
  private static final List<String> HIDDEN = List.of("Files2 libc", "Files2 nio", "JDK 25");

  private CompareChart() {}

  static void write(List<Cell> cells, Path file) throws IOException {
    List<Cell> shown = cells.stream().filter(CompareChart::isShown).toList();
    if (shown.isEmpty()) {
      return;
    }
    String first = shown.get(0).samples().keySet().iterator().next();
    CategoryChart chart =
        new CategoryChartBuilder()
            .width(WIDTH)
            .height(HEIGHT)
            .title("Time of a call, as a multiple of that of " + first + " (less is better)")
            .build();
    chart.getStyler().setYAxisLogarithmic(true);
    chart.getStyler().setYAxisMin(0.1); // else it is 0, which has no logarithm
    chart.getStyler().setXAxisLabelRotation(30);
    List<String> groups = shown.stream().map(CompareChart::group).toList();
    for (String contender : shown.get(0).samples().keySet()) {
      boolean isHidden = HIDDEN.stream().anyMatch(contender::contains);
      // The axis has no place for what was not measured.
      if (!isHidden && shown.stream().allMatch(cell -> cell.has(contender))) {
        List<Double> ratios = new ArrayList<>();
        shown.forEach(cell -> ratios.add(cell.ratio(contender, first).median()));
        chart.addSeries(contender, groups, ratios);
      }
    }
    VectorGraphicsEncoder.saveVectorGraphic(chart, file.toString(), VectorGraphicsFormat.SVG);
  }

  /** Few enough to read, and what all contenders can do. */
  private static boolean isShown(Cell cell) {
    Workload workload = cell.workload();
    boolean isPlain = workload.threads() == 1 && workload.work().equals("overwrite");
    boolean isOfSize = workload.bytes() == 1024 || workload.bytes() == 1024 * 1024;
    boolean isOfText = workload.text().equals("ascii") || workload.text().equals("russian");
    return isPlain && isOfSize && isOfText;
  }

  private static String group(Cell cell) {
    return cell.fileSystem() + " " + cell.workload();
  }
}
