package io.github.files2.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.github.files2.Files2;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Measures what writing does to the pauses of the collector: a thread writes a text again and again
 * while another one allocates, in a JVM of its own, whose safepoints are read from its log. Native
 * code that holds an array makes a collection wait for it, or the other way round.
 */
@Command(
    name = "pauses",
    mixinStandardHelpOptions = true,
    description = "Measures GC pauses of a program that writes to FOLDER.")
public final class Pauses implements Callable<Integer> {
  private static final Pattern SAFEPOINT =
      Pattern.compile(
          "Safepoint \"(\\w+)\".*Reaching safepoint: +(\\d+) ns.*At safepoint: +(\\d+) ns");

  /** Names of operations that are collections. */
  private static final Pattern COLLECTION =
      Pattern.compile("G1.*|Parallel.*|GenCollect.*|Z.*|XMark.*|Serial.*");

  private static final List<String> WRITERS =
      List.of("nobody", "Files.writeString", "shim", "libc", "nio");

  @Option(names = "--collectors", split = ",", description = "As in -XX:+UseG1GC.")
  private List<String> collectors = List.of("G1", "Parallel", "Serial");

  @Option(names = "--texts", split = ",", description = "TEXT:BYTES of those of the benchmarks.")
  private List<String> texts = List.of("ascii:1024", "ascii:1048576", "russian:1048576");

  @Option(names = "--seconds", description = "How long each JVM runs.")
  private int seconds = 5;

  @Option(names = "--rounds", description = "How many JVMs of each kind there are.")
  private int rounds = 3;

  @Option(names = "--out", required = true, description = "Where the results go, as JSON.")
  private Path out;

  @Parameters(description = "Where to write.")
  private Path folder;

  /** Microseconds of the pauses, with the time to reach the safepoint, and writes a second. */
  record Row(
      String collector,
      String text,
      String writer,
      int pauses,
      double median,
      double most99,
      double most,
      double reachMedian,
      double reachMost,
      int heldUp,
      double writesASecond) {}

  /** What one JVM told, or several. */
  private static final class Log {
    final List<Double> pauses = new ArrayList<>();
    final List<Double> reaches = new ArrayList<>();
    int heldUp;
    double writes;

    void read(Stream<String> lines) {
      lines.forEach(
          line -> {
            Matcher matcher = SAFEPOINT.matcher(line);
            if (matcher.find() && COLLECTION.matcher(matcher.group(1)).matches()) {
              double reach = Long.parseLong(matcher.group(2)) / 1000.0;
              reaches.add(reach);
              pauses.add(reach + Long.parseLong(matcher.group(3)) / 1000.0);
            }
            if (line.contains("GCLocker Initiated GC")) {
              heldUp++;
            }
            if (line.startsWith("writes ")) {
              writes += Long.parseLong(line.substring("writes ".length()));
            }
          });
    }
  }

  public static void main(String[] args) {
    System.exit(new CommandLine(new Pauses()).execute(args));
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    List<Row> rows = new ArrayList<>();
    for (String collector : collectors) {
      for (String text : texts) {
        Map<String, Log> logs = new LinkedHashMap<>();
        for (int round = 0; round < rounds; round++) {
          for (String writer : WRITERS) {
            run(collector, text, writer, logs.computeIfAbsent(writer, name -> new Log()));
          }
        }
        System.out.printf("%n%s, %s: pauses in us%n", collector, text);
        logs.forEach((writer, log) -> rows.add(print(row(collector, text, writer, log))));
      }
    }
    Map<String, Object> report = new LinkedHashMap<>();
    report.put("java", Runtime.version().toString());
    report.put("secondsEach", seconds * rounds);
    report.put("unit", "microseconds");
    report.put("results", rows);
    new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT).writeValue(out.toFile(), report);
    return 0;
  }

  private void run(String collector, String text, String writer, Log log)
      throws IOException, InterruptedException {
    boolean isLane = !writer.equals("nobody") && !writer.startsWith("Files.");
    Path printed = Files.createTempFile("files2-pauses-", null);
    List<String> words = new ArrayList<>();
    words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    words.addAll(List.of("-Xmx256m", "-Xms256m", "-XX:+AlwaysPreTouch", "-Xlog:safepoint,gc"));
    words.add("-XX:+Use" + collector + "GC");
    if (Runtime.version().feature() >= 24) {
      words.add("--enable-native-access=ALL-UNNAMED");
    }
    words.add("-Dfiles2.backend=" + (isLane ? writer : "nio"));
    words.addAll(List.of("-cp", System.getProperty("java.class.path"), Program.class.getName()));
    words.addAll(List.of(isLane ? "Files2" : writer, text, String.valueOf(seconds)));
    words.add(Files.createTempFile(folder, "files2-pauses-", null).toString());
    Process process =
        new ProcessBuilder(words)
            .redirectErrorStream(true)
            .redirectOutput(printed.toFile())
            .start();
    int status = process.waitFor();
    try (Stream<String> lines = Files.lines(printed)) {
      log.read(lines);
    }
    if (status != 0) {
      throw new IOException("exit code " + status + ": " + Files.readString(printed));
    }
    Files.delete(printed);
    Files.delete(Path.of(words.get(words.size() - 1)));
  }

  private Row row(String collector, String text, String writer, Log log) {
    double[] pauses = log.pauses.stream().mapToDouble(each -> each).sorted().toArray();
    double[] reaches = log.reaches.stream().mapToDouble(each -> each).sorted().toArray();
    return new Row(
        collector,
        text,
        writer,
        pauses.length,
        at(pauses, 0.5),
        at(pauses, 0.99),
        at(pauses, 1),
        at(reaches, 0.5),
        at(reaches, 1),
        log.heldUp,
        log.writes / seconds / rounds);
  }

  private static double at(double[] sorted, double part) {
    return sorted.length == 0 ? 0 : sorted[(int) (part * (sorted.length - 1))];
  }

  private static Row print(Row row) {
    System.out.printf(
        Locale.ROOT,
        "  %-18s %6d pauses: %8.0f, 99 %% %8.0f, at most %8.0f; to the safepoint %6.1f, at most %7.1f;"
            + " held up %d; %.0f writes/s%n",
        row.writer,
        row.pauses,
        row.median,
        row.most99,
        row.most,
        row.reachMedian,
        row.reachMost,
        row.heldUp,
        row.writesASecond);
    return row;
  }

  /** The program that pauses: writer, text, seconds, file. */
  static final class Program {
    private static volatile boolean ends;
    private static volatile Object sink;

    private Program() {}

    public static void main(String[] args) throws Exception {
      String[] text = args[1].split(":");
      String data = Texts.of(text[0], Integer.parseInt(text[1]));
      Path file = Path.of(args[3]);
      Thread allocating = new Thread(Program::allocate);
      allocating.start();
      long end = System.nanoTime() + Long.parseLong(args[2]) * 1_000_000_000;
      long writes = 0;
      while (System.nanoTime() < end) {
        switch (args[0]) {
          case "nobody" -> Thread.sleep(10);
          case "Files2" -> Files2.writeStringSync(file, data);
          default -> Files.writeString(file, data);
        }
        writes++;
      }
      ends = true;
      allocating.join();
      System.out.println("writes " + writes);
    }

    /** Keeps a tenth of what it allocates for a while, as a server does. */
    private static void allocate() {
      Object[] kept = new Object[4096];
      for (int i = 0; !ends; i++) {
        byte[] made = new byte[1024];
        Arrays.fill(made, (byte) i);
        sink = made;
        if (i % 10 == 0) {
          kept[i / 10 % kept.length] = made;
        }
      }
    }
  }
}
