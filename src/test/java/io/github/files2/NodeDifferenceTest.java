package io.github.files2;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Node's own fs and every lane do the same random jobs: what each step ends with, and all that is
 * in the folder afterwards, must be the same.
 *
 * <p>{@code -Dfiles2.seed=N} repeats a run, {@code -Dfiles2.jobs=N} sets how many jobs there are,
 * {@code -Dfiles2.job=LINE} does one job.
 */
final class NodeDifferenceTest {
  private static final int JOBS =
      Integer.getInteger("files2.jobs", Boolean.getBoolean("files2.full") ? 60_000 : 20_000);
  private static final int MOST_REPORTED = 12;

  private Path folder;
  private Path nodes;
  private Path lanes;
  private NodeProcess node;

  @BeforeEach
  void begin() throws IOException {
    // Not JUnit's folder, which others than root may not enter. In memory, as all is flushed.
    Path shm = Path.of("/dev/shm");
    folder =
        Files.isWritable(shm)
            ? Files.createTempDirectory(shm, "files2-node-")
            : Files.createTempDirectory("files2-node-");
    NodeTarget.setMode(folder, 0777);
    nodes = open(Files.createDirectory(folder.resolve("node")));
    lanes = open(Files.createDirectory(folder.resolve("lane")));
    node = new NodeProcess();
  }

  private static Path open(Path folder) throws IOException {
    NodeTarget.setMode(folder, 0777);
    return folder;
  }

  @AfterEach
  void end() throws IOException {
    if (node != null) {
      node.close();
    }
    FolderState.takeOut(folder);
    Files.delete(folder);
  }

  @Test
  void randomJobs_allLanes_endAsInNode() throws IOException {
    String line = System.getProperty("files2.job");
    if (line != null) {
      assertThat(differences(NodeJob.parse(line)).toString()).isEqualTo("{}");
      return;
    }
    long seed = Long.getLong("files2.seed", System.nanoTime());
    System.out.println("NodeDifferenceTest: -Dfiles2.seed=" + seed);
    NodeJobs jobs = new NodeJobs(new Random(seed));
    List<String> found = new ArrayList<>();
    for (int i = 0; i < JOBS && found.size() < MOST_REPORTED; i++) {
      NodeJob job = jobs.next();
      differences(job).keySet().forEach(lane -> found.add(report(lane, job)));
    }
    assertThat(found).as("seed %d", seed).isEmpty();
  }

  private String report(LaneUnderTest lane, NodeJob job) {
    NodeJob smallest = NodeJobs.shrink(job, smaller -> differenceOn(lane, smaller) != null);
    return "\n"
        + lane
        + ": "
        + differenceOn(lane, smallest)
        + "\n  -Dfiles2.job='"
        + smallest
        + "'";
  }

  private String differenceOn(LaneUnderTest lane, NodeJob job) {
    try {
      return differences(job).get(lane);
    } catch (IOException e) {
      throw new UncheckedIOException(job.toString(), e);
    }
  }

  /** Has all do the job. Returns the difference to Node of each lane that has one. */
  private Map<LaneUnderTest, String> differences(NodeJob job) throws IOException {
    node.begin(job.target().prepare(nodes, job), NodeDifferences.forNode(job));
    List<String> expected = node.end();
    FolderState after = FolderState.takeOut(nodes);
    Map<LaneUnderTest, String> differences = new EnumMap<>(LaneUnderTest.class);
    for (LaneUnderTest lane : LaneUnderTest.values()) {
      Path path = job.target().prepare(lanes, job);
      List<String> outcomes = LaneJobs.run(lane.backend(), path, job);
      FolderState left = FolderState.takeOut(lanes);
      if (!outcomes.equals(expected)) {
        differences.put(lane, "node " + expected + ", lane " + outcomes);
      } else if (after.differenceTo(left) != null) {
        differences.put(lane, "node " + after.differenceTo(left));
      }
    }
    return differences;
  }
}
