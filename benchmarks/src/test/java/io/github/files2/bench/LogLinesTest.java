package io.github.files2.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The table of log lines has all ways, by one thread and by two, and keeps what a peer says. */
final class LogLinesTest {
  @TempDir private Path folder;

  private JsonNode measure(String worker) throws IOException {
    Path here = Files.createDirectory(folder.resolve("here"));
    Path script = Files.writeString(folder.resolve("worker"), worker);
    Path out = folder.resolve("out.json");
    int status =
        new CommandLine(new LogLinesTable())
            .execute("--quick", "--out=" + out, "--peer=other=sh " + script, here.toString());
    assertThat(status).isZero();
    assertThat(here).isEmptyDirectory();
    return new ObjectMapper().readTree(out.toFile()).get("results");
  }

  @Test
  void table_peerThatCan_hasAllForOneThreadAndTwo() throws IOException {
    JsonNode cells =
        measure(
            "while read -r command argument file rest; do\n"
                + "  [ $command = begin ] && head -n 3 \"$file\" >\"$1/file\"\n"
                + "  [ $command = run ] && echo 5000 || echo ok\n"
                + "done\n");
    assertThat(cells).hasSize(2);
    for (int i = 0; i < 2; i++) {
      JsonNode cell = cells.get(i);
      assertThat(cell.get("workload").get("threads").asInt()).isEqualTo(i + 1);
      assertThat(cell.get("samples")).hasSize(6);
      for (JsonNode samples : cell.get("samples")) {
        assertThat(samples.get(0).asDouble()).isPositive();
      }
    }
  }

  @Test
  void table_peerThatCanNot_keepsTheReason() throws IOException {
    JsonNode cells = measure("while read -r line; do echo no way; done\n");
    for (JsonNode cell : cells) {
      assertThat(cell.get("samples")).hasSize(5);
      assertThat(cell.get("leftOut").get("other").asText()).isEqualTo("no way");
    }
  }
}
