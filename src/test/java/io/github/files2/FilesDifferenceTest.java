package io.github.files2;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * {@code java.nio.file.Files} and Files2 do the same random jobs: what they throw and all that is
 * in the folder afterwards must be the same. A job is a line as in {@link NodeJob}, with {@code
 * form}, {@code charset}, {@code options} and {@code lines} in its set-up.
 *
 * <p>{@code -Dfiles2.seed=N} repeats a run, {@code -Dfiles2.job=LINE} does one job.
 */
final class FilesDifferenceTest extends EachLaneTest {
  private static final int JOBS = 3000;
  private static final int MOST_REPORTED = 10;
  private static final String THE_PATH = "the path";
  private static final OpenOption FOREIGN = new OpenOption() {};
  private static final String[] CHARSETS = {
    "UTF-8",
    "ISO-8859-1",
    "US-ASCII",
    "UTF-16",
    "UTF-16LE",
    "UTF-16BE",
    "x-UTF-16LE-BOM",
    "UTF-32",
    "windows-1252",
    "Shift_JIS",
    "GB18030",
    "ISO-2022-JP"
  };

  /** The first so many letters are of one byte a char in the JVM. */
  private static final int ONE_BYTE_LETTERS = 4;

  private static final String[] LETTERS = {
    "é", "a", "text ", "\n", "\u0100", "ж", "中", "ﾊ", "€", "\ufeff", "😀", "\ud83d", "\ude00"
  };
  private static final int[] LENGTHS = {
    0, 1, 100, 4096, 8191, 8192, 8193, 65_537, 131_072, 200_000
  };
  private static final String[] OPTIONS = {
    "CREATE",
    "TRUNCATE_EXISTING",
    "WRITE",
    "APPEND",
    "CREATE_NEW",
    "READ",
    "SYNC",
    "DSYNC",
    "SPARSE",
    "DELETE_ON_CLOSE",
    "NOFOLLOW_LINKS",
    "FOREIGN",
    "NULL"
  };

  /** One of the two that are compared. */
  private enum Library {
    JDK,
    FILES2
  }

  /** What one of them did. */
  private record Outcome(String result, Object state) {}

  private interface Trial {
    /** Returns the difference, or {@code null}. */
    String difference(NodeJob job) throws IOException;
  }

  @Test
  void randomJobs_defaultFileSystem_endAsWithFiles() throws IOException {
    tryAll(
        NodeTarget.values(),
        job -> {
          Path here = Files.createDirectory(folder.resolve("here"));
          NodeTarget.setMode(here, 0777);
          Path expected = job.target().prepare(here, job);
          String jdk = result(expected, job, Library.JDK);
          FolderState jdkState = FolderState.takeOut(here);
          String files2 = result(job.target().prepare(here, job), job, Library.FILES2);
          String left = jdkState.differenceTo(FolderState.takeOut(here));
          Files.delete(here);
          boolean isSame = isSame(jdk, files2) || mayFailTwice(job) && !files2.equals(THE_PATH);
          return isSame ? left : jdk + " but " + files2;
        });
  }

  @Test
  void randomJobs_inMemoryFileSystem_endAsWithFiles() throws IOException {
    try (FileSystem memory = Jimfs.newFileSystem(Configuration.unix())) {
      tryElsewhere(memory);
    }
  }

  @Test
  void randomJobs_zipFileSystem_endAsWithFiles() throws IOException {
    Map<String, String> create = Map.of("create", "true");
    try (FileSystem zip = FileSystems.newFileSystem(folder.resolve("a.zip"), create)) {
      tryElsewhere(zip);
    }
  }

  private void tryElsewhere(FileSystem system) throws IOException {
    NodeTarget[] targets = {
      NodeTarget.MISSING, NodeTarget.FILE, NodeTarget.FOLDER, NodeTarget.MISSING_PARENT
    };
    tryAll(
        targets,
        job -> {
          Outcome jdk = outcomeIn(system, job, Library.JDK);
          Outcome files2 = outcomeIn(system, job, Library.FILES2);
          boolean isSame = jdk.state.equals(files2.state) && isSame(jdk.result, files2.result);
          return isSame ? null : jdk + " but " + files2;
        });
  }

  private static Outcome outcomeIn(FileSystem system, NodeJob job, Library library)
      throws IOException {
    Path file = system.getPath("/file");
    switch (job.target()) {
      case FILE -> Files.write(file, new byte[job.oldBytes()]);
      case FOLDER -> Files.createDirectory(file);
      case MISSING_PARENT -> file = system.getPath("/missing/file");
      default -> {}
    }
    String result = result(file, job, library);
    Object state = "nothing";
    if (Files.isDirectory(file)) {
      state = "folder";
    } else if (Files.exists(file)) {
      byte[] content = Files.readAllBytes(file);
      state = content.length + " bytes " + Arrays.hashCode(content);
    }
    Files.deleteIfExists(file);
    return new Outcome(result, state);
  }

  /** A failed write is a bare IOException of the JDK's; ours tells the path and the errno. */
  private static boolean isSame(String jdk, String files2) {
    return files2.equals(jdk)
        || jdk.equals(IOException.class.getName())
            && files2.equals(FileSystemException.class.getName());
  }

  /**
   * Lines are written while they are encoded. Where both go wrong, it is the size of the pieces
   * that tells which comes first, and ours are larger.
   */
  private static boolean mayFailTwice(NodeJob job) {
    return job.target() == NodeTarget.FULL_DEVICE && "lines".equals(job.setup().get("form"));
  }

  private void tryAll(NodeTarget[] targets, Trial trial) throws IOException {
    String line = System.getProperty("files2.job");
    if (line != null) {
      assertThat(trial.difference(NodeJob.parse(line))).isNull();
      return;
    }
    long seed = Long.getLong("files2.seed", System.nanoTime());
    System.out.println("FilesDifferenceTest: -Dfiles2.seed=" + seed);
    Random random = new Random(seed);
    List<String> found = new ArrayList<>();
    for (int i = 0; i < JOBS && found.size() < MOST_REPORTED; i++) {
      NodeJob job = randomJob(random, targets);
      if (trial.difference(job) != null) {
        NodeJob smallest = NodeJobs.shrink(job, smaller -> differs(trial, smaller));
        String difference = trial.difference(smallest);
        found.add("\n" + difference + "\n  -Dfiles2.job='" + smallest + "'");
      }
    }
    assertThat(found).as("seed %d", seed).isEmpty();
  }

  private static boolean differs(Trial trial, NodeJob job) {
    try {
      return trial.difference(job) != null;
    } catch (IOException e) {
      throw new UncheckedIOException(job.toString(), e);
    }
  }

  private static NodeJob randomJob(Random random, NodeTarget[] targets) {
    Map<String, String> setup = new LinkedHashMap<>();
    boolean isUsual = random.nextInt(3) > 0;
    NodeTarget target = isUsual ? NodeTarget.FILE : targets[random.nextInt(targets.length)];
    setup.put("target", target.name());
    setup.put("old", String.valueOf(LENGTHS[random.nextInt(LENGTHS.length)]));
    setup.put("form", List.of("text", "bytes", "lines").get(random.nextInt(3)));
    if (random.nextBoolean()) {
      setup.put("charset", CHARSETS[random.nextInt(CHARSETS.length)]);
    }
    int optionCount = random.nextInt(4);
    List<String> options = new ArrayList<>();
    for (int i = 0; i < optionCount; i++) {
      // The first four make most of what succeeds.
      int bound = random.nextInt(3) > 0 ? 4 : OPTIONS.length;
      String option = OPTIONS[random.nextInt(bound)];
      // It would take the device away.
      if (!target.isDevice() || !option.equals("DELETE_ON_CLOSE")) {
        options.add(option);
      }
    }
    if (!options.isEmpty()) {
      setup.put("options", String.join("+", options));
    }
    if (random.nextInt(4) == 0) {
      setup.put("lines", random.nextBoolean() ? "FAIL" : "NULL");
    }
    List<String> runs = new ArrayList<>();
    int length = LENGTHS[random.nextInt(LENGTHS.length)];
    length = random.nextBoolean() ? length + random.nextInt(3) : random.nextInt(1 + length);
    // Half of the texts have one byte a char in the JVM: the lanes take these by ways of their own.
    int kinds = 1 + random.nextInt(random.nextBoolean() ? LETTERS.length : ONE_BYTE_LETTERS);
    while (length > 0 && runs.size() < 8) {
      String letter = LETTERS[random.nextInt(kinds)];
      int count = 1 + random.nextInt(Math.max(1, length / letter.length()));
      runs.add(NodeJob.run(letter, count));
      length -= count * letter.length();
    }
    Map<String, String> step = new LinkedHashMap<>();
    step.put("text", String.join(".", runs));
    return new NodeJob(setup, new ArrayList<>(List.of(step)));
  }

  /** Does the job and tells what came of it. */
  private static String result(Path file, NodeJob job, Library library) {
    String text = NodeJob.text(job.steps().get(0));
    String charsetName = job.setup().get("charset");
    Charset charset = charsetName == null ? null : Charset.forName(charsetName);
    OpenOption[] options = options(job.setup().getOrDefault("options", ""));
    boolean isJdk = library == Library.JDK;
    try {
      Path returned =
          switch (job.setup().getOrDefault("form", "text")) {
            case "bytes" -> {
              byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
              yield isJdk ? Files.write(file, bytes, options) : Files2.write(file, bytes, options);
            }
            case "lines" -> {
              Iterable<String> lines = lines(text, job.setup().get("lines"));
              if (charset == null) {
                yield isJdk
                    ? Files.write(file, lines, options)
                    : Files2.write(file, lines, options);
              }
              yield isJdk
                  ? Files.write(file, lines, charset, options)
                  : Files2.write(file, lines, charset, options);
            }
            default -> {
              if (charset == null) {
                yield isJdk
                    ? Files.writeString(file, text, options)
                    : Files2.writeString(file, text, options);
              }
              yield isJdk
                  ? Files.writeString(file, text, charset, options)
                  : Files2.writeString(file, text, charset, options);
            }
          };
      return returned == file ? THE_PATH : "another path";
    } catch (IOException | RuntimeException e) {
      return e.getClass().getName();
    }
  }

  private static OpenOption[] options(String names) {
    return Arrays.stream(names.split("\\+"))
        .filter(name -> !name.isEmpty())
        .map(FilesDifferenceTest::option)
        .toArray(OpenOption[]::new);
  }

  private static OpenOption option(String name) {
    return switch (name) {
      case "NULL" -> null;
      case "FOREIGN" -> FOREIGN;
      case "NOFOLLOW_LINKS" -> LinkOption.NOFOLLOW_LINKS;
      default -> StandardOpenOption.valueOf(name);
    };
  }

  /** Returns the lines of the text, and then {@code null} or an exception where that is wanted. */
  private static Iterable<String> lines(String text, String end) {
    List<String> lines = new ArrayList<>(Arrays.asList(text.split("\n", -1)));
    if ("NULL".equals(end)) {
      lines.add(null);
    }
    if (!"FAIL".equals(end)) {
      return lines;
    }
    return () -> {
      Iterator<String> good = lines.iterator();
      return new Iterator<>() {
        @Override
        public boolean hasNext() {
          return true;
        }

        @Override
        public String next() {
          if (!good.hasNext()) {
            throw new IllegalStateException("no more lines");
          }
          return good.next();
        }
      };
    };
  }
}
