package io.github.files2;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The lanes by name, each loaded once a JVM: for tests, and for the programs that they start. */
final class Lanes {
  private static final Map<String, Backend> LOADED = new ConcurrentHashMap<>();

  private Lanes() {}

  /**
   * Returns the lane.
   *
   * @throws LinkageError or another error of JNA where it can't be had
   */
  static Backend named(String name) {
    return LOADED.computeIfAbsent(name, Lanes::load);
  }

  private static Backend load(String name) {
    ChunkPool pool = new ChunkPool(4, 2);
    return switch (name) {
      case "shim" -> ShimBackend.load(pool, Backends.nio(), Settings.read());
      case "libc" -> LibcBackend.load(pool, Backends.nio(), Settings.read());
      case "nio" -> Backends.nio();
      default -> throw new IllegalArgumentException("lane " + name);
    };
  }

  /** Returns the lane, or skips the test with the reason (under FILES2_CI=1 it fails). */
  static Backend needed(String name) {
    try {
      return named(name);
    } catch (RuntimeException | LinkageError e) {
      Needs.that(false, "needs the lane " + name + ": " + e);
      throw e;
    }
  }
}
