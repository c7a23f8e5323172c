package io.github.files2.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Lets all contenders do the same work side by side: in rounds, one after the other, so that a
 * machine that gets slower does so for all. Called by the script {@code benchmarks/compare}, which
 * knows where the peers are.
 */
@Command(
    name = "compare",
    mixinStandardHelpOptions = true,
    description = "Measures Files2 beside its peers in each FOLDER.")
public final class Compare implements Callable<Integer> {
  private static final long MAX_SAMPLE_COUNT = 100_000;

  @Option(names = "--quick", description = "Fewer sizes and rounds.")
  private boolean isQuick;

  @Option(names = "--peer", description = "NAME=COMMAND; words of COMMAND with spaces between.")
  private Map<String, String> peers = new LinkedHashMap<>();

  @Option(names = "--missing", description = "What could not be had, for the report.")
  private List<String> missing = new ArrayList<>();

  @Option(names = "--fact", description = "NAME=VALUE, for the report.")
  private Map<String, String> facts = new LinkedHashMap<>();

  @Option(names = "--whole", description = "How many of the first folders get all sizes.")
  private int wholeFolders = 2;

  @Option(names = "--works", description = "Only these works.", split = ",")
  private List<String> works = new ArrayList<>();

  @Option(names = "--warm-up", description = "Milliseconds that a contender first gets.")
  private int firstMillis = 2_500;

  @Option(names = "--out", required = true, description = "The results: OUT.json and OUT.svg.")
  private Path out;

  @Parameters(arity = "1..*", description = "Where to write.")
  private List<Path> folders;

  /** What is kept of one contender's measurement; times are microseconds a call. */
  record Result(
      String fileSystem,
      String work,
      String text,
      int bytes,
      int threads,
      String contender,
      double median,
      double min,
      double max,
      double[] samples) {}

  private final List<Result> results = new ArrayList<>();

  /** Those whose JIT has had its first seconds. */
  private final Set<Contender> warm = new HashSet<>();

  public static void main(String[] args) {
    System.exit(new CommandLine(new Compare()).execute(args));
  }

  @Override
  public Integer call() throws IOException {
    facts.forEach((name, value) -> System.out.println(name + ": " + value));
    missing.forEach(name -> System.out.println("left out: " + name));
    for (int i = 0; i < folders.size(); i++) {
      measureIn(folders.get(i), i < wholeFolders);
    }
    Map<String, Object> report = new LinkedHashMap<>();
    report.put("facts", facts);
    report.put("leftOut", missing);
    report.put("unit", "microseconds a call");
    report.put("results", results);
    new ObjectMapper()
        .enable(SerializationFeature.INDENT_OUTPUT)
        .writeValue(Path.of(out + ".json").toFile(), report);
    CompareChart.write(results, Path.of(out + ".svg"));
    System.out.println("written: " + out + ".json, .svg");
    return 0;
  }

  private List<Workload> workloads(boolean isWhole) {
    List<Workload> all =
        isQuick ? Workload.few() : isWhole ? Workload.all() : Workload.smallAndLarge();
    return works.isEmpty()
        ? all
        : all.stream().filter(workload -> works.contains(workload.work())).toList();
  }

  private void measureIn(Path parent, boolean isWhole) throws IOException {
    Path folder = Files.createTempDirectory(parent.toRealPath(), "files2-compare-");
    Path scratch = Files.createTempDirectory("files2-compare-");
    String fileSystem = Files.getFileStore(folder).type();
    List<Contender> contenders = new ArrayList<>();
    try {
      for (Map.Entry<String, String> peer : peers.entrySet()) {
        Path own = folder.resolve(String.valueOf(contenders.size()));
        List<String> command = List.of(peer.getValue().split(" +"));
        contenders.add(new Contender(peer.getKey(), own, command));
      }
      for (Workload workload : workloads(isWhole)) {
        measure(workload, fileSystem, contenders, scratch.resolve("text"));
      }
    } finally {
      for (Contender contender : contenders) {
        contender.close();
      }
      Files.deleteIfExists(scratch.resolve("text"));
      Files.deleteIfExists(scratch.resolve("text.bytes"));
      Files.delete(scratch);
      Files.delete(folder);
    }
  }

  private void measure(
      Workload workload, String fileSystem, List<Contender> contenders, Path textFile)
      throws IOException {
    workload.writeTo(textFile);
    boolean isLarge = workload.bytes() > 8 * 1024 * 1024;
    int rounds = isQuick || isLarge ? 3 : 7;
    Map<Contender, Integer> counts = new LinkedHashMap<>();
    Map<Contender, double[]> samples = new LinkedHashMap<>();
    for (Contender contender : contenders) {
      if (contender.begin(workload, textFile)) {
        counts.put(contender, warmUp(contender));
        samples.put(contender, new double[rounds]);
      }
    }
    for (int round = 0; round < rounds; round++) {
      for (Map.Entry<Contender, Integer> entry : counts.entrySet()) {
        int count = entry.getValue();
        samples.get(entry.getKey())[round] = entry.getKey().run(count) / 1000.0 / count;
      }
    }
    List<Result> rows = new ArrayList<>();
    for (Map.Entry<Contender, double[]> entry : samples.entrySet()) {
      Contender contender = entry.getKey();
      contender.end();
      workload.check(contender);
      double[] sorted = entry.getValue().clone();
      Arrays.sort(sorted);
      rows.add(
          new Result(
              fileSystem,
              workload.work(),
              workload.text(),
              workload.bytes(),
              workload.threads(),
              contender.name,
              sorted[rounds / 2],
              sorted[0],
              sorted[rounds - 1],
              entry.getValue()));
    }
    print(workload, fileSystem, rows);
    results.addAll(rows);
  }

  /** Runs the contender until its JIT is warm; returns how many calls make a sample. */
  private int warmUp(Contender contender) throws IOException {
    long sampleNanos = (isQuick ? 8 : 20) * 1_000_000L;
    int millis = warm.add(contender) ? firstMillis : Math.min(firstMillis, isQuick ? 350 : 450);
    long warmNanos = millis * 1_000_000L;
    long count = 1;
    long sum = 0;
    while (true) {
      long nanos = contender.run((int) count);
      sum += nanos;
      long enough = Math.max(1, Math.min(MAX_SAMPLE_COUNT, sampleNanos * count / (nanos + 1)));
      if (sum >= warmNanos) {
        return (int) enough;
      }
      count = Math.min(enough, count * 4);
    }
  }

  /** Prints times, and what they are of the first contender's. */
  private static void print(Workload workload, String fileSystem, List<Result> rows) {
    System.out.printf("%n%s, %s%n", fileSystem, workload);
    for (Result row : rows) {
      System.out.printf(
          "  %-28s %12.2f us  %6.2f x  (%.2f to %.2f)%n",
          row.contender,
          row.median,
          row.median / rows.get(0).median,
          row.min / rows.get(0).median,
          row.max / rows.get(0).median);
    }
  }
}
