package io.github.files2;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The java.nio family beside the JDK's own methods: the same bytes, the same exception classes. */
final class FilesTwinTest extends EachLaneTest {
  private static final OpenOption[] NONE = {};

  /** One write of the JDK or of Files2. */
  private interface Write {
    void to(Path file) throws IOException;
  }

  /** What a target is before the write. */
  private enum State {
    MISSING,
    EXISTING,
    EMPTY,
    LINK,
    DANGLING_LINK,
    FOLDER,
    IN_MISSING_FOLDER,
    IN_FILE;

    /** Makes a target in an empty folder. */
    Path make(Path folder) throws IOException {
      Path file = folder.resolve("file");
      return switch (this) {
        case MISSING -> file;
        case EXISTING -> Files.writeString(file, "the old content");
        case EMPTY -> Files.createFile(file);
        case LINK -> {
          Files.writeString(file, "the old content");
          yield Files.createSymbolicLink(folder.resolve("link"), Path.of("file"));
        }
        case DANGLING_LINK -> Files.createSymbolicLink(folder.resolve("link"), Path.of("file"));
        case FOLDER -> Files.createDirectory(file);
        case IN_MISSING_FOLDER -> folder.resolve("missing").resolve("file");
        case IN_FILE -> Files.createFile(file).resolve("child");
      };
    }
  }

  /** Writes and tells all that a user can see of it: the exception's class and the folder after. */
  private static String outcome(Path folder, State state, Write write) throws IOException {
    Files.createDirectory(folder);
    String result;
    try {
      Path target = state.make(folder);
      try {
        write.to(target);
        result = "no exception";
      } catch (IOException | RuntimeException e) {
        result = e.getClass().getName();
      }
    } finally {
      Thread.interrupted();
    }
    StringBuilder seen = new StringBuilder(result);
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : (Iterable<Path>) files.sorted()::iterator) {
        seen.append(' ').append(file.getFileName());
        if (Files.isSymbolicLink(file)) {
          seen.append(" -> ").append(Files.readSymbolicLink(file));
        } else if (Files.isRegularFile(file)) {
          byte[] content = Files.readAllBytes(file);
          seen.append(" of ").append(content.length).append(' ').append(Arrays.hashCode(content));
        }
        Files.delete(file);
      }
    }
    Files.delete(folder);
    return seen.toString();
  }

  private void checkTwins(String what, State state, Write jdk, Write files2) throws IOException {
    Path here = folder.resolve("twin");
    assertThat(outcome(here, state, files2))
        .as("%s, %s", what, state)
        .isEqualTo(outcome(here, state, jdk));
  }

  // --- Options

  /** Returns all sets of up to two or three options. */
  private static List<OpenOption[]> optionSets(boolean withTriples) {
    List<OpenOption> all = new ArrayList<>(List.of(StandardOpenOption.values()));
    all.add(LinkOption.NOFOLLOW_LINKS);
    List<OpenOption[]> sets = new ArrayList<>(List.of(NONE, new OpenOption[] {null}));
    for (int i = 0; i < all.size(); i++) {
      sets.add(new OpenOption[] {all.get(i)});
      for (int j = i; j < all.size(); j++) {
        sets.add(new OpenOption[] {all.get(j), all.get(i)});
        for (int k = j + 1; withTriples && k < all.size(); k++) {
          sets.add(new OpenOption[] {all.get(i), all.get(j), all.get(k)});
        }
      }
    }
    return sets;
  }

  @ParameterizedTest
  @MethodSource("states")
  void allForms_anyOptions_behaveAsFiles(State state) throws IOException {
    byte[] bytes = "new".getBytes(StandardCharsets.US_ASCII);
    List<String> lines = List.of("one", "tw\u00f6");
    Charset latin1 = StandardCharsets.ISO_8859_1;
    boolean isUsual = state == State.MISSING || state == State.EXISTING;
    for (OpenOption[] options : optionSets(isUsual)) {
      String what = Arrays.toString(options);
      checkTwins(
          "writeString " + what,
          state,
          file -> Files.writeString(file, "new", options),
          file -> Files2.writeString(file, "new", options));
      checkTwins(
          "writeString of nothing " + what,
          state,
          file -> Files.writeString(file, "", latin1, options),
          file -> Files2.writeString(file, "", latin1, options));
      checkTwins(
          "write bytes " + what,
          state,
          file -> Files.write(file, bytes, options),
          file -> Files2.write(file, bytes, options));
      checkTwins(
          "write lines " + what,
          state,
          file -> Files.write(file, lines, options),
          file -> Files2.write(file, lines, options));
    }
  }

  private static State[] states() {
    return State.values();
  }

  @Test
  void writeString_optionOfSomebodyElse_behavesAsFiles() throws IOException {
    OpenOption strange = new OpenOption() {};
    for (State state : State.values()) {
      checkTwins(
          "a strange option",
          state,
          file -> Files.writeString(file, "new", strange),
          file -> Files2.writeString(file, "new", strange));
    }
  }

  // --- Charsets

  private static List<String> texts() {
    List<String> texts = new ArrayList<>();
    for (String start :
        List.of("plain", "\u20ac 5", "\u65e5\u672c", "x\ude00", "\ufeff", "\ufffd")) {
      texts.add(start);
    }
    for (String start : List.of("", "caf\u00e9", "\u0100", "\ud83d\ude00", "\ud83d")) {
      texts.add(start);
      texts.add("x".repeat(140_000) + start);
    }
    return texts;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "UTF-8",
        "ISO-8859-1",
        "US-ASCII",
        "UTF-16",
        "UTF-16LE",
        "UTF-16BE",
        "UTF-32",
        "x-UTF-16LE-BOM",
        "windows-1252",
        "Shift_JIS",
        "GB18030",
        "x-JISAutoDetect"
      })
  void writeString_anyTextInCharset_behavesAsFiles(String name) throws IOException {
    Charset charset = Charset.forName(name);
    OpenOption[] append = {StandardOpenOption.APPEND};
    for (String text : texts()) {
      for (OpenOption[] options : new OpenOption[][] {NONE, append}) {
        String start = text.substring(0, Math.min(8, text.length()));
        String what = name + ", " + start + " of " + text.length() + Arrays.toString(options);
        checkTwins(
            what,
            State.EXISTING,
            file -> Files.writeString(file, text, charset, options),
            file -> Files2.writeString(file, text, charset, options));
      }
      checkTwins(
          name + " lines",
          State.EXISTING,
          file -> Files.write(file, List.of("first", text, "last"), charset),
          file -> Files2.write(file, List.of("first", text, "last"), charset));
    }
  }

  @Test
  void writeString_otherCharSequence_behavesAsFiles() throws IOException {
    for (CharSequence text :
        List.of(new StringBuilder("caf\u00e9"), java.nio.CharBuffer.wrap("x\u4e2d"))) {
      checkTwins(
          "a char sequence",
          State.EXISTING,
          file -> Files.writeString(file, text),
          file -> Files2.writeString(file, text));
    }
  }

  // --- Lines

  /** Lines that fail after a few. */
  private static Iterable<String> failingLines(int goodLines, String line) {
    return () ->
        new Iterator<>() {
          private int given;

          @Override
          public boolean hasNext() {
            return true;
          }

          @Override
          public String next() {
            if (given++ == goodLines) {
              throw new IllegalStateException("no more lines");
            }
            return line;
          }
        };
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 100, 30_000})
  void writeLines_iterableThatFails_leavesWhatFilesLeaves(int goodLines) throws IOException {
    for (State state : State.values()) {
      checkTwins(
          "failing lines",
          state,
          file -> Files.write(file, failingLines(goodLines, "a line of text")),
          file -> Files2.write(file, failingLines(goodLines, "a line of text")));
    }
  }

  @Test
  void writeLines_nullLine_behavesAsFiles() throws IOException {
    List<String> lines = Arrays.asList("one", null, "three");
    for (OpenOption[] options : new OpenOption[][] {NONE, {StandardOpenOption.APPEND}}) {
      checkTwins(
          "a null line",
          State.EXISTING,
          file -> Files.write(file, lines, options),
          file -> Files2.write(file, lines, options));
    }
  }

  @Test
  void writeLines_linesOfTheFileItself_behavesAsFiles() throws IOException {
    checkTwins(
        "its own lines",
        State.EXISTING,
        file -> {
          try (Stream<String> lines = Files.lines(file)) {
            Files.write(file, (Iterable<String>) lines::iterator);
          }
        },
        file -> {
          try (Stream<String> lines = Files.lines(file)) {
            Files2.write(file, (Iterable<String>) lines::iterator);
          }
        });
  }

  @Test
  void writeLines_manyLines_behavesAsFiles() throws IOException {
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < 20_000; i++) {
      lines.add("line " + i + (i % 7 == 0 ? " caf\u00e9 \ud83d\ude00" : ""));
    }
    for (State state : State.values()) {
      checkTwins(
          "many lines", state, file -> Files.write(file, lines), file -> Files2.write(file, lines));
    }
  }

  // --- Interrupts and special files

  @Test
  void allForms_interruptedThread_behaveAsFiles() throws IOException {
    String text = "x".repeat(300_000);
    checkTwins(
        "interrupted",
        State.EXISTING,
        file -> {
          Thread.currentThread().interrupt();
          Files.writeString(file, text);
        },
        file -> {
          Thread.currentThread().interrupt();
          Files2.writeString(file, text);
          assertThat(Thread.currentThread().isInterrupted()).isTrue();
        });
  }

  // --- Paths

  @ParameterizedTest
  @ValueSource(strings = {"", ".", "..", "missing/.."})
  void writeString_pathOfAFolder_behavesAsFiles(String path) throws IOException {
    OpenOption[] createNew = {StandardOpenOption.CREATE_NEW};
    for (Path target : List.of(Path.of(path), folder.resolve(path))) {
      for (OpenOption[] options : new OpenOption[][] {NONE, createNew}) {
        checkTwins(
            target + Arrays.toString(options),
            State.MISSING,
            file -> Files.writeString(target, "x", options),
            file -> Files2.writeString(target, "x", options));
      }
    }
  }

  @Test
  void allForms_zipFileSystem_behaveAsFiles() throws IOException {
    Path zip = folder.resolve("a.zip");
    try (FileSystem files = FileSystems.newFileSystem(zip, Map.of("create", "true"))) {
      Path file = files.getPath("/file");
      Files2.writeString(file, "one");
      assertThat(file).hasContent("one");
      Files2.write(file, List.of("two"), StandardOpenOption.APPEND);
      Files2.write(file, new byte[] {'!'}, StandardOpenOption.APPEND);
      assertThat(file).hasContent("onetwo" + System.lineSeparator() + "!");
      assertThat(Files2.writeStringSync(file, "\u00e9 new")).isEqualTo(6);
      assertThat(Files2.appendStringSync(file, "er", WriteOptions.DEFAULT.flush(true)))
          .isEqualTo(2);
      assertThat(Files2.writeStringSync(file, "!", "a")).isEqualTo(1);
      assertThat(file).hasContent("\u00e9 newer!");
      Path second = files.getPath("second");
      Files2.writeBytesSync(second, new byte[] {1, 2}, WriteOptions.DEFAULT.flag("wx").mode(0600));
      assertThat(second).hasSize(2);
    }
    try (FileSystem files = FileSystems.newFileSystem(zip)) {
      assertThat(files.getPath("file")).hasContent("\u00e9 newer!");
    }
  }
}
