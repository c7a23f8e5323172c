package io.github.files2;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A real power loss, but for the power: while writers run, the image of their file system is copied
 * in one instant (by sharing its blocks), without what is in memory only. The copy is mounted,
 * which replays its journal, and must hold what the writers said to have written.
 */
final class ImageCopyTest {
  private static final int COPIES = Boolean.getBoolean("files2.full") ? 60 : 6;
  private static final int MOST_WAIT_MILLIS = 200;

  /** The file systems, each without what hides a missing fsync, and mounted twice where need be. */
  enum Kind {
    EXT4("32M", "mkfs.ext4 -q -F", "loop,noauto_da_alloc", "loop"),
    XFS("300M", "mkfs.xfs -q", "loop", "loop,nouuid");

    private final String size;
    private final String mkfs;
    private final String options;
    private final String copyOptions;

    Kind(String size, String mkfs, String options, String copyOptions) {
      this.size = size;
      this.mkfs = mkfs;
      this.options = options;
      this.copyOptions = copyOptions;
    }
  }

  @ParameterizedTest
  @EnumSource
  void durableWrites_diskAsItIsAtAnyMoment_holdsThemAll(Kind kind) throws Exception {
    assertThat(lostInCopies(kind)).isEmpty();
  }

  /** So that a copy which shows everything would be found. */
  @ParameterizedTest
  @EnumSource
  void writesThatAreNotFlushed_diskAsItIsAtAnyMoment_lacksSome(Kind kind) throws Exception {
    assertThat(lostInCopies(kind, "NONE")).isNotEmpty();
  }

  /** Returns what copies did not hold of what was written before. */
  private static List<String> lostInCopies(Kind kind, String... flush) throws Exception {
    List<String> lost = new ArrayList<>();
    try (Mount outer = Mount.of("xfs")) {
      Path image = outer.root().resolve("image");
      Path root = Files.createDirectory(outer.root().resolve("root"));
      Mount.run("truncate", "-s", kind.size, image.toString());
      List<String> mkfs = new ArrayList<>(List.of(kind.mkfs.split(" ")));
      Needs.tool(mkfs.get(0));
      mkfs.add(image.toString());
      Mount.run(mkfs.toArray(new String[0]));
      Mount.run("mount", "-o", kind.options, image.toString(), root.toString());
      List<VersionsChild> writers = new ArrayList<>();
      try {
        for (LaneUnderTest lane : LaneUnderTest.values()) {
          lane.backend();
          Path file = Files.createDirectory(root.resolve(lane.propertyName())).resolve("file");
          Files.writeString(file, Version.text(0));
          Mount.run("sync", "-f", root.toString());
          writers.add(new VersionsChild(lane.propertyName(), file, 1, new String[0], flush));
        }
        for (VersionsChild writer : writers) {
          writer.begin();
        }
        for (int i = 0; i < COPIES; i++) {
          LockSupport.parkNanos((1 + i % 4) * MOST_WAIT_MILLIS / 4 * 1_000_000L);
          addLost(kind, outer.root(), writers, lost);
        }
        assertThat(writers).allMatch(writer -> writer.isAlive() && writer.written() > 0);
      } finally {
        writers.forEach(VersionsChild::close);
        Mount.run("umount", root.toString());
      }
    }
    return lost;
  }

  /** Makes a copy and compares. */
  private static void addLost(
      Kind kind, Path folder, List<VersionsChild> writers, List<String> lost) throws IOException {
    Path copy = folder.resolve("copy");
    Path root = Files.createDirectories(folder.resolve("copy-root"));
    List<Integer> written = writers.stream().map(VersionsChild::written).toList();
    String image = folder.resolve("image").toString();
    Mount.run("cp", "--reflink=always", image, copy.toString());
    Mount.run("mount", "-o", kind.copyOptions, copy.toString(), root.toString());
    try {
      for (int i = 0; i < writers.size(); i++) {
        String lane = LaneUnderTest.values()[i].propertyName();
        Path file = root.resolve(lane).resolve("file");
        try {
          int found = Version.of(Files.readAllBytes(file));
          if (found < written.get(i)) {
            lost.add(lane + ": version " + found + " after " + written.get(i));
          }
        } catch (IOException | AssertionError e) {
          lost.add(lane + ": " + e + " after version " + written.get(i));
        }
      }
    } finally {
      Mount.run("umount", root.toString());
      Files.delete(copy);
    }
  }
}
