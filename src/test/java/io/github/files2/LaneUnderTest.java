package io.github.files2;

import java.util.Locale;

/** The lanes as parameters of tests. */
enum LaneUnderTest {
  SHIM,
  LIBC,
  NIO;

  /** Returns the lane; where it can't be had the test is skipped, or fails in CI. */
  Backend backend() {
    return Lanes.needed(propertyName());
  }

  /** Returns the name in {@code -Dfiles2.backend}. */
  String propertyName() {
    return name().toLowerCase(Locale.ROOT);
  }
}
