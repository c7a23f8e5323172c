package io.github.files2;

import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Every rule that all lanes keep, stated once; a subclass binds a lane. */
abstract class BackendContract
    implements TextRules,
        FileRules,
        OnlyIfChangedRules,
        AtomicRules,
        FailureRules,
        ProcessRules,
        DescriptorRules {
  private final String lane;
  private Backend backend;

  @TempDir Path folder;

  @TempDir(factory = InMemory.class)
  Path memoryFolder;

  BackendContract(String lane) {
    this.lane = lane;
  }

  @BeforeEach
  void loadLane() {
    backend = Lanes.needed(lane);
  }

  @Override
  public Backend backend() {
    return backend;
  }

  @Override
  public Path folder() {
    return folder;
  }

  @Override
  public Path memoryFile() {
    return memoryFolder.resolve("file");
  }
}
