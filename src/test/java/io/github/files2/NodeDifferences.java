package io.github.files2;

import java.util.Map;

/** What a lane does not do as Node, on purpose, each with its reason; the README has the list. */
final class NodeDifferences {
  private NodeDifferences() {}

  static boolean isOnPurpose(LaneUnderTest lane, NodeJob job) {
    return checksOptionsOfDescriptors(job) || leavesDevicesUnsynced(job);
  }

  /** What can't be synced is written all the same; Node reports EINVAL after the write. */
  private static boolean leavesDevicesUnsynced(NodeJob job) {
    return job.target().isDevice()
        && job.steps().stream().anyMatch(step -> "true".equals(step.get("flush")));
  }

  /**
   * Node does not look at the flag and the mode of a write to a descriptor. Here a value that means
   * nothing is an error wherever it is given.
   */
  private static boolean checksOptionsOfDescriptors(NodeJob job) {
    return job.usesDescriptor() && job.steps().stream().anyMatch(NodeDifferences::isMalformed);
  }

  private static boolean isMalformed(Map<String, String> step) {
    try {
      if (step.containsKey("flag")) {
        OpenFlags.parse(step.get("flag"));
      }
      if (step.containsKey("modeText")) {
        WriteOptions.DEFAULT.mode(step.get("modeText"));
      }
      return false;
    } catch (IllegalArgumentException e) {
      return true;
    }
  }
}
