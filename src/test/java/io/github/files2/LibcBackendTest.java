package io.github.files2;

/** The contract on the lane {@code libc}. */
final class LibcBackendTest extends BackendContract {
  LibcBackendTest() {
    super("libc");
  }
}
