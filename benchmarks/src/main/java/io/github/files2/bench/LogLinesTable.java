package io.github.files2.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.github.files2.Files2;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Measures the ways of {@link LogBenchmark} to append lines, and a peer's, by one thread and by two
 * that share the log. All take turns in each round, so that a machine that gets slower does so for
 * all. Called by the script {@code benchmarks/log-lines}.
 */
@Command(
    name = "log-lines",
    mixinStandardHelpOptions = true,
    description = "Measures appending log lines of 80 to 400 bytes, in FOLDER.")
public final class LogLinesTable implements Callable<Integer> {
  private static final int[] THREADS = {1, 2};
  private static final int FIRST_COUNT = 100;

  /** A sample's lines fit the file without its being emptied meanwhile. */
  private static final int MAX_COUNT = 60_000;

  @Option(names = "--quick", description = "Only to see that it runs: one short round, cold.")
  private boolean isQuick;

  @Option(names = "--peer", description = "NAME=COMMAND; a worker, which appends to a file.")
  private Map<String, String> peers = new LinkedHashMap<>();

  @Option(names = "--missing", description = "What could not be had, for the report.")
  private List<String> missing = new ArrayList<>();

  @Option(names = "--fact", description = "NAME=VALUE, for the report.")
  private Map<String, String> facts = new LinkedHashMap<>();

  @Option(names = "--out", required = true, description = "Where the results go, as JSON.")
  private Path out;

  @Parameters(description = "Where to write.")
  private Path parent;

  private final Map<String, Way> ways = new LinkedHashMap<>();
  private final LogBenchmark benchmark = new LogBenchmark();
  private final LogBenchmark.Log log = new LogBenchmark.Log();
  private final ExecutorService executor = Executors.newFixedThreadPool(THREADS.length);

  /** Appends one line. */
  private interface Way {
    void write() throws IOException;
  }

  /** Appends lines, and returns the nanoseconds that it took. */
  private interface Run {
    long of(int countEach) throws IOException;
  }

  public static void main(String[] args) {
    System.exit(new CommandLine(new LogLinesTable()).execute(args));
  }

  private void addWays() {
    Lane lane = new Lane(); // forced by the property, if at all
    ways.put("Appender", () -> benchmark.appender(log, lane));
    ways.put("Files2.appendStringSync", () -> benchmark.appendStringSync(log, lane));
    ways.put("held FileChannel", () -> benchmark.fileChannel(log));
    ways.put("BufferedWriter, flushed", () -> benchmark.bufferedWriter(log));
    ways.put("Files.writeString(APPEND)", () -> benchmark.filesWriteString(log));
  }

  @Override
  public Integer call() throws IOException {
    Path folder = Files.createTempDirectory(parent.toRealPath(), "files2-log-lines-");
    log.folder = folder.toString();
    log.open();
    addWays();
    facts.put("lane", Files2.backendReport().lines().findFirst().orElseThrow().split(" ")[1]);
    facts.put("file system", Files.getFileStore(folder).type());
    facts.forEach((name, value) -> System.out.println(name + ": " + value));
    missing.forEach(name -> System.out.println("left out: " + name));
    List<Cell> cells = new ArrayList<>();
    try {
      for (int threads : THREADS) {
        cells.add(measure(folder, threads));
      }
    } finally {
      executor.shutdown();
      log.close();
      Files.delete(folder);
    }
    Map<String, Object> report = new LinkedHashMap<>();
    report.put("facts", facts);
    report.put("leftOut", missing);
    report.put("unit", "microseconds a line: of the time, not of each thread's");
    report.put("results", cells);
    new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT).writeValue(out.toFile(), report);
    System.out.printf("%nwritten: %s%n", out);
    return 0;
  }

  private Cell measure(Path folder, int threads) throws IOException {
    Cell cell =
        new Cell(
            facts.get("file system"), new Workload("lines", "ascii", log.meanBytes(), threads));
    Map<String, Run> runs = new LinkedHashMap<>();
    ways.forEach((name, way) -> runs.put(name, count -> run(way, threads, count)));
    List<Contender> workers = new ArrayList<>();
    Path lines = Files.createTempFile("files2-log-", ".txt");
    Path before = Files.createFile(lines.resolveSibling(lines.getFileName() + ".bytes"));
    try {
      log.writeLinesTo(lines);
      for (Map.Entry<String, String> peer : peers.entrySet()) {
        Path own = folder.resolve("peer" + workers.size());
        List<String> command = List.of(peer.getValue().split(" +"));
        Contender worker = new Contender(peer.getKey(), own, command);
        workers.add(worker);
        String why = worker.begin(cell.workload(), lines);
        if (why.isEmpty()) {
          runs.put(worker.name, worker::run);
        } else {
          cell.leftOut().put(worker.name, why);
        }
      }
      sample(runs, threads, cell);
      for (Contender worker : workers) {
        if (runs.containsKey(worker.name)) {
          worker.end();
          check(worker.name, Files.readAllLines(worker.folder.resolve("file"), UTF_8));
        }
      }
    } finally {
      for (Contender worker : workers) {
        worker.close();
      }
      Files.delete(before);
      Files.delete(lines);
    }
    cell.print();
    return cell;
  }

  private void sample(Map<String, Run> runs, int threads, Cell cell) throws IOException {
    int rounds = isQuick ? 1 : 15;
    Map<String, Integer> counts = new LinkedHashMap<>();
    for (Map.Entry<String, Run> run : runs.entrySet()) {
      counts.put(run.getKey(), warmUp(run.getValue()));
      cell.samples().put(run.getKey(), new double[rounds]);
    }
    for (int round = 0; round < rounds; round++) {
      for (Map.Entry<String, Run> run : runs.entrySet()) {
        int count = counts.get(run.getKey());
        log.empty();
        long nanos = run.getValue().of(count);
        if (ways.containsKey(run.getKey())) {
          check(run.getKey(), log.file(), count * threads);
        }
        cell.samples().get(run.getKey())[round] = nanos / 1000.0 / count / threads;
      }
    }
  }

  /** Runs until the JIT is warm; returns how many lines a thread writes for a sample. */
  private int warmUp(Run run) throws IOException {
    long warmNanos = isQuick ? 0 : 1_500_000_000L;
    long sampleNanos = (isQuick ? 1 : 40) * 1_000_000L;
    int count = FIRST_COUNT;
    for (long sum = 0; ; ) {
      log.empty();
      long nanos = run.of(count);
      sum += nanos;
      count = (int) Math.max(FIRST_COUNT, Math.min(MAX_COUNT, sampleNanos * count / (nanos + 1)));
      if (sum >= warmNanos) {
        return count;
      }
    }
  }

  /** A thread's time; the one that starts them all may be late to look at the clock. */
  private record Span(long begin, long end) {}

  private long run(Way way, int threads, int countEach) throws IOException {
    CyclicBarrier start = new CyclicBarrier(threads);
    List<Future<Span>> running = new ArrayList<>();
    for (int t = 0; t < threads; t++) {
      running.add(executor.submit(() -> writeFrom(start, way, countEach)));
    }
    try {
      Span first = running.get(0).get();
      long begin = first.begin;
      long end = first.end;
      for (Future<Span> each : running) {
        Span span = each.get();
        begin = Math.min(begin, span.begin);
        end = Math.max(end, span.end);
      }
      return end - begin;
    } catch (ExecutionException | InterruptedException e) {
      throw new IOException("a thread could not write", e);
    }
  }

  private static Span writeFrom(CyclicBarrier start, Way way, int count)
      throws IOException, InterruptedException, BrokenBarrierException {
    start.await();
    long begin = System.nanoTime();
    for (int i = 0; i < count; i++) {
      way.write();
    }
    return new Span(begin, System.nanoTime());
  }

  /** What is fast but tears a line, or loses it, is no contender. */
  private void check(String contender, Path file, int count) throws IOException {
    List<String> found = Files.readAllLines(file, UTF_8);
    if (found.size() != count) {
      throw new IOException(contender + " has written " + found.size() + " of " + count + " lines");
    }
    check(contender, found);
  }

  private void check(String contender, List<String> found) throws IOException {
    Set<String> known = log.lines();
    for (String line : found) {
      if (!known.contains(line + '\n')) {
        throw new IOException(contender + " has written another line: " + line);
      }
    }
  }
}
