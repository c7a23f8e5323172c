package io.github.files2;

import java.util.Map;

/**
 * What the lanes do not do as Node, on purpose, each with its reason; the README has the list. Node
 * is told to do what the lanes do, so that all the rest of such a job is compared.
 */
final class NodeDifferences {
  private NodeDifferences() {}

  /** Returns the job with which Node does what {@code job} makes the lanes do. */
  static NodeJob forNode(NodeJob job) {
    NodeJob changed = job.copy();
    for (Map<String, String> step : changed.steps()) {
      // What can't be synced is written all the same; Node reports EINVAL after the write.
      if (job.target().isDevice()) {
        step.remove("flush");
      }
      // Node does not look at the flag and the mode of a write to a descriptor. Here a value that
      // means nothing is an error wherever it is given, as an encoding is for Node.
      if (job.usesDescriptor() && isMalformed(step)) {
        step.put("enc", "none");
      }
    }
    return changed;
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
