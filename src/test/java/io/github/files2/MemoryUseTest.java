package io.github.files2;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SequenceWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.StringReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Map;
import java.util.Properties;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;

/** What a {@link MemoryFile} is for. */
final class MemoryUseTest extends EachLaneTest {
  private static final WriteOptions ATOMIC = WriteOptions.DEFAULT.atomic(true);
  private static final int ROWS = 20_000;

  private static Map<String, Object> row(int i) {
    return Map.of("id", i, "name", "caf\u00e9 \ud83d\ude00 " + i);
  }

  @Test
  void jsonStreamedInto_isThereWhole() throws IOException {
    ObjectMapper mapper = new ObjectMapper();
    try (MemoryFile file = MemoryFile.open(file(), "w", ATOMIC);
        OutputStream out = file.outputStream();
        SequenceWriter rows = mapper.writer().writeValuesAsArray(out)) {
      for (int i = 0; i < ROWS; i++) {
        rows.write(row(i));
      }
      assertThat(file()).doesNotExist();
    }
    JsonNode found = mapper.readTree(file().toFile());
    assertThat(found).hasSize(ROWS);
    assertThat(found.get(ROWS - 1)).isEqualTo(mapper.valueToTree(row(ROWS - 1)));
  }

  @Test
  void zipWrittenThrough_canBeRead() throws IOException {
    String text = "some text to be squeezed, ".repeat(10_000);
    try (MemoryFile file = MemoryFile.open(file(), "wx");
        ZipOutputStream zip = new ZipOutputStream(file.outputStream())) {
      for (int i = 0; i < 20; i++) {
        zip.putNextEntry(new ZipEntry("folder/entry" + i));
        zip.write((i + text).getBytes(StandardCharsets.UTF_8));
        zip.closeEntry();
      }
    }
    try (ZipFile zip = new ZipFile(file().toFile())) {
      assertThat(zip.size()).isEqualTo(20);
      byte[] last = zip.getInputStream(zip.getEntry("folder/entry19")).readAllBytes();
      assertThat(new String(last, StandardCharsets.UTF_8).equals("19" + text)).isTrue();
    }
  }

  /** What is longer or shorter than before moves all that follows. */
  @Test
  void propertiesEditedInPlace_keepTheirCommentsAndOrder() throws IOException {
    fileOf("# a comment\nhost = old.example\nport = 1\n# another\nuser = me\n");
    for (String host : new String[] {"a.much.longer.example.org", "x"}) {
      try (MemoryFile file = MemoryFile.open(file(), "r+", ATOMIC)) {
        ByteBuffer all = ByteBuffer.allocate((int) file.size());
        file.read(all);
        String old = new String(all.array(), StandardCharsets.ISO_8859_1);
        file.truncate(0).write(old.replaceFirst("host = .*", "host = " + host));
      }
    }
    String edited = Files.readString(file());
    assertThat(edited).isEqualTo("# a comment\nhost = x\nport = 1\n# another\nuser = me\n");
    Properties properties = new Properties();
    properties.load(new StringReader(edited));
    assertThat(properties).containsEntry("host", "x").containsEntry("user", "me").hasSize(3);
  }
}
