package io.github.files2;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/**
 * A folder on a disk, and what POSIX lets it be after a power loss. Until it is synced, each change
 * of a name may have come to the disk or not, in any order; so may each block of 4 KiB that was
 * written to a file, and each size that it had. A sync of a file makes its content certain, but not
 * its name; a sync of the folder makes the names certain, but no content (fsync(2); Pillai et al.,
 * "All File Systems Are Not Created Equal", OSDI 2014). A change of one name is taken to be atomic.
 */
final class DiskModel {
  private static final int BLOCK_BYTES = 4096;

  /** As many states are tried of a file that may be in more of them. */
  private static final int MOST_STATES = 500;

  private final Random random = new Random(1);
  private final Map<String, Inode> names = new HashMap<>();
  private final List<Map<String, Inode>> unsyncedNames = new ArrayList<>();

  /** A file: what it holds for sure, and then what it held after each change since. */
  static final class Inode {
    private final List<byte[]> contents = new ArrayList<>();

    private Inode(byte[] content) {
      contents.add(content);
    }

    private byte[] content() {
      return contents.get(contents.size() - 1);
    }
  }

  /** Puts a file there that is on the disk with its name. */
  void addDurable(String name, byte[] content) {
    names.put(name, new Inode(content));
  }

  /** Returns the file of the name, or {@code null}. */
  Inode find(String name) {
    Map<String, Inode> current = new HashMap<>(names);
    unsyncedNames.forEach(current::putAll);
    return current.get(name);
  }

  Inode create(String name) {
    Inode inode = new Inode(new byte[0]);
    link(inode, name);
    return inode;
  }

  void link(Inode inode, String name) {
    unsyncedNames.add(singleton(name, inode));
  }

  void unlink(String name) {
    unsyncedNames.add(singleton(name, null));
  }

  void rename(String from, String to) {
    Map<String, Inode> change = singleton(to, find(from));
    change.put(from, null);
    unsyncedNames.add(change);
  }

  private static Map<String, Inode> singleton(String name, Inode inode) {
    Map<String, Inode> change = new HashMap<>();
    change.put(name, inode);
    return change;
  }

  void write(Inode inode, int offset, byte[] bytes) {
    byte[] old = inode.content();
    byte[] content = Arrays.copyOf(old, Math.max(old.length, offset + bytes.length));
    System.arraycopy(bytes, 0, content, offset, bytes.length);
    inode.contents.add(content);
  }

  void truncate(Inode inode, int size) {
    inode.contents.add(Arrays.copyOf(inode.content(), size));
  }

  /** As fsync(2) does, and fdatasync(2): the size belongs to the data. */
  void sync(Inode inode) {
    byte[] content = inode.content();
    inode.contents.clear();
    inode.contents.add(content);
  }

  void syncFolder() {
    unsyncedNames.forEach(names::putAll);
    unsyncedNames.clear();
  }

  /**
   * Returns what may be found under the name if the power fails now; {@code null} where there may
   * be no file.
   */
  List<byte[]> afterPowerLoss(String name) {
    Set<Inode> inodes = new LinkedHashSet<>();
    for (int chosen = 0; chosen < 1 << unsyncedNames.size(); chosen++) {
      Map<String, Inode> onDisk = new HashMap<>(names);
      for (int i = 0; i < unsyncedNames.size(); i++) {
        if ((chosen >> i & 1) != 0) {
          onDisk.putAll(unsyncedNames.get(i));
        }
      }
      inodes.add(onDisk.get(name));
    }
    List<byte[]> found = new ArrayList<>();
    for (Inode inode : inodes) {
      if (inode == null) {
        found.add(null);
      } else {
        addStates(inode, found);
      }
    }
    return found;
  }

  /** Adds each content that the file may have on the disk, or many of them. */
  private void addStates(Inode inode, List<byte[]> found) {
    for (byte[] sized : inode.contents) {
      List<List<byte[]>> blocks = new ArrayList<>();
      long stateCount = 1;
      for (int offset = 0; offset < sized.length; offset += BLOCK_BYTES) {
        List<byte[]> choices = blockChoices(inode, offset);
        blocks.add(choices);
        stateCount = Math.min(MOST_STATES + 1, stateCount * choices.size());
      }
      for (int state = 0; state < Math.min(stateCount, MOST_STATES); state++) {
        int rest = state;
        byte[] content = new byte[sized.length];
        for (int i = 0; i < blocks.size(); i++) {
          List<byte[]> choices = blocks.get(i);
          boolean isAll = stateCount <= MOST_STATES;
          int choice = isAll ? rest % choices.size() : random.nextInt(choices.size());
          rest /= choices.size();
          int offset = i * BLOCK_BYTES;
          int count = Math.min(BLOCK_BYTES, sized.length - offset);
          System.arraycopy(choices.get(choice), 0, content, offset, count);
        }
        found.add(content);
      }
    }
  }

  /** Returns each content that a block may have; what was never written is zeros. */
  private static List<byte[]> blockChoices(Inode inode, int offset) {
    List<byte[]> choices = new ArrayList<>();
    for (byte[] content : inode.contents) {
      byte[] block = new byte[BLOCK_BYTES];
      int count = Math.min(BLOCK_BYTES, content.length - offset);
      if (count > 0) {
        System.arraycopy(content, offset, block, 0, count);
      }
      if (choices.stream().noneMatch(known -> Arrays.equals(known, block))) {
        choices.add(block);
      }
    }
    return choices;
  }
}
