package io.github.files2;

/** The contract on the lane {@code nio}. */
final class NioBackendTest extends BackendContract {
  NioBackendTest() {
    super("nio");
  }
}
