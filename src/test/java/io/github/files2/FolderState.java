package io.github.files2;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** All that is in a folder: names, kinds, modes, owners, numbers of links and contents. */
final class FolderState {
  private static final int TYPE_BITS = 0170000;
  private static final int REGULAR = 0100000;
  private static final int FOLDER = 0040000;
  private static final int LINK = 0120000;
  private static final byte[] NOTHING = {};

  private final Map<String, Entry> entries = new TreeMap<>();

  private FolderState() {}

  private record Entry(String attributes, byte[] content) {}

  /** Takes all out of {@code folder} and returns what it was. */
  static FolderState takeOut(Path folder) throws IOException {
    FolderState state = new FolderState();
    state.takeOut(folder, "");
    return state;
  }

  private void takeOut(Path folder, String prefix) throws IOException {
    try (Stream<Path> names = Files.list(folder)) {
      for (Path path : (Iterable<Path>) names::iterator) {
        String name = prefix + path.getFileName();
        Map<String, Object> found =
            Files.readAttributes(path, "unix:mode,uid,gid,nlink", LinkOption.NOFOLLOW_LINKS);
        int mode = (Integer) found.get("mode");
        String attributes =
            String.format(
                "mode %o, owner %s:%s, %s links",
                mode, found.get("uid"), found.get("gid"), found.get("nlink"));
        byte[] content = NOTHING;
        switch (mode & TYPE_BITS) {
          case REGULAR -> {
            makeOpen(path, mode);
            content = Files.readAllBytes(path);
          }
          case FOLDER -> {
            makeOpen(path, mode);
            takeOut(path, name + "/");
          }
          case LINK -> attributes += " to " + Files.readSymbolicLink(path);
          default -> {}
        }
        entries.put(name, new Entry(attributes, content));
        Files.delete(path);
      }
    }
  }

  /** Gives its owner, who may not be root, all rights. */
  private static void makeOpen(Path path, int mode) throws IOException {
    if ((mode & 0700) != 0700 && !Needs.isRoot()) {
      NodeTarget.setMode(path, 0700);
    }
  }

  /** Tells how {@code other} differs, or returns {@code null} if it doesn't. */
  String differenceTo(FolderState other) {
    if (!entries.keySet().equals(other.entries.keySet())) {
      return "names " + entries.keySet() + " but " + other.entries.keySet();
    }
    for (Map.Entry<String, Entry> named : entries.entrySet()) {
      Entry mine = named.getValue();
      Entry its = other.entries.get(named.getKey());
      if (!mine.attributes.equals(its.attributes)) {
        return named.getKey() + ": " + mine.attributes + " but " + its.attributes;
      }
      int at = Arrays.mismatch(mine.content, its.content);
      if (at >= 0) {
        return named.getKey() + ": " + around(mine.content, at) + " but " + around(its.content, at);
      }
    }
    return null;
  }

  private static String around(byte[] content, int at) {
    StringBuilder text = new StringBuilder(content.length + " bytes with");
    for (int i = at; i < content.length && i < at + 8; i++) {
      text.append(String.format(" %02x", content[i]));
    }
    return text + " at " + at;
  }
}
