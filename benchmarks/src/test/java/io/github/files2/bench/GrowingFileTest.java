package io.github.files2.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import picocli.CommandLine;

/** Every way to grow a file makes the same file, and the table has them all. */
final class GrowingFileTest {
  @TempDir private Path folder;

  @ParameterizedTest
  @EnumSource
  void stream_writesOfAnySize_makeTheFile(GrowingFile way) throws IOException {
    Path file = folder.resolve("file");
    StringBuilder expected = new StringBuilder();
    try (OutputStream out = way.open(file)) {
      for (int i = 0; i < 2000; i++) {
        String word = "w".repeat(i % 50) + i;
        out.write(word.getBytes());
        out.write('\n');
        expected.append(word).append('\n');
      }
    }
    assertThat(file).hasContent(expected.toString());
  }

  @Test
  void table_withAPeer_keepsAllRows() throws IOException {
    Path here = Files.createDirectory(folder.resolve("here"));
    Path peer =
        Files.writeString(
            folder.resolve("peer.json"),
            "[{\"buffering\": 0, \"mebibytes\": 1, \"samples\": [3.5, 1.5, 2.5]}]");
    Path out = folder.resolve("out.json");
    int status =
        new CommandLine(new GrowingFileTable())
            .execute("--quick", "--out=" + out, "--peer=other=" + peer, here.toString());
    assertThat(status).isZero();
    assertThat(here).isEmptyDirectory();
    Set<String> contenders = new TreeSet<>();
    JsonNode rows = new ObjectMapper().readTree(out.toFile()).get("results");
    for (JsonNode row : rows) {
      contenders.add(row.get("contender").asText());
      assertThat(row.get("write").asDouble()).isPositive();
    }
    assertThat(contenders).hasSize(GrowingFile.values().length + 1).contains("other");
    assertThat(rows).hasSize(GrowingFile.values().length * 2 + 1);
    assertThat(rows.get(rows.size() - 1).get("write").asDouble()).isEqualTo(2.5);
  }
}
