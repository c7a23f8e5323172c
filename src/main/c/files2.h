/*
 * The C side of Files2: opens, encodes, writes, fixes the size, syncs and
 * closes in one call. This header is its manual.
 *
 * Results are int64_t: >= 0 is a count (bytes, or a descriptor), < 0 a packed
 * fault (fault.c), so that no second call has to fetch errno. No function
 * keeps a pointer that it is given. All are safe for many threads, with one
 * struct f2_source or f2_target each.
 *
 * Needs Linux, little-endian, and no glibc symbol newer than 2.17: newer
 * system calls go through syscall(2).
 */
#ifndef FILES2_H
#define FILES2_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bumped whenever a function bound by files2_bind changes. */
enum { F2_ABI = 1 };

/* An append, or a write to a special file, of up to this many bytes is
 * exactly one write(2). */
enum { F2_SINGLE_WRITE_BYTES = 1024 * 1024 };

/* --- Faults ------------------------------------------------------------ */

/* The operation that failed; the numbers are shared with ShimBackend.java. */
enum f2_operation {
	F2_OPEN = 1,
	F2_STAT = 2,
	F2_RESERVE = 3,
	F2_WRITE = 4,
	F2_TRUNCATE = 5,
	F2_SYNC = 6,
	F2_CLOSE = 7,
	F2_ENCODE = 8,   /* malformed text: the count is its index */
	F2_MEMORY = 9,   /* malloc refused */
	F2_FOREIGN = 10, /* a path that native code must not translate */
	F2_ATOMIC = 11,  /* of an atomic write: the count is its f2_step */
	F2_UNLINK = 12
};

/* Returns fault with the errors of its clean-up, 0 for none, added. */
int64_t f2_add_errors(int64_t fault, int truncate_error, int close_error);

/* Returns the fault of one failed operation as one negative number. error is
 * errno, 0 for a write that took nothing without an error; count is the bytes
 * written before, or the index. */
int64_t f2_fault(enum f2_operation operation, int error, uint64_t count);

/* The errno that a fault holds. */
int f2_error_of(int64_t fault);

/* The operation of a fault, 0 for none. */
int f2_operation_of(int64_t fault);

/* --- Sources ----------------------------------------------------------- */

/* Where the bytes of a write come from, piece by piece. */
struct f2_source {
	/* Points *piece at the next bytes and returns how many they are, 0 at
	 * the end. A piece stays valid until the next call. Fails only before
	 * the first byte. */
	int64_t (*next)(struct f2_source *source, const uint8_t **piece);

	/* Makes the source hand out all the rest as one piece, however large.
	 * Returns 0 or a fault. */
	int64_t (*join)(struct f2_source *source);

	/* Returns exactly how many bytes there are in all. */
	uint64_t (*count)(struct f2_source *source);

	/* Makes the source hand out all bytes again, from the first on. */
	void (*rewind)(struct f2_source *source);

	/* Bounds on that which cost nothing; equal where it is known. */
	uint64_t min_bytes;
	uint64_t max_bytes;

	/* It is one piece as it is: there is nothing to join. */
	bool whole;
};

/* A source of bytes that lie ready in memory. */
struct f2_ready {
	struct f2_source source;
	const uint8_t *bytes;
	size_t byte_count;
};

void f2_ready_init(struct f2_ready *ready, const uint8_t *bytes,
                   size_t byte_count);

/* --- Writing ----------------------------------------------------------- */

enum f2_flush { F2_FLUSH_NONE = 0, F2_FLUSH_DATA = 1, F2_FLUSH_FULL = 2 };

struct f2_rules {
	int open_flags; /* of open(2); O_CLOEXEC is added */
	int mode;
	enum f2_flush flush;
	bool truncate_first; /* O_TRUNC means O_TRUNC */
	uint64_t nonce;      /* random, for the name of a temporary file */
};

/* A descriptor that is open already. */
struct f2_target {
	int fd;
	/* NULL, or returns the descriptor anew, for one that others may close
	 * meanwhile; < 0 when they have. */
	int (*current)(struct f2_target *target);
};

/* Writes the whole source and returns the bytes written; *fault is 0 or what
 * stopped it. */
uint64_t f2_pump(struct f2_target *target, struct f2_source *source,
                 int64_t *fault);

/* Opens path, writes the source, fixes the size, syncs and closes. Returns
 * the bytes written. A failure leaves the old file as it was, or cut to the
 * bytes written, and no descriptor. */
int64_t f2_write_path(const char *path, const struct f2_rules *rules,
                      struct f2_source *source);

/* Writes the source at the target's position and syncs; never truncates, never
 * closes. */
int64_t f2_write_fd(struct f2_target *target, enum f2_flush flush,
                    struct f2_source *source);

/* Opens path as rules say, ready to be written from its start. Returns the
 * descriptor, with F2_SIZED added where f2_finish must fix the size. */
int64_t f2_open_stream(const char *path, const struct f2_rules *rules);

enum { F2_SIZED_SHIFT = 32 };
#define F2_SIZED (INT64_C(1) << F2_SIZED_SHIFT)

/* Ends what f2_open_stream began, after written bytes. failed: a write has
 * failed, so nothing is synced. Returns 0 or a fault; the descriptor is closed
 * in either case. */
int64_t f2_finish(int64_t stream, uint64_t written, enum f2_flush flush,
                  bool failed);

/* open(2) with EINTR retried. Returns the descriptor. */
int64_t f2_open(const char *path, int open_flags, int mode);

/* close(2). EINTR is success: Linux has closed the descriptor by then. */
int64_t f2_close(int fd);

/* fsync(2) or fdatasync(2). What can't be synced at all is no fault. */
int64_t f2_sync(int fd, enum f2_flush flush, uint64_t written);

/* The size of the file behind fd, 0 for what has none. */
int64_t f2_size(int fd);

/* --- Atomic writes ----------------------------------------------------- */

/* What an atomic write does, step by step; the numbers are shared with
 * AtomicStep.java. */
enum f2_step {
	F2_STEP_OPEN_FOLDER = 1,
	F2_STEP_LOOK = 2,
	F2_STEP_FOLLOW = 3,
	F2_STEP_REFUSE = 4, /* it is there, but can't be replaced */
	F2_STEP_CREATE = 5,
	F2_STEP_WRITE = 6,
	F2_STEP_OWNER = 7,
	F2_STEP_ATTRIBUTES = 8,
	F2_STEP_MODE = 9,
	F2_STEP_SYNC = 10,
	F2_STEP_KEEP = 11,
	F2_STEP_CLOSE = 12,
	F2_STEP_PUBLISH = 13,
	/* From here on the new content is in place. */
	F2_STEP_TIDY = 14,
	F2_STEP_SYNC_FOLDER = 15
};

/* The names of temporary files, around 16 digits of lower-case hex; shared
 * with TempName.java. */
#define F2_TEMP_PREFIX ".files2-"
#define F2_TEMP_SUFFIX ".tmp"

/* Replaces path, or creates it, so that nobody sees anything but the old or the
 * new content, and with a flush other than F2_FLUSH_NONE not even after a power
 * loss. rules->truncate_first has no meaning here. Returns the bytes written. A
 * fault is F2_ATOMIC, or F2_MEMORY; its truncate error is that of unlink. */
int64_t f2_write_atomically(const char *path, const struct f2_rules *rules,
                            struct f2_source *source);

/* Removes path, a temporary file by its name, if no writer holds its lock.
 * Returns 1, 0 where it is not to be removed, or a fault. */
int64_t f2_remove_leftover(const char *path);

/* --- onlyIfChanged ----------------------------------------------------- */

/* Tells whether path is a regular file of exactly the source's bytes; false
 * where it can't be read. The source is rewound. */
bool f2_holds(const char *path, struct f2_source *source);

/* --- File systems ------------------------------------------------------ */

/* What a file system promises. */
enum f2_place {
	F2_PLACE_KNOWN = 1,    /* asked already */
	F2_PLACE_FRESH = 2,    /* fstat tells the true size */
	F2_PLACE_RESERVES = 4, /* fallocate keeps a later write from ENOSPC */
	F2_PLACE_OVERLAY = 8,  /* opening for writing copies a lower file up */
	F2_PLACE_COPIES = 16,  /* cutting a file may need free space too */
	F2_PLACE_BLOCK_SHIFT = 5 /* above: the log2 of its block size */
};

struct f2_stat {
	uint64_t size;
	uint64_t block_bytes;
	uint64_t mount; /* never reused, or 0 where the kernel has none */
	bool regular;

	/* What only f2_look_at asks for; elsewhere it may be an old one. */
	unsigned mode;
	unsigned uid;
	unsigned gid;
	uint64_t device;
	uint64_t inode;
	bool mounted; /* on its name, so that its folder is on another mount */
};

/* Looks at fd, or at path where fd is -1. Returns 0 or errno. */
int f2_look(int fd, const char *path, struct f2_stat *found);

/* Looks at name in folder, with flags and mask of statx(2), and for the mount.
 * Returns 0 or errno. */
int f2_look_at(int folder, const char *name, int at_flags, unsigned mask,
               struct f2_stat *found);

/* Returns what the file system of fd (or path) promises. */
unsigned f2_place(int fd, const char *path, const struct f2_stat *found);

/* Tells whether the file system of fd has room for byte_count more bytes, with
 * plenty to spare. */
bool f2_has_room(int fd, uint64_t byte_count);

/* Tells whether / is an overlay, as in a container. */
bool f2_root_is_overlay(void);

#endif
