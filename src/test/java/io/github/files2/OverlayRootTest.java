package io.github.files2;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Where {@code /} is an overlay, opening a large file of a lower layer without O_TRUNC would copy
 * all of it up. A child in a mount namespace of its own gets such a root.
 */
final class OverlayRootTest {
  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(strings = {"shim", "libc"})
  void overwrite_underAnOverlayRoot_truncatesOnlyLargeFiles(String lane) throws IOException {
    Needs.root();
    String strace = Needs.tool("strace").toString();
    Path layer = Files.createDirectories(folder.resolve("layer"));
    Path files = Files.createDirectory(layer.resolve("files2-test"));
    Files.writeString(files.resolve("small"), MountedFilesTest.text(65_536, 'o'));
    Files.writeString(files.resolve("large"), MountedFilesTest.text(65_537, 'o'));
    Path log = folder.resolve("log");
    List<String> words = new ArrayList<>(List.of("unshare", "-m", "sh", "-euc", script(), "sh"));
    words.addAll(List.of(strace, "-f", "-qq", "-e", "trace=openat", "-P", "/files2-test/small"));
    words.addAll(List.of("-P", "/files2-test/large", "-o", log.toString()));
    words.addAll(List.of("chroot", folder.resolve("root").toString()));
    words.addAll(
        new ChildProgram(OverlayProgram.class, lane, "/files2-test/small", "/files2-test/large")
            .words());

    assertThat(Mount.run(words.toArray(new String[0])))
        .isEqualTo("/files2-test/small: right\n/files2-test/large: right\n");
    List<String> opens =
        Files.readAllLines(log).stream().filter(line -> line.contains("O_WRONLY")).toList();
    assertThat(opens).hasSize(2);
    assertThat(opens.get(0)).contains("small").doesNotContain("O_TRUNC");
    assertThat(opens.get(1)).contains("large").contains("O_TRUNC");
  }

  /** Returns the commands that build the root and then run their arguments. */
  private String script() {
    // The real root is the lowest layer; what other mounts hide from it is bound in.
    StringBuilder script = new StringBuilder();
    script.append("cd ").append(folder).append("; mkdir root top; mount -t tmpfs t top; ");
    // No layer may lie within another one: the test's own goes to the tmpfs.
    script.append("cp -r layer top; mkdir top/changes top/work; mount -t overlay o -o ");
    script.append("lowerdir=top/layer:/,upperdir=top/changes,workdir=top/work root; ");
    script.append("mount --rbind /proc root/proc; mount --rbind /dev root/dev; ");
    for (String path : ChildProgram.classPath().split(":")) {
      Path entry = Path.of(path);
      Path bound = Files.isDirectory(entry) ? entry : entry.getParent();
      script.append("mkdir -p root").append(bound).append("; ");
      script.append("mount --bind ").append(bound).append(" root").append(bound).append("; ");
    }
    return script.append("exec \"$@\"").toString();
  }
}
