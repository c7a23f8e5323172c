package io.github.files2.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.github.files2.Files2;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Measures files that grow by writes of 1 KiB: the write phase alone, and with the close. A second
 * for the JIT, then for each size one warm-up and five runs, in rounds, so that a machine that gets
 * slower does so for all. Called by the script {@code benchmarks/growing-file}, which runs the peer
 * that is no Java.
 */
@Command(
    name = "growing-file",
    mixinStandardHelpOptions = true,
    description = "Measures files that grow by writes of 1 KiB, in FOLDER.")
public final class GrowingFileTable implements Callable<Integer> {
  private static final int WRITE_BYTES = 1024;

  /** What each contender gets first, for the JIT. */
  private static final long WARM_UP_NANOS = 1_000_000_000;

  private static final int[] BUFFERINGS = {0, 8192};

  @Option(names = "--quick", description = "Only to see that it runs: 1 MiB, once, cold.")
  private boolean isQuick;

  @Option(names = "--peer", description = "NAME=FILE; its rows, as JSON.")
  private Map<String, Path> peers = new LinkedHashMap<>();

  @Option(names = "--missing", description = "What could not be had, for the report.")
  private List<String> missing = new ArrayList<>();

  @Option(names = "--fact", description = "NAME=VALUE, for the report.")
  private Map<String, String> facts = new LinkedHashMap<>();

  @Option(names = "--out", required = true, description = "Where the results go, as JSON.")
  private Path out;

  @Parameters(description = "Where to write.")
  private Path folder;

  /**
   * One row of the table; times are milliseconds.
   *
   * @param write from the open to the close, both left out
   * @param whole with the close, 0 where it was not measured
   */
  record Row(
      String contender,
      int buffering,
      int mebibytes,
      double write,
      double whole,
      double[] writeSamples,
      double[] wholeSamples) {}

  private final byte[] data = new byte[WRITE_BYTES];
  private int runs = 5;
  private int[] sizes = {1, 2, 4, 8};

  public static void main(String[] args) {
    System.exit(new CommandLine(new GrowingFileTable()).execute(args));
  }

  @Override
  public Integer call() throws IOException {
    for (int i = 0; i < data.length; i++) {
      data[i] = (byte) i;
    }
    facts.put("lane", Files2.backendReport().lines().findFirst().orElseThrow().split(" ")[1]);
    facts.put("file system", Files.getFileStore(folder).type());
    facts.forEach((name, value) -> System.out.println(name + ": " + value));
    missing.forEach(name -> System.out.println("left out: " + name));
    if (isQuick) {
      runs = 1;
      sizes = new int[] {1};
    } else {
      warmUp();
    }
    List<Row> rows = new ArrayList<>();
    for (int buffering : BUFFERINGS) {
      for (int mebibytes : sizes) {
        rows.addAll(measure(buffering, mebibytes));
      }
    }
    ObjectMapper mapper = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);
    for (Map.Entry<String, Path> peer : peers.entrySet()) {
      for (JsonNode row : mapper.readTree(peer.getValue().toFile())) {
        rows.add(ofPeer(peer.getKey(), row));
      }
    }
    print(rows);
    Map<String, Object> report = new LinkedHashMap<>();
    report.put("facts", facts);
    report.put("leftOut", missing);
    report.put("unit", "milliseconds a file");
    report.put("results", rows);
    mapper.writeValue(out.toFile(), report);
    System.out.println("written: " + out);
    return 0;
  }

  private static Row ofPeer(String name, JsonNode row) {
    double[] samples = new double[row.get("samples").size()];
    for (int i = 0; i < samples.length; i++) {
      samples[i] = row.get("samples").get(i).asDouble();
    }
    int buffering = row.get("buffering").asInt();
    int mebibytes = row.get("mebibytes").asInt();
    return new Row(name, buffering, mebibytes, median(samples), 0, samples, new double[0]);
  }

  private void warmUp() throws IOException {
    Path file = folder.resolve("growing-file");
    for (GrowingFile contender : GrowingFile.values()) {
      long start = System.nanoTime();
      while (System.nanoTime() - start < WARM_UP_NANOS) {
        for (int buffering : BUFFERINGS) {
          write(contender, file, buffering, 1);
        }
      }
    }
    Files.delete(file);
  }

  private List<Row> measure(int buffering, int mebibytes) throws IOException {
    GrowingFile[] contenders = GrowingFile.values();
    double[][] write = new double[contenders.length][runs];
    double[][] whole = new double[contenders.length][runs];
    for (int run = -1; run < runs; run++) {
      for (int i = 0; i < contenders.length; i++) {
        Path file = folder.resolve("growing-file");
        System.gc(); // nobody pays for the garbage of the one before
        double[] millis = write(contenders[i], file, buffering, mebibytes);
        check(contenders[i], file, mebibytes);
        Files.delete(file);
        if (run >= 0) {
          write[i][run] = millis[0];
          whole[i][run] = millis[1];
        }
      }
    }
    List<Row> rows = new ArrayList<>();
    for (int i = 0; i < contenders.length; i++) {
      String label = contenders[i].label;
      double writeMedian = median(write[i]);
      double wholeMedian = median(whole[i]);
      rows.add(new Row(label, buffering, mebibytes, writeMedian, wholeMedian, write[i], whole[i]));
    }
    return rows;
  }

  /** Returns the milliseconds of the write phase, and those with the close. */
  private double[] write(GrowingFile contender, Path file, int buffering, int mebibytes)
      throws IOException {
    OutputStream opened = contender.open(file);
    OutputStream stream = buffering == 0 ? opened : new BufferedOutputStream(opened, buffering);
    long start = System.nanoTime();
    for (int left = mebibytes * 1024; left > 0; left--) {
      stream.write(data);
    }
    stream.flush();
    long written = System.nanoTime();
    stream.close();
    long closed = System.nanoTime();
    return new double[] {(written - start) / 1e6, (closed - start) / 1e6};
  }

  /** What is fast but wrong is no contender. */
  private void check(GrowingFile contender, Path file, int mebibytes) throws IOException {
    byte[] found = Files.readAllBytes(file);
    boolean isRight = found.length == mebibytes * 1024 * WRITE_BYTES;
    for (int i = 0; isRight && i < found.length; i++) {
      isRight = found[i] == data[i % WRITE_BYTES];
    }
    if (!isRight) {
      throw new IllegalStateException(contender.label + " has written other bytes");
    }
  }

  private static double median(double[] samples) {
    double[] sorted = samples.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }

  private void print(List<Row> rows) {
    for (int buffering : BUFFERINGS) {
      System.out.printf("%nbuffering %d, write phase in ms (with the close)%n", buffering);
      System.out.printf("%-38s", "");
      for (int mebibytes : sizes) {
        System.out.printf("%20s", mebibytes + " MiB");
      }
      System.out.printf("%10s%n", "8 to 1");
      rows.stream()
          .filter(row -> row.buffering == buffering)
          .map(Row::contender)
          .distinct()
          .forEach(name -> print(rows, buffering, name));
    }
  }

  private static void print(List<Row> rows, int buffering, String contender) {
    System.out.printf("%-38s", contender);
    double first = 0;
    double last = 0;
    for (Row row : rows) {
      if (row.buffering == buffering && row.contender.equals(contender)) {
        String whole = row.whole == 0 ? "" : String.format(" (%.2f)", row.whole);
        System.out.printf("%20s", String.format("%.3f", row.write) + whole);
        first = first == 0 ? row.write : first;
        last = row.write;
      }
    }
    System.out.printf("%10.1f%n", last / first);
  }
}
