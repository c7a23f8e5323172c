package io.github.files2;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Predicate;

/** Makes random jobs, and makes one that fails as small as it can be. */
final class NodeJobs {
  private static final String[] FLAGS = {
    "r", "rs", "sr", "r+", "rs+", "sr+", "w", "wx", "xw", "w+", "wx+", "xw+", "a", "ax", "xa", "as",
    "sa", "a+", "ax+", "xa+", "as+", "sa+"
  };
  private static final String[] MALFORMED_FLAGS = {
    "+", "+a", "rw", "wa", "war", "raw", "r++", "w++", "x", "+x", "rx", "wxx", "xwx", "ws", "W",
    "wr"
  };
  private static final String[] ENCODINGS = {
    "utf8", "UTF8", "utf-8", "Utf-8", "utf16le", "UTF-16LE", "ucs2", "UCS-2", "latin1", "Latin1",
    "binary", "BINARY", "ascii", "ASCII", "base64", "BASE64", "base64url", "Base64URL", "hex", "HEX"
  };
  private static final String[] UNKNOWN_ENCODINGS = {"utf-7", "utf", "hex ", "latin-1", "b64"};
  private static final String[] MODES = {"666", "600", "644", "777", "400", "0", "222", "4755"};
  private static final String[] MODE_TEXTS = {"600", "0644", "0o600", "888", "abc"};
  private static final String[] UMASKS = {"022", "000", "077", "027", "0777"};

  /** Borders of the small buffer, of a look at a string, and of a chunk, in chars and in bytes. */
  private static final int[] BORDERS = {
    8, 64, 256, 512, 1024, 2048, 4096, 5461, 8192, 16_384, 21_845, 32_768, 43_690, 65_536, 87_381,
    131_072, 174_762, 262_144
  };

  /** In chars: more than a chunk holds in any encoding but hex. */
  private static final int LONGEST = 200_000;

  /** The first so many letters are of one byte a char in the JVM. */
  private static final int ONE_BYTE_LETTERS = 6;

  private static final String[] LETTERS = {
    "é",
    "a",
    "hello ",
    "\n",
    "\u0000",
    "ÿ",
    "\u0100",
    "ж",
    "\u07ff",
    "\u0800",
    "中",
    "\uffff",
    "\ufeff",
    "😀",
    "\ud800\udc00",
    "\udbff\udfff",
    "\ud83d",
    "\ude00",
    "\udc00\ud800"
  };
  private static final String[] BASE64 = {
    "TWFu", "-_+/", "w0", "YQ==", "=", " ", "\n", "AAAA\r\n", "\u0080", "\u0141", "中", "ab=c", "A"
  };
  private static final String[] HEX = {"00", "fF", "7a", "A", "g", " ", "\u0130", "中", "0"};

  private final Random random;

  NodeJobs(Random random) {
    this.random = random;
  }

  NodeJob next() {
    Map<String, String> setup = new LinkedHashMap<>();
    if (random.nextInt(4) == 0) {
      setup.put("umask", one(UMASKS));
    }
    if (random.nextInt(6) == 0) {
      setup.put("user", "nobody");
    }
    NodeTarget[] targets = NodeTarget.values();
    int choice = random.nextInt(10);
    NodeTarget target =
        choice < 4
            ? NodeTarget.FILE
            : choice < 6 ? NodeTarget.MISSING : targets[random.nextInt(targets.length)];
    setup.put("target", target.name());
    setup.put("old", String.valueOf(random.nextInt(3) == 0 ? length() : random.nextInt(200)));
    if (random.nextInt(5) == 0) {
      setup.put("oldMode", one("600", "444", "0", "755", "4755", "666"));
    }
    if (random.nextInt(8) == 0) {
      setup.put("owner", "65534");
    }
    boolean usesDescriptor = random.nextInt(4) == 0;
    if (usesDescriptor) {
      setup.put("open", random.nextInt(12) == 0 ? one(MALFORMED_FLAGS) : one(FLAGS));
      putMode(setup);
    }
    List<Map<String, String>> steps = new ArrayList<>();
    do {
      steps.add(step());
    } while (steps.size() < 4 && random.nextInt(3) == 0);
    return new NodeJob(setup, steps);
  }

  private Map<String, String> step() {
    Map<String, String> step = new LinkedHashMap<>();
    step.put("op", random.nextBoolean() ? "write" : "append");
    if (random.nextInt(3) == 0) {
      step.put("flag", random.nextInt(12) == 0 ? one(MALFORMED_FLAGS) : one(FLAGS));
    }
    String encoding = null;
    if (random.nextInt(8) == 0) {
      step.put("data", one("bytes", "direct"));
    } else if (random.nextBoolean()) {
      encoding = random.nextInt(20) == 0 ? one(UNKNOWN_ENCODINGS) : one(ENCODINGS);
      step.put("enc", encoding);
    }
    putMode(step);
    if (random.nextInt(6) == 0) {
      step.put("flush", random.nextInt(3) > 0 ? "true" : "false");
    }
    step.put("text", text(encoding, step.containsKey("data")));
    return step;
  }

  private void putMode(Map<String, String> fields) {
    if (random.nextInt(5) == 0) {
      fields.put("mode", one(MODES));
    } else if (random.nextInt(12) == 0) {
      fields.put("modeText", one(MODE_TEXTS));
    }
  }

  private String text(String encoding, boolean isBytes) {
    String name = encoding == null ? "" : encoding.toLowerCase(java.util.Locale.ROOT);
    String[] letters = name.startsWith("base64") ? BASE64 : name.startsWith("hex") ? HEX : LETTERS;
    // Half of the texts have one byte a char in the JVM: the lanes take these by ways of their own.
    int most = random.nextBoolean() ? letters.length : Math.min(ONE_BYTE_LETTERS, letters.length);
    int kinds = 1 + random.nextInt(most);
    int rest = length();
    List<String> runs = new ArrayList<>();
    while (rest > 0 && runs.size() < 12) {
      String letter = isBytes ? one("a", "ÿ", "\u0000") : letters[random.nextInt(kinds)];
      int fitting = Math.max(1, rest / letter.length());
      int count = random.nextInt(3) == 0 ? fitting : 1 + random.nextInt(fitting);
      runs.add(NodeJob.run(letter, count));
      rest -= count * letter.length();
    }
    return String.join(".", runs);
  }

  private int length() {
    int border = BORDERS[random.nextInt(BORDERS.length)];
    return switch (random.nextInt(9)) {
      case 0 -> random.nextInt(LONGEST);
      case 1 -> border - random.nextInt(1 + border / 16);
      case 2 -> border + random.nextInt(7) - 3;
      default -> random.nextInt(100);
    };
  }

  private String one(String... choices) {
    return choices[random.nextInt(choices.length)];
  }

  /** Returns the smallest job found that {@code fails} as {@code job} does. */
  static NodeJob shrink(NodeJob job, Predicate<NodeJob> fails) {
    NodeJob smallest = job;
    boolean hasShrunk = true;
    while (hasShrunk) {
      hasShrunk = false;
      for (NodeJob smaller : smaller(smallest)) {
        if (fails.test(smaller)) {
          smallest = smaller;
          hasShrunk = true;
          break;
        }
      }
    }
    return smallest;
  }

  /** Returns jobs with one thing less. */
  private static List<NodeJob> smaller(NodeJob job) {
    List<NodeJob> jobs = new ArrayList<>();
    for (int i = 0; i < job.steps().size() && job.steps().size() > 1; i++) {
      NodeJob copy = job.copy();
      copy.steps().remove(i);
      jobs.add(copy);
    }
    for (String key : job.setup().keySet()) {
      NodeJob copy = job.copy();
      copy.setup().remove(key);
      jobs.add(copy);
    }
    for (int i = 0; i < job.steps().size(); i++) {
      for (String key : job.steps().get(i).keySet()) {
        NodeJob copy = job.copy();
        copy.steps().get(i).remove(key);
        jobs.add(copy);
      }
      List<String> runs = NodeJob.runs(job.steps().get(i));
      for (int r = 0; r < runs.size(); r++) {
        addWithLess(jobs, job, i, runs, r);
      }
    }
    return jobs;
  }

  private static void addWithLess(
      List<NodeJob> jobs, NodeJob job, int step, List<String> runs, int at) {
    List<String> fewer = new ArrayList<>(runs);
    fewer.remove(at);
    addWithText(jobs, job, step, fewer);
    int star = runs.get(at).indexOf('*') + 1;
    int count = Integer.parseInt(runs.get(at).substring(star));
    for (int less : new int[] {1, count / 2, count - 1}) {
      if (less > 0 && less < count) {
        List<String> shorter = new ArrayList<>(runs);
        shorter.set(at, runs.get(at).substring(0, star) + less);
        addWithText(jobs, job, step, shorter);
      }
    }
  }

  private static void addWithText(List<NodeJob> jobs, NodeJob job, int step, List<String> runs) {
    NodeJob copy = job.copy();
    copy.steps().get(step).put("text", String.join(".", runs));
    jobs.add(copy);
  }
}
