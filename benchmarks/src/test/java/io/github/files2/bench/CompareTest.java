package io.github.files2.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The comparison does all works, checks what they write, and keeps what it measures. */
final class CompareTest {
  private static final String LANE = System.getProperty("files2.backend", "nio");

  @TempDir private Path folder;

  private static String worker(String name, String contender) {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    String options = "-Dfiles2.backend=" + LANE;
    if (Runtime.version().feature() >= 24) {
      options += " --enable-native-access=ALL-UNNAMED";
    }
    String classPath = System.getProperty("java.class.path");
    String main = CompareWorker.class.getName();
    return "--peer="
        + String.join(" ", name + "=" + java, options, "-cp", classPath, main, contender);
  }

  private int run(String... peers) throws IOException {
    Path here = Files.createDirectory(folder.resolve("here"));
    List<String> arguments = new ArrayList<>(List.of(peers));
    arguments.add("--quick");
    arguments.add("--warm-up=1");
    arguments.add("--out=" + folder.resolve("out"));
    arguments.add(here.toString());
    int status = new CommandLine(new Compare()).execute(arguments.toArray(new String[0]));
    assertThat(here).isEmptyDirectory();
    return status;
  }

  @Test
  void compare_contendersInJava_areMeasuredAndKept() throws IOException {
    List<String> names =
        List.of("files2", "Files.writeString", "FileOutputStream", "FileChannel", "commons-io");
    String[] peers = names.stream().map(name -> worker(name, name)).toArray(String[]::new);
    assertThat(run(peers)).isZero();
    JsonNode report = new ObjectMapper().readTree(folder.resolve("out.json").toFile());
    Set<String> works = new TreeSet<>();
    Set<String> measured = new TreeSet<>();
    for (JsonNode result : report.get("results")) {
      works.add(result.get("work").asText());
      measured.add(result.get("contender").asText());
      assertThat(result.get("median").asDouble()).isPositive();
    }
    assertThat(works)
        .containsExactlyInAnyOrder(
            "overwrite",
            "create",
            "append",
            "descriptor",
            "base64",
            "flush",
            "atomic",
            "atomic-durable",
            "unchanged");
    assertThat(measured).containsExactlyInAnyOrderElementsOf(names);
    assertThat(Files.readString(folder.resolve("out.svg")).contains("<rect")).isTrue();
  }

  @Test
  void compare_contenderThatFails_isNoResult() throws IOException {
    assertThat(run(worker("nobody", "nobody"))).isNotZero();
    assertThat(folder.resolve("out.json")).doesNotExist();
  }
}
