package io.github.files2;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A job for Node and for every lane, as a line that names what is not at its default: fields of the
 * set-up, then each step's fields after a bar, as in {@code
 * umask=077,target=FILE,old=9|op=append,flag=w,enc=hex,text=00610062*3.d83d*1}. A text is runs of
 * UTF-16 units in hex, each with how often it comes. Immutable as long as nobody changes the maps.
 *
 * <p>Set-up: {@code umask}, {@code user} (nobody), {@code target} ({@link NodeTarget}), {@code old}
 * (bytes of the old file), {@code oldMode}, {@code owner} (its uid); {@code open} (the flag of a
 * descriptor that all steps share) with {@code mode} or {@code modeText}, and {@code stream} (a
 * FileDescriptor of Java instead). Step: {@code op} (write or append), {@code flag}, {@code enc},
 * {@code mode} (a number in octal digits) or {@code modeText}, {@code flush}, {@code data} (bytes
 * or direct, else text), {@code text}.
 */
record NodeJob(Map<String, String> setup, List<Map<String, String>> steps) {
  static NodeJob parse(String line) {
    String[] parts = line.split("\\|", -1);
    List<Map<String, String>> steps = new ArrayList<>();
    for (int i = 1; i < parts.length; i++) {
      steps.add(fields(parts[i]));
    }
    return new NodeJob(fields(parts[0]), steps);
  }

  private static Map<String, String> fields(String part) {
    Map<String, String> fields = new LinkedHashMap<>();
    for (String field : part.split(",")) {
      int equals = field.indexOf('=');
      if (equals > 0) {
        fields.put(field.substring(0, equals), field.substring(equals + 1));
      }
    }
    return fields;
  }

  @Override
  public String toString() {
    StringBuilder line = new StringBuilder(join(setup));
    for (Map<String, String> step : steps) {
      line.append('|').append(join(step));
    }
    return line.toString();
  }

  private static String join(Map<String, String> fields) {
    List<String> parts = new ArrayList<>();
    fields.forEach((key, value) -> parts.add(key + "=" + value));
    return String.join(",", parts);
  }

  /** Returns a copy whose maps may be changed. */
  NodeJob copy() {
    List<Map<String, String>> copies = new ArrayList<>();
    steps.forEach(step -> copies.add(new LinkedHashMap<>(step)));
    return new NodeJob(new LinkedHashMap<>(setup), copies);
  }

  int umask() {
    return Integer.parseInt(setup.getOrDefault("umask", "022"), 8);
  }

  boolean isNobodys() {
    return "nobody".equals(setup.get("user"));
  }

  NodeTarget target() {
    return NodeTarget.valueOf(setup.getOrDefault("target", "MISSING"));
  }

  int oldBytes() {
    return Integer.parseInt(setup.getOrDefault("old", "0"));
  }

  int oldMode() {
    return Integer.parseInt(setup.getOrDefault("oldMode", "644"), 8);
  }

  int owner() {
    return Integer.parseInt(setup.getOrDefault("owner", "0"));
  }

  /** Tells whether the steps write to one descriptor. */
  boolean usesDescriptor() {
    return setup.containsKey("open");
  }

  boolean usesStream() {
    return setup.containsKey("stream");
  }

  /** Returns the text of a step. */
  static String text(Map<String, String> step) {
    StringBuilder text = new StringBuilder();
    for (String run : runs(step)) {
      int star = run.indexOf('*');
      StringBuilder units = new StringBuilder();
      for (int i = 0; i < star; i += 4) {
        units.append((char) Integer.parseInt(run, i, i + 4, 16));
      }
      text.append(units.toString().repeat(Integer.parseInt(run.substring(star + 1))));
    }
    return text.toString();
  }

  /** Returns the runs that make the text of a step. */
  static List<String> runs(Map<String, String> step) {
    String recipe = step.getOrDefault("text", "");
    return recipe.isEmpty() ? List.of() : List.of(recipe.split("\\."));
  }

  /** Writes down {@code count} times {@code units}. */
  static String run(String units, int count) {
    StringBuilder run = new StringBuilder();
    for (int i = 0; i < units.length(); i++) {
      run.append(String.format("%04x", (int) units.charAt(i)));
    }
    return run.append('*').append(count).toString();
  }
}
