package io.github.files2;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a write leaves to the garbage collector. */
final class AllocationTest {
  @TempDir Path folder;

  @ParameterizedTest
  @CsvSource({
    "path, ascii, 12",
    "path, wide, 100000",
    "append, ascii, 12",
    "fd, ascii, 12",
    "fd, wide, 10000",
    "descriptor, ascii, 12",
    "descriptor, wide, 10000",
    "appender, ascii, 200",
    "appender, wide, 10000",
  })
  void shim_textInSteadyState_takesNoHeap(String way, String kind, String length) {
    Lanes.needed("shim");
    String file = folder.resolve("file").toString();
    // Interpreted, so that nothing hides behind what the compiler leaves out.
    String out =
        new ChildProgram(AllocationProgram.class, way, file, kind, length)
            .with("-Dfiles2.backend=shim", "-Xint")
            .run()
            .ok();
    assertThat(out).endsWith("\n0 bytes a write\n");
  }
}
