package io.github.files2.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.files2.Files2;
import io.github.files2.JavaEncoderBenchmark;
import java.io.IOException;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.io.TempDirFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.VerboseMode;

/** What is fast but wrong is no contender: every body writes what {@code Files} writes. */
final class BenchmarksTest {
  private static final List<Class<? extends Measured>> BENCHMARKS =
      List.of(
          OverwriteBenchmark.class,
          CreateBenchmark.class,
          AppendBenchmark.class,
          DescriptorBenchmark.class);

  /** The pom runs this class once for each lane. */
  private static final String LANE = System.getProperty("files2.backend", "nio");

  @TempDir(factory = DefaultFolder.class)
  private Path folder;

  /** Gigabytes go through it: memory where there is any. */
  static final class DefaultFolder implements TempDirFactory {
    @Override
    public Path createTempDirectory(AnnotatedElementContext element, ExtensionContext extension)
        throws IOException {
      return Files.createTempDirectory(Target.defaultFolder(), "files2-test-");
    }
  }

  @BeforeAll
  static void needLane() {
    String report = Files2.backendReport();
    boolean isHad = !report.startsWith("lane: none");
    Assumptions.assumeTrue(isHad || "1".equals(System.getenv("FILES2_CI")), report);
    assertThat(report).doesNotStartWith("lane: none");
  }

  static Stream<Arguments> bodies() throws ReflectiveOperationException {
    List<Arguments> bodies = new ArrayList<>();
    for (Class<?> benchmark : BENCHMARKS) {
      for (Method body : annotated(benchmark, Benchmark.class)) {
        for (String bytes : params("bytes")) {
          for (String text : params("text")) {
            String name = benchmark.getSimpleName() + "." + body.getName();
            bodies.add(Arguments.of(name, body, Integer.parseInt(bytes), text));
          }
        }
      }
    }
    return bodies.stream();
  }

  private static String[] params(String field) throws ReflectiveOperationException {
    return Target.class.getField(field).getAnnotation(Param.class).value();
  }

  @ParameterizedTest(name = "{0} {2} {3}")
  @MethodSource("bodies")
  void body_anyText_writesTheBytesOfFiles(String name, Method body, int bytes, String text)
      throws Exception {
    Map<Class<?>, Object> states = new LinkedHashMap<>();
    for (Class<?> type : body.getParameterTypes()) {
      create(type, bytes, text, states);
    }
    Target target = target(states);
    String old = target.content + "the end of an old file";
    Files.writeString(target.file, old);
    for (Object state : states.values()) {
      call(state, Setup.class, Level.Invocation, states);
    }

    body.invoke(body.getDeclaringClass().getConstructor().newInstance(), states.values().toArray());

    Path expected = folder.resolve("expected");
    if (target instanceof AppendBenchmark.Growing) {
      Files.writeString(expected, old + target.content);
    } else if (target instanceof DescriptorBenchmark.Growing) {
      Files.writeString(expected, old + target.content.repeat(DescriptorBenchmark.WRITES));
    } else {
      Files.writeString(expected, target.content);
    }
    assertThat(Files.mismatch(target.file, expected)).as("first byte that differs").isEqualTo(-1);

    List<Object> reversed = new ArrayList<>(states.values());
    Collections.reverse(reversed);
    for (Object state : reversed) {
      call(state, TearDown.class, Level.Trial, states);
    }
    assertThat(folder).isDirectoryNotContaining("glob:**/files2-bench-*");
  }

  @Test
  void benchmarks_runByJmh_allSucceed() throws Exception {
    // The lock keeps two measurements apart, and this is none.
    System.setProperty("jmh.ignoreLock", "true");
    Options options =
        new OptionsBuilder()
            .mode(Mode.SingleShotTime)
            .forks(0)
            .warmupIterations(0)
            .measurementIterations(1)
            .param("lane", LANE)
            .param("folder", folder.toString())
            .param("bytes", "12")
            .param("chars", "1024")
            .param("text", "mix")
            .shouldFailOnError(true)
            .verbosity(VerboseMode.SILENT)
            .build();
    int bodies =
        annotated(EncodingBenchmark.class, Benchmark.class).size()
            + annotated(JavaEncoderBenchmark.class, Benchmark.class).size()
            + annotated(LogBenchmark.class, Benchmark.class).size();
    for (Class<?> benchmark : BENCHMARKS) {
      bodies += annotated(benchmark, Benchmark.class).size();
    }
    assertThat(new Runner(options).run()).hasSize(bodies);
  }

  @Test
  void log_eachWay_writesItsLine() throws Exception {
    Lane lane = new Lane();
    lane.lane = LANE;
    lane.force();
    LogBenchmark benchmark = new LogBenchmark();
    LogBenchmark.Log log = new LogBenchmark.Log();
    log.folder = folder.toString();
    log.open();
    benchmark.appender(log, lane);
    benchmark.appendStringSync(log, lane);
    benchmark.filesWriteString(log);
    benchmark.fileChannel(log);
    benchmark.bufferedWriter(log);
    List<String> lines = Files.readAllLines(log.file());
    assertThat(lines).hasSize(5);
    assertThat(lines).allMatch(line -> line.length() >= 79 && line.length() < 400);
    log.close();
  }

  @Test
  void makeRoom_manyAppends_emptiesTheFileNowAndThen() throws Exception {
    Map<Class<?>, Object> states = new LinkedHashMap<>();
    create(AppendBenchmark.Growing.class, 1 << 20, "ascii", states);
    AppendBenchmark.Growing target = (AppendBenchmark.Growing) target(states);
    long longest = 0;
    for (int i = 0; i < 80; i++) {
      target.makeRoom();
      Files.writeString(target.file, target.content, StandardOpenOption.APPEND);
      longest = Math.max(longest, Files.size(target.file));
    }
    target.remove();
    assertThat(longest).isEqualTo(32 << 20);
  }

  @Test
  void text_anyKindAndSize_hasExactlyTheBytes() throws Exception {
    for (String kind : params("text")) {
      for (String bytes : params("bytes")) {
        Path file =
            Files.writeString(folder.resolve("text"), Texts.of(kind, Integer.parseInt(bytes)));
        assertThat(file).as("%s %s", kind, bytes).hasSize(Integer.parseInt(bytes));
      }
    }
  }

  @Test
  void encoding_anyText_writesTheBytesOfFiles() throws Exception {
    String[] texts =
        EncodingBenchmark.Encoded.class.getField("text").getAnnotation(Param.class).value();
    for (String text : texts) {
      EncodingBenchmark.Encoded target = new EncodingBenchmark.Encoded();
      target.folder = folder.toString();
      target.chars = 18432;
      target.text = text;
      target.create();
      EncodingBenchmark benchmark = new EncodingBenchmark();
      Lane lane = new Lane();
      lane.lane = LANE;
      lane.force();
      Files.writeString(target.file, "the old content");
      benchmark.files2(target, lane);
      assertThat(Files.readAllBytes(target.file)).as(text).isEqualTo(benchmark.getBytes(target));
      benchmark.files2Base64(target, lane);
      assertThat(Files.readAllBytes(target.file)).as(text).isEqualTo(benchmark.decode(target));
      benchmark.filesWriteString(target);
      assertThat(target.content).as(text).hasSize(18432);
      assertThat(Files.readString(target.file)).as(text).isEqualTo(target.content);
      benchmark.filesWriteDecoded(target);
      assertThat(Files.readAllBytes(target.file)).as(text).isEqualTo(benchmark.decode(target));
      target.remove();
    }
  }

  // --- What JMH does

  private void create(Class<?> type, int bytes, String text, Map<Class<?>, Object> states)
      throws ReflectiveOperationException {
    Object state = type.getConstructor().newInstance();
    states.put(type, state);
    if (state instanceof Lane lane) {
      lane.lane = LANE;
    } else if (state instanceof Target target) {
      target.folder = folder.toString();
      target.bytes = bytes;
      target.text = text;
    }
    call(state, Setup.class, Level.Trial, states);
  }

  private static Target target(Map<Class<?>, Object> states) {
    return (Target)
        states.values().stream().filter(Target.class::isInstance).findFirst().orElseThrow();
  }

  /** Calls the annotated methods: those that set up with the superclass's first. */
  private static void call(
      Object state,
      Class<? extends Annotation> annotation,
      Level level,
      Map<Class<?>, Object> states)
      throws ReflectiveOperationException {
    List<Method> methods = annotated(state.getClass(), annotation);
    if (annotation == TearDown.class) {
      Collections.reverse(methods);
    }
    for (Method method : methods) {
      Level its =
          annotation == Setup.class
              ? method.getAnnotation(Setup.class).value()
              : method.getAnnotation(TearDown.class).value();
      if (its == level) {
        Object[] arguments = Arrays.stream(method.getParameterTypes()).map(states::get).toArray();
        method.invoke(state, arguments);
      }
    }
  }

  private static List<Method> annotated(Class<?> type, Class<? extends Annotation> annotation) {
    List<Method> methods = new ArrayList<>();
    for (Class<?> each = type; each != null; each = each.getSuperclass()) {
      List<Method> own =
          Arrays.stream(each.getDeclaredMethods())
              .filter(method -> method.isAnnotationPresent(annotation))
              .toList();
      methods.addAll(0, own);
    }
    return methods;
  }
}
