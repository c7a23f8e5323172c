/* File systems: which ones tell true sizes, and which keep a reservation. */
#include "files2.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/stat.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#ifndef SYS_statx
#if defined(__x86_64__)
#define SYS_statx 332
#else
#define SYS_statx 291
#endif
#endif

#ifndef STATX_MNT_ID_UNIQUE
#define STATX_MNT_ID_UNIQUE 0x00004000U /* Linux 6.8 */
#endif

#ifndef STATX_ATTR_MOUNT_ROOT
#define STATX_ATTR_MOUNT_ROOT 0x00002000 /* Linux 5.8 */
#endif

/* linux/magic.h lacks some of these on old systems. */
enum {
	EXT = 0xef53,
	TMPFS = 0x01021994,
	OVERLAY = 0x794c7630,
	ZFS = 0x2fc12fc1,
	XFS = 0x58465342
};
static const uint32_t BTRFS = 0x9123683e;
static const uint32_t F2FS = 0xf2f52010;

/* The verdicts, by mount id. A lost race or a full slot costs a fstatfs(2). */
enum { VERDICT_SLOTS = 64, VERDICT_BITS = 10 };
static _Atomic uint64_t verdicts[VERDICT_SLOTS];

/* Without statx(2), before Linux 4.11. The symbols stat and fstat are newer
 * than glibc 2.17, so this goes to the kernel too; its struct is glibc's. */
static int look_old(int folder, const char *name, int at_flags,
                    struct f2_stat *found)
{
	struct stat st;
	long result;
	do {
		result = syscall(SYS_newfstatat, folder, name, &st, at_flags);
	} while (result != 0 && errno == EINTR);
	if (result != 0)
		return errno;
	found->mode = st.st_mode;
	found->uid = st.st_uid;
	found->gid = st.st_gid;
	found->device = st.st_dev;
	found->inode = st.st_ino;
	found->size = (uint64_t)st.st_size;
	found->block_bytes = (uint64_t)st.st_blocks * 512;
	found->regular = S_ISREG(st.st_mode);
	found->mount = 0;
	found->mounted = false;
	return 0;
}

int f2_look_at(int folder, const char *name, int at_flags, unsigned mask,
               struct f2_stat *found)
{
	struct statx st;
	memset(&st, 0, sizeof st);
	long result;
	/* A FUSE daemon may answer EINTR. */
	do {
		result = syscall(SYS_statx, folder, name, at_flags,
		                 mask | STATX_MNT_ID_UNIQUE, &st);
	} while (result != 0 && errno == EINTR);
	if (result != 0) {
		/* Old seccomp filters answer EPERM for calls they don't know.
		 */
		if (errno == ENOSYS || errno == EPERM)
			return look_old(folder, name, at_flags, found);
		return errno;
	}
	found->mode = st.stx_mode;
	found->uid = st.stx_uid;
	found->gid = st.stx_gid;
	found->device = (uint64_t)st.stx_dev_major << 32 | st.stx_dev_minor;
	found->inode = st.stx_ino;
	found->size = st.stx_size;
	found->block_bytes = st.stx_blocks * 512;
	found->regular = S_ISREG(st.stx_mode);
	found->mount =
	        (st.stx_mask & STATX_MNT_ID_UNIQUE) != 0 ? st.stx_mnt_id : 0;
	found->mounted = (st.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
	return 0;
}

int f2_look(int fd, const char *path, struct f2_stat *found)
{
	const unsigned mask = STATX_TYPE | STATX_SIZE | STATX_BLOCKS;
	return path != NULL ? f2_look_at(AT_FDCWD, path, 0, mask, found)
	                    : f2_look_at(fd, "", AT_EMPTY_PATH, mask, found);
}

/* The log2 of a block size, as a part of the verdict; 0 for an odd one. */
static unsigned block_bits(long block_bytes)
{
	for (unsigned log = 0; log <= 16; log++)
		if (block_bytes == 1L << log)
			return log << F2_PLACE_BLOCK_SHIFT;
	return 0;
}

static unsigned judge(int fd, const char *path)
{
	struct statfs fs;
	int result;
	do {
		result = path != NULL ? statfs(path, &fs) : fstatfs(fd, &fs);
	} while (result != 0 && errno == EINTR);
	if (result != 0)
		return 0; /* not known: the careful way */
	uint32_t magic = (uint32_t)fs.f_type;
	if (magic == EXT || magic == XFS || magic == TMPFS || magic == F2FS)
		return F2_PLACE_KNOWN | F2_PLACE_FRESH | F2_PLACE_RESERVES |
		       block_bits(fs.f_bsize);
	if (magic == OVERLAY)
		return F2_PLACE_KNOWN | F2_PLACE_FRESH | F2_PLACE_RESERVES |
		       F2_PLACE_OVERLAY | block_bits(fs.f_bsize);
	/* Copy-on-write takes new blocks for old bytes too, whatever was
	 * reserved, and for cutting a file. */
	if (magic == BTRFS || magic == ZFS)
		return F2_PLACE_KNOWN | F2_PLACE_FRESH | F2_PLACE_COPIES;
	return F2_PLACE_KNOWN;
}

unsigned f2_place(int fd, const char *path, const struct f2_stat *found)
{
	if (found->mount == 0)
		return judge(fd, path);
	_Atomic uint64_t *slot = &verdicts[found->mount % VERDICT_SLOTS];
	uint64_t entry = atomic_load_explicit(slot, memory_order_relaxed);
	/* A mount id grows by one a mount from 2^31 on: 54 bits hold it. */
	if (entry >> VERDICT_BITS == found->mount)
		return (unsigned)(entry & ((1U << VERDICT_BITS) - 1));
	unsigned verdict = judge(fd, path);
	if (verdict != 0)
		atomic_store_explicit(slot,
		                      found->mount << VERDICT_BITS | verdict,
		                      memory_order_relaxed);
	return verdict;
}

bool f2_has_room(int fd, uint64_t byte_count)
{
	const uint64_t spare = 64 * 1024 * 1024;
	struct statfs fs;
	if (fstatfs(fd, &fs) != 0)
		return false; /* not known: the careful way */
	uint64_t block_bytes = (uint64_t)fs.f_bsize;
	return (uint64_t)fs.f_bavail > (byte_count + spare) / block_bytes;
}

bool f2_root_is_overlay(void)
{
	/* 0 unknown, 1 no, 2 yes */
	static _Atomic int answer;
	int known = atomic_load_explicit(&answer, memory_order_relaxed);
	if (known == 0) {
		known = (judge(-1, "/") & F2_PLACE_OVERLAY) != 0 ? 2 : 1;
		atomic_store_explicit(&answer, known, memory_order_relaxed);
	}
	return known == 2;
}
