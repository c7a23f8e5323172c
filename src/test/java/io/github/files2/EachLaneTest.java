package io.github.files2;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/**
 * A test of the whole API. The build runs it four times: with the lane that Files2 chooses itself,
 * and with each lane forced by the property, which is read once a JVM.
 */
@Tag("each-lane")
abstract class EachLaneTest {
  /** The forced lane; empty where Files2 chooses. */
  static final String LANE = System.getProperty(Settings.BACKEND, "");

  @TempDir(factory = InMemory.class)
  Path folder;

  @BeforeAll
  static void needLane() {
    if (!LANE.isEmpty()) {
      Lanes.needed(LANE);
      assertThat(Files2.backendReport()).startsWith("lane: " + LANE);
    }
  }

  static boolean isNio() {
    return LANE.equals("nio");
  }

  Path file() {
    return folder.resolve("file");
  }

  Path fileOf(String content) throws IOException {
    return Files.writeString(file(), content, StandardCharsets.ISO_8859_1);
  }
}
