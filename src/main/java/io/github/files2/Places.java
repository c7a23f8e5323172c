package io.github.files2;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * What file systems promise, for the libc lane: the twin of place.c. Uses the scratch of the chunk
 * that the write has taken. Safe for use by many threads, with a chunk each.
 */
final class Places {
  /** {@code fstat} tells the true size. */
  static final int FRESH = 1;

  /** {@code fallocate} keeps a later write from ENOSPC. */
  static final int RESERVES = 2;

  /** Opening for writing copies a lower file up. */
  static final int OVERLAY = 4;

  /** Cutting a file may need free space too. */
  static final int COPIES = 8;

  private static final int KNOWN = 16;

  /** Above the bits: the log2 of the block size. */
  private static final int BLOCK_SHIFT = 5;

  /** What {@code statx} told of a file. */
  record Stat(boolean isRegular, long size, long blockBytes, long mount) {}

  private static final int STATX_TYPE = 0x1;
  private static final int STATX_SIZE = 0x200;
  private static final int STATX_BLOCKS = 0x400;
  private static final int STATX_MNT_ID_UNIQUE = 0x4000; // Linux 6.8

  // Where the answer has what, as in linux/stat.h.
  private static final int STX_MASK = 0;
  private static final int STX_MODE = 28;
  private static final int STX_SIZE = 40;
  private static final int STX_BLOCKS = 48;
  private static final int STX_MNT_ID = 144;
  private static final int BLOCK_BYTES = 512;

  /** Where struct statfs has its block size; its type comes first. */
  private static final int F_BSIZE = 8;

  private static final int F_BAVAIL = 32;
  private static final long SPARE_BYTES = 64L * 1024 * 1024;

  private static final int S_IFMT = 0170000;
  private static final int S_IFREG = 0100000;

  /** An empty C string, for AT_EMPTY_PATH: the answers are 256 bytes at most. */
  private static final int EMPTY_OFFSET = Chunk.SCRATCH_BYTES - 8;

  /** Verdicts by mount id; a lost race costs a {@code fstatfs}. */
  private final AtomicLongArray verdicts = new AtomicLongArray(64);

  private static final int VERDICT_BITS = 10;

  /**
   * Looks at {@code fd}, or at the path in the scratch where {@code fd} is -1; null on an error.
   */
  Stat look(int fd, Chunk chunk) {
    chunk.scratch.putLong(EMPTY_OFFSET, 0);
    long result;
    do { // a FUSE daemon may answer EINTR
      result =
          Libc.syscall(
              Libc.SYS_STATX,
              fd < 0 ? Libc.AT_FDCWD : fd,
              fd < 0 ? chunk.scratchAddress : chunk.scratchAddress + EMPTY_OFFSET,
              fd < 0 ? 0 : Libc.AT_EMPTY_PATH,
              STATX_TYPE | STATX_SIZE | STATX_BLOCKS | STATX_MNT_ID_UNIQUE,
              chunk.answerAddress);
    } while (result != 0 && Libc.errno() == Errno.EINTR);
    if (result != 0) {
      return null;
    }
    int mask = chunk.scratch.getInt(Chunk.ANSWER_OFFSET + STX_MASK);
    int mode = Short.toUnsignedInt(chunk.scratch.getShort(Chunk.ANSWER_OFFSET + STX_MODE));
    return new Stat(
        (mode & S_IFMT) == S_IFREG,
        chunk.scratch.getLong(Chunk.ANSWER_OFFSET + STX_SIZE),
        chunk.scratch.getLong(Chunk.ANSWER_OFFSET + STX_BLOCKS) * BLOCK_BYTES,
        (mask & STATX_MNT_ID_UNIQUE) != 0
            ? chunk.scratch.getLong(Chunk.ANSWER_OFFSET + STX_MNT_ID)
            : 0);
  }

  /** Returns what the file system of {@code fd} (or of the path in the scratch) promises. */
  int promises(int fd, Stat stat, Chunk chunk) {
    if (stat.mount() == 0) {
      return judge(fd, chunk);
    }
    int slot = (int) (stat.mount() % verdicts.length());
    long entry = verdicts.get(slot);
    if (entry >> VERDICT_BITS == stat.mount()) {
      return (int) entry & (1 << VERDICT_BITS) - 1;
    }
    int verdict = judge(fd, chunk);
    if (verdict != 0) {
      verdicts.set(slot, stat.mount() << VERDICT_BITS | verdict);
    }
    return verdict;
  }

  /** Tells whether {@code /} is an overlay, as in a container. */
  boolean isOverlayRoot(Chunk chunk) {
    chunk.scratch.put(0, (byte) '/').put(1, (byte) 0);
    return (judge(-1, chunk) & OVERLAY) != 0;
  }

  /** Tells whether the file system of {@code fd} has plenty of room for {@code byteCount} more. */
  static boolean hasRoom(int fd, long byteCount, Chunk chunk) {
    if (Libc.fstatfs(fd, chunk.answerAddress) != 0) {
      return false; // not known: the careful way
    }
    long blockBytes = chunk.scratch.getLong(Chunk.ANSWER_OFFSET + F_BSIZE);
    long freeBlocks = chunk.scratch.getLong(Chunk.ANSWER_OFFSET + F_BAVAIL);
    return freeBlocks > (byteCount + SPARE_BYTES) / blockBytes;
  }

  private int judge(int fd, Chunk chunk) {
    long answer = chunk.answerAddress;
    int result;
    do {
      result = fd < 0 ? Libc.statfs(chunk.scratchAddress, answer) : Libc.fstatfs(fd, answer);
    } while (result != 0 && Libc.errno() == Errno.EINTR);
    if (result != 0) {
      return 0; // not known: the careful way
    }
    int blockBits = blockBits(chunk.scratch.getLong(Chunk.ANSWER_OFFSET + F_BSIZE));
    return switch ((int) chunk.scratch.getLong(Chunk.ANSWER_OFFSET)) {
      case 0xef53, 0x58465342, 0x01021994, 0xf2f52010 -> // ext2/3/4, XFS, tmpfs, F2FS
          KNOWN | FRESH | RESERVES | blockBits;
      case 0x794c7630 -> KNOWN | FRESH | RESERVES | OVERLAY | blockBits;
      // Copy-on-write takes new blocks for old bytes too, whatever was reserved.
      case 0x9123683e, 0x2fc12fc1 -> KNOWN | FRESH | COPIES; // btrfs, ZFS
      default -> KNOWN;
    };
  }

  /** Returns the log2 of a block size as a part of the verdict; 0 for an odd one. */
  private static int blockBits(long blockBytes) {
    boolean isUsual = Long.bitCount(blockBytes) == 1 && blockBytes <= 64 * 1024;
    return isUsual ? Long.numberOfTrailingZeros(blockBytes) << BLOCK_SHIFT : 0;
  }

  /** Returns {@code size} rounded up to whole blocks of a place with these {@code promises}. */
  static long roundUp(long size, int promises) {
    long mask = (1L << (promises >> BLOCK_SHIFT)) - 1;
    return size + mask & ~mask;
  }
}
