package io.github.files2.bench;

import io.github.files2.Files2;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** The lane of Files2. A JVM has one for ever; JMH forks a JVM for each. */
@State(Scope.Benchmark)
public class Lane {
  private static final String PROPERTY = "files2.backend";

  @Param({"shim", "libc", "nio"})
  public String lane;

  /**
   * Forces the lane.
   *
   * @throws IllegalStateException if it can't be had, or this JVM has another one already
   */
  @Setup(Level.Trial)
  public void force() {
    System.setProperty(PROPERTY, lane);
    String report = Files2.backendReport();
    if (!report.startsWith("lane: " + lane + "\n")) {
      throw new IllegalStateException("not measured without forks, lane " + lane + ": " + report);
    }
  }
}
