package io.github.files2;

/** The contract on the lane {@code shim}. */
final class ShimBackendTest extends BackendContract {
  ShimBackendTest() {
    super("shim");
  }
}
