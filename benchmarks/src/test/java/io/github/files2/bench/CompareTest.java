package io.github.files2.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The comparison does all works, checks what they write, and keeps what it measures. */
final class CompareTest {
  private static final String LANE = System.getProperty("files2.backend", "nio");

  @TempDir private Path folder;

  private static String worker(String name, String contender) {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    String options = "-Dfiles2.backend=" + LANE;
    if (Runtime.version().feature() >= 24) {
      options += " --enable-native-access=ALL-UNNAMED";
    }
    String classPath = System.getProperty("java.class.path");
    String main = CompareWorker.class.getName();
    return "--peer="
        + String.join(" ", name + "=" + java, options, "-cp", classPath, main, contender);
  }

  private int run(String... peers) throws IOException {
    Path here = Files.createDirectory(folder.resolve("here"));
    List<String> arguments = new ArrayList<>(List.of(peers));
    arguments.add("--quick");
    arguments.add("--warm-up=1");
    arguments.add("--out=" + folder.resolve("out"));
    arguments.add(here.toString());
    int status = new CommandLine(new Compare()).execute(arguments.toArray(new String[0]));
    assertThat(here).isEmptyDirectory();
    return status;
  }

  @Test
  void compare_contendersInJava_areMeasuredAndKept() throws IOException {
    List<String> names =
        List.of("files2", "Files.writeString", "FileOutputStream", "FileChannel", "commons-io");
    String[] peers = names.stream().map(name -> worker(name, name)).toArray(String[]::new);
    assertThat(run(peers)).isZero();
    JsonNode report = new ObjectMapper().readTree(folder.resolve("out.json").toFile());
    Set<String> works = new TreeSet<>();
    Set<String> measured = new TreeSet<>();
    Set<String> leftOut = new TreeSet<>();
    for (JsonNode result : report.get("results")) {
      works.add(result.get("work").asText());
      result.get("leftOut").fieldNames().forEachRemaining(leftOut::add);
      result
          .get("contenders")
          .properties()
          .forEach(
              entry -> {
                measured.add(entry.getKey());
                assertThat(entry.getValue().at("/time/median").asDouble()).isPositive();
                assertThat(entry.getValue().at("/ratio/median").asDouble()).isPositive();
              });
    }
    assertThat(report.at("/facts/commons-io").asText()).startsWith("2.");
    assertThat(leftOut).contains("commons-io").doesNotContain("files2");
    assertThat(works)
        .containsExactlyInAnyOrder(
            "overwrite",
            "create",
            "append",
            "descriptor",
            "base64",
            "flush",
            "atomic",
            "atomic-durable",
            "unchanged");
    assertThat(measured).containsExactlyInAnyOrderElementsOf(names);
    assertThat(Files.readString(folder.resolve("out.svg")).contains("<rect")).isTrue();
    assertThat(Files.readString(folder.resolve("out.md")))
        .contains("| overwrite, 1024 B ascii |", "commons-io: 2.");
  }

  @Test
  void compare_noneThatRuns_isNoResult() throws IOException {
    assertThat(run(worker("nobody", "nobody"))).isNotZero();
    assertThat(folder.resolve("out.json")).doesNotExist();
  }

  @Test
  void compare_contenderThatFails_isNoResult() throws IOException {
    Path script =
        Files.writeString(
            folder.resolve("worker"), "while read -r line; do echo failed: no space; done\n");
    assertThat(run(worker("files2", "files2"), "--peer=failing=sh " + script)).isNotZero();
    assertThat(folder.resolve("out.json")).doesNotExist();
  }

  @Test
  void compare_peerThatDoesNotRun_isLeftOutByName() throws IOException {
    assertThat(run(worker("files2", "files2"), "--peer=gone=false")).isZero();
    JsonNode report = new ObjectMapper().readTree(folder.resolve("out.json").toFile());
    String reason = "gone: it has ended with status 1";
    assertThat(report.get("leftOut")).hasSize(1);
    assertThat(report.at("/leftOut/0").asText()).isEqualTo(reason);
    for (JsonNode result : report.get("results")) {
      assertThat(result.at("/leftOut/gone").asText()).isEqualTo(reason);
      assertThat(result.get("contenders")).hasSize(1);
    }
  }

  private static Cell cell(String work, Map<String, double[]> samples) {
    return new Cell("tmpfs", new Workload(work, "ascii", 1024, 1), samples, Map.of());
  }

  /** A machine that is twice as slow in a round is so for both. */
  @Test
  void ratio_isTakenInEachRound() {
    Map<String, double[]> samples = new LinkedHashMap<>();
    samples.put("ours", new double[] {1, 2, 4});
    samples.put("peer", new double[] {3, 6, 12});
    Cell.Quartiles ratio = cell("overwrite", samples).ratio("peer", "ours");
    assertThat(ratio).isEqualTo(new Cell.Quartiles(3, 3, 3));
    assertThat(cell("overwrite", samples).times("ours")).isEqualTo(new Cell.Quartiles(1.5, 2, 3));
  }

  @Test
  void report_namesGainsAndWhoIsFaster() throws IOException {
    Map<String, double[]> samples = new LinkedHashMap<>();
    samples.put("Files2 shim", new double[] {2, 2, 2});
    samples.put("Files.writeString", new double[] {5, 5, 5});
    samples.put("Node 21.2.0", new double[] {9, 9, 9});
    samples.put("Node 21.3.0", new double[] {6, 6, 6});
    samples.put("Bun", new double[] {1, 1, 1});
    samples.put("near", new double[] {1.9, 2.1, 1.9});
    samples.put("C floor", new double[] {1, 1, 1});
    CompareReport report = new CompareReport();
    report.add(cell("overwrite", samples));
    report.write(Map.of("kernel", "a new one"), List.of("nobody"), folder.resolve("out"));
    assertThat(Files.readString(folder.resolve("out.md")))
        .contains(
            "- kernel: a new one",
            "- left out: nobody",
            "| tmpfs | overwrite, 1024 B ascii | 2.0 us | 2.50 | 4.50 | 3.00 | 0.50 | 0.95 | 0.50 |",
            "| Files.writeString | 2.50 (2.50 to 2.50) | 1.50 (1.50 to 1.50) |",
            "Peers that are faster:\n\n- tmpfs, overwrite, 1024 B ascii: Bun takes 0.50")
        .doesNotContain("near takes", "C floor takes");
  }
}
