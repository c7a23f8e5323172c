package io.github.files2.bench;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.Callable;
import org.apache.commons.io.FileUtils;
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

  @Option(names = "--former", description = "A peer that is there for the table of gains only.")
  private List<String> formerPeers = new ArrayList<>();

  @Option(names = "--missing", description = "What could not be had, for the report.")
  private List<String> missing = new ArrayList<>();

  @Option(names = "--fact", description = "NAME=VALUE, for the report.")
  private Map<String, String> facts = new LinkedHashMap<>();

  @Option(names = "--whole", description = "How many of the first folders get all sizes.")
  private int wholeFolders = 2;

  @Option(names = "--works", description = "Only these works.", split = ",")
  private List<String> works = new ArrayList<>();

  @Option(names = "--warm-up", description = "Milliseconds that a contender first gets.")
  private int firstMillis;

  @Option(
      names = "--out",
      required = true,
      description = "The results: OUT.json, OUT.svg and OUT.md.")
  private Path out;

  @Parameters(arity = "1..*", description = "Where to write.")
  private List<Path> folders;

  private final CompareReport report = new CompareReport();

  /** Those whose JIT has had its first seconds. */
  private final Set<Contender> warm = new HashSet<>();

  public static void main(String[] args) {
    System.exit(new CommandLine(new Compare()).execute(args));
  }

  @Override
  public Integer call() throws IOException {
    facts.put("commons-io", commonsIoVersion());
    facts.forEach((name, value) -> System.out.println(name + ": " + value));
    missing.forEach(name -> System.out.println("left out: " + name));
    if (firstMillis == 0) {
      firstMillis = isQuick ? 800 : 2_500;
    }
    long start = System.nanoTime();
    for (int i = 0; i < folders.size(); i++) {
      measureIn(folders.get(i), i < wholeFolders);
    }
    long seconds = (System.nanoTime() - start) / 1_000_000_000;
    facts.put("time", seconds / 60 + " min " + seconds % 60 + " s");
    report.write(facts, missing, out);
    System.out.printf("%nwritten: %s.json, .svg, .md in %s%n", out, facts.get("time"));
    return 0;
  }

  private static String commonsIoVersion() throws IOException {
    Properties properties = new Properties();
    try (InputStream in =
        FileUtils.class.getResourceAsStream(
            "/META-INF/maven/commons-io/commons-io/pom.properties")) {
      if (in != null) {
        properties.load(in);
      }
    }
    return properties.getProperty("version", "unknown");
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
    Cell cell = new Cell(fileSystem, workload);
    for (Contender contender : contenders) {
      if (formerPeers.contains(contender.name) && !CompareReport.isInGainTable(workload)) {
        continue;
      }
      String why = begin(contender, workload, textFile);
      if (why.isEmpty()) {
        counts.put(contender, warmUp(contender));
        samples.put(contender, new double[rounds]);
      } else {
        cell.leftOut().put(contender.name, why);
      }
    }
    if (counts.isEmpty()) {
      throw new IOException("no contender can do this: " + workload);
    }
    for (int round = 0; round < rounds; round++) {
      for (Map.Entry<Contender, Integer> entry : counts.entrySet()) {
        int count = entry.getValue();
        samples.get(entry.getKey())[round] = entry.getKey().run(count) / 1000.0 / count;
      }
    }
    for (Map.Entry<Contender, double[]> entry : samples.entrySet()) {
      Contender contender = entry.getKey();
      contender.end();
      workload.check(contender);
      cell.samples().put(contender.name, entry.getValue());
    }
    cell.print();
    report.add(cell);
  }

  /** Returns "", or why the contender can't do the work; one that does not run is missing. */
  private String begin(Contender contender, Workload workload, Path textFile) throws IOException {
    try {
      return contender.begin(workload, textFile);
    } catch (IOException e) {
      String end = contender.end(e);
      if (!missing.contains(end)) {
        missing.add(end);
      }
      return end;
    }
  }

  /** Runs the contender until its JIT is warm; returns how many calls make a sample. */
  private int warmUp(Contender contender) throws IOException {
    long sampleNanos = (isQuick ? 8 : 15) * 1_000_000L;
    int millis = warm.add(contender) ? firstMillis : Math.min(firstMillis, 200);
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
}
