package io.github.files2;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The tables that tell which test covers what name tests that exist. */
final class TestTablesTest {
  private static final String PACKAGE = "io.github.files2.";

  private static List<String[]> rows(String table) throws IOException {
    List<String[]> rows = new ArrayList<>();
    try (InputStream in = TestTablesTest.class.getResourceAsStream(table)) {
      for (String line : new String(in.readAllBytes(), UTF_8).split("\n")) {
        if (!line.startsWith("#")) {
          rows.add(line.split("\t"));
        }
      }
    }
    return rows;
  }

  @ParameterizedTest
  @ValueSource(strings = {"node-behaviours.tsv", "reports.tsv"})
  void table_eachRow_namesTests(String table) throws Exception {
    List<String[]> rows = rows(table);
    assertThat(rows).hasSizeGreaterThan(30);
    for (String[] row : rows) {
      assertThat(row).as(String.join(" ", row)).hasSize(2);
      if (row[1].startsWith("- ")) {
        continue;
      }
      for (String test : row[1].split(", ")) {
        assertThat(isTest(test)).as("%s: there is a test %s", row[0], test).isTrue();
      }
    }
  }

  private static boolean isTest(String name) throws ClassNotFoundException {
    String[] parts = name.split("\\.");
    return Arrays.stream(Class.forName(PACKAGE + parts[0]).getDeclaredMethods())
        .filter(method -> method.getName().equals(parts[1]))
        .anyMatch(TestTablesTest::isTest);
  }

  private static boolean isTest(Method method) {
    return Arrays.stream(method.getAnnotations())
        .map(Annotation::annotationType)
        .anyMatch(type -> type == Test.class || type == ParameterizedTest.class);
  }

  @Test
  void nodeBehaviours_numbers_areEachThereOnce() throws IOException {
    assertThat(rows("node-behaviours.tsv"))
        .extracting(row -> Integer.valueOf(row[0]))
        .containsExactlyElementsOf(IntStream.rangeClosed(1, 95).boxed().toList());
  }
}
