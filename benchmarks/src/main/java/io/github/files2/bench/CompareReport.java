package io.github.files2.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * All that was measured, and what follows from it: as JSON for programs, as a chart, and as tables
 * in Markdown. "Ours" is the first contender.
 */
final class CompareReport {
  private static final String FLOOR = "C floor";
  private static final String NODE_BEFORE = "Node 21.2.0";
  private static final String NODE_AFTER = "Node 21.3.0";

  /** Not compared with: ourselves, the system calls alone, and what Node was once. */
  private static final List<String> NO_PEERS = List.of("Files2", FLOOR, "Node 21.");

  private final List<Cell> cells = new ArrayList<>();

  void add(Cell cell) {
    cells.add(cell);
  }

  /** Tells whether Node published this of its own change: nodejs/node#49691. */
  static boolean isInGainTable(Workload workload) {
    boolean isWork = workload.work().equals("overwrite") || workload.work().equals("descriptor");
    boolean isSize = List.of(1024, 102_400, 1024 * 1024).contains(workload.bytes());
    return isWork && isSize && workload.text().equals("ascii") && workload.threads() == 1;
  }

  void write(Map<String, String> facts, List<String> missing, Path out) throws IOException {
    Map<String, Object> report = new LinkedHashMap<>();
    report.put("facts", facts);
    report.put("leftOut", missing);
    report.put("unit", "microseconds a call; quartiles of the rounds");
    report.put("results", cells.stream().map(CompareReport::asJson).toList());
    new ObjectMapper()
        .enable(SerializationFeature.INDENT_OUTPUT)
        .writeValue(Path.of(out + ".json").toFile(), report);
    CompareChart.write(cells, Path.of(out + ".svg"));
    String tables = tables(facts, missing);
    Files.writeString(Path.of(out + ".md"), tables);
    System.out.print("\n" + tables);
  }

  private static Map<String, Object> asJson(Cell cell) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("fileSystem", cell.fileSystem());
    json.put("work", cell.workload().work());
    json.put("text", cell.workload().text());
    json.put("bytes", cell.workload().bytes());
    json.put("threads", cell.workload().threads());
    Map<String, Object> contenders = new LinkedHashMap<>();
    String first = ours(cell);
    for (Map.Entry<String, double[]> entry : cell.samples().entrySet()) {
      Map<String, Object> times = new LinkedHashMap<>();
      times.put("time", cell.times(entry.getKey()));
      times.put("ratio", cell.ratio(entry.getKey(), first));
      times.put("samples", entry.getValue());
      contenders.put(entry.getKey(), times);
    }
    json.put("contenders", contenders);
    json.put("leftOut", cell.leftOut());
    return json;
  }

  private static String ours(Cell cell) {
    return cell.samples().isEmpty() ? "" : cell.samples().keySet().iterator().next();
  }

  // --- What follows

  private String tables(Map<String, String> facts, List<String> missing) {
    StringBuilder text = new StringBuilder();
    facts.forEach((name, value) -> line(text, "- %s: %s", name, value));
    missing.forEach(name -> line(text, "- left out: %s", name));
    line(text, "");
    addRatios(text);
    addGains(text);
    addLosses(text);
    return text.toString();
  }

  private static void line(StringBuilder text, String format, Object... values) {
    text.append(String.format(Locale.ROOT, format, values)).append('\n');
  }

  /** How many times as long each contender takes: a row a cell, a column a contender. */
  private void addRatios(StringBuilder text) {
    Set<String> contenders = new LinkedHashSet<>();
    cells.forEach(cell -> contenders.addAll(cell.samples().keySet()));
    line(text, "Times of the first contender, and of the others as multiples of it:");
    line(text, "");
    line(text, "| on | work | %s |", String.join(" | ", contenders));
    line(text, "| --- | --- |%s", " ---: |".repeat(contenders.size()));
    for (Cell cell : cells) {
      String first = ours(cell);
      List<String> row = new ArrayList<>();
      for (String contender : contenders) {
        if (!cell.has(contender)) {
          row.add("-");
        } else if (contender.equals(first)) {
          row.add(String.format(Locale.ROOT, "%.1f us", cell.times(first).median()));
        } else {
          double ratio = cell.ratio(contender, first).median();
          row.add(String.format(Locale.ROOT, "%.2f", ratio));
        }
      }
      line(text, "| %s | %s | %s |", cell.fileSystem(), cell.workload(), String.join(" | ", row));
    }
    line(text, "");
  }

  /** Ours over what Java offers, beside what Node gained over its former self. */
  private void addGains(StringBuilder text) {
    List<String> rows = new ArrayList<>();
    for (Cell cell : cells) {
      // Files.writeString has no descriptors.
      String former =
          cell.workload().work().equals("descriptor") ? "FileOutputStream" : "Files.writeString";
      if (isInGainTable(cell.workload())
          && List.of(former, NODE_BEFORE, NODE_AFTER).stream().allMatch(cell::has)) {
        Cell.Quartiles gain = cell.ratio(former, ours(cell));
        Cell.Quartiles node = cell.ratio(NODE_BEFORE, NODE_AFTER);
        rows.add(
            String.format(
                Locale.ROOT,
                "| %s | %s | %s | %.2f (%.2f to %.2f) | %.2f (%.2f to %.2f) |",
                cell.fileSystem(),
                cell.workload(),
                former,
                gain.median(),
                gain.low(),
                gain.high(),
                node.median(),
                node.low(),
                node.high()));
      }
    }
    if (!rows.isEmpty()) {
      line(text, "Gain over what Java has, beside Node's gain over its former self:");
      line(text, "");
      line(text, "| on | work | over | ours | %s over %s |", NODE_AFTER, NODE_BEFORE);
      line(text, "| --- | --- | --- | ---: | ---: |");
      rows.forEach(row -> line(text, "%s", row));
      line(text, "");
    }
  }

  /** Where a peer is faster by more than the spread. */
  private void addLosses(StringBuilder text) {
    List<String> rows = new ArrayList<>();
    for (Cell cell : cells) {
      for (String contender : cell.samples().keySet()) {
        Cell.Quartiles ratio = cell.ratio(contender, ours(cell));
        if (NO_PEERS.stream().noneMatch(contender::startsWith) && ratio.high() < 1) {
          rows.add(
              String.format(
                  Locale.ROOT,
                  "- %s, %s: %s takes %.2f (%.2f to %.2f)",
                  cell.fileSystem(),
                  cell.workload(),
                  contender,
                  ratio.median(),
                  ratio.low(),
                  ratio.high()));
        }
      }
    }
    line(text, rows.isEmpty() ? "No peer is faster." : "Peers that are faster:");
    line(text, "");
    rows.forEach(row -> line(text, "%s", row));
  }
}
