import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_16LE;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Locale;
import java.util.function.IntSupplier;

/**
 * What the JDK does with one text of kernels_bench -d, in the same columns. One text a JVM, so that
 * each is compiled for itself. Usage: {@code java JdkEncoders.java FOLDER NAME KERNEL,TEXT}.
 */
final class JdkEncoders {
  private static final int SAMPLES = 9;
  private static final long SAMPLE_NANOS = 20_000_000;
  private static final long WARM_UP_NANOS = 1_500_000_000;

  private static volatile int sink;

  private JdkEncoders() {}

  public static void main(String[] args) throws IOException {
    String kernel = args[2].split(",")[0];
    byte[] source = Files.readAllBytes(Path.of(args[0], args[2]));
    String text = new String(source, kernel.startsWith("utf16") ? UTF_16LE : ISO_8859_1);
    IntSupplier job =
        switch (kernel) {
          case "utf16_to_utf8", "latin1_to_utf8" -> () -> text.getBytes(UTF_8).length;
          case "base64_decode" -> () -> Base64.getMimeDecoder().decode(text).length;
          case "hex_decode" -> () -> HexFormat.of().parseHex(text).length;
          default -> throw new IllegalArgumentException(kernel);
        };
    if (kernel.startsWith("base64") && args[2].endsWith(",dense")) {
      job = () -> Base64.getDecoder().decode(text).length;
    }
    double bytes = kernel.endsWith("utf8") ? job.getAsInt() : source.length;
    long begin = System.nanoTime();
    long runs = 0;
    while (System.nanoTime() - begin < WARM_UP_NANOS) {
      sink = job.getAsInt();
      runs++;
    }
    long runsOfSample = Math.max(1, runs * SAMPLE_NANOS / WARM_UP_NANOS);
    double[] samples = new double[SAMPLES];
    for (int i = 0; i < SAMPLES; i++) {
      long sampleBegin = System.nanoTime();
      for (long r = 0; r < runsOfSample; r++) {
        sink = job.getAsInt();
      }
      samples[i] = (double) (System.nanoTime() - sampleBegin) / runsOfSample;
    }
    Arrays.sort(samples);
    double median = samples[SAMPLES / 2];
    System.out.printf(
        Locale.ROOT,
        "%s,%s,%s,%d,%.2f,%.2f,%.1f%n",
        kernel,
        args[1],
        args[2].split(",")[1],
        source.length,
        bytes / median,
        bytes / samples[0],
        median);
  }
}
