package io.github.files2;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;

/** The contract on the lane {@code shim}. */
final class ShimBackendTest extends BackendContract {
  ShimBackendTest() {
    super("shim");
  }

  /**
   * More than Linux takes at once (erlang/otp#6242, capnproto/capnproto#2187,
   * swiftlang/swift-foundation#450). Here alone, as the other lanes copy each page into a chunk.
   */
  @Test
  void writeBytes_twoGibibytes_areWrittenWhole() throws IOException {
    WritePlan plan = WriteOptions.DEFAULT.writePlan();
    // A file of holes, mapped, and /dev/null, which takes all without looking: no memory is needed.
    try (FileChannel holes =
        FileChannel.open(
            file(),
            StandardOpenOption.CREATE_NEW,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE)) {
      ByteBuffer data = holes.map(FileChannel.MapMode.READ_WRITE, 0, Integer.MAX_VALUE);
      assertThat(backend().writeBytes(Path.of("/dev/null"), data, plan))
          .isEqualTo(Integer.MAX_VALUE);
    }
  }
}
