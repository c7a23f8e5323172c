/* What the files of the atomic write share. */
#ifndef F2_ATOMIC_H
#define F2_ATOMIC_H

#include "files2.h"

#include <limits.h>

/* Where the new content goes: the end of all links. */
struct f2_spot {
	int folder; /* for the at-calls: open, or AT_FDCWD */
	char name[PATH_MAX];
	size_t prefix_bytes; /* of name, before its last part */
	bool exists;
	struct f2_stat old; /* what is there, a regular file */
};

/* The name of a temporary file without its folder's, with its end. */
enum { F2_NONCE_DIGITS = 16 };
enum {
	F2_TEMP_NAME_BYTES = sizeof F2_TEMP_PREFIX - 1 + F2_NONCE_DIGITS +
	                     sizeof F2_TEMP_SUFFIX
};

/* The fault of a step that failed with error. */
int64_t f2_step_fault(enum f2_step step, int error);

/* Follows path to its spot and refuses what can't be replaced. syncs: the
 * folder will have to be synced. exclusive: nothing may be there, not even a
 * link. Returns 0 or a fault; spot is to be closed only after 0. */
int64_t f2_find_spot(const char *path, bool exclusive, bool syncs,
                     struct f2_spot *spot);

void f2_close_spot(struct f2_spot *spot);

/* Gives the file behind fd the owner, mode, user.* attributes, ACL and label of
 * the old one, which path names. Returns 0 or a fault. */
int64_t f2_copy_metadata(int fd, const char *path, const struct f2_stat *old);

#endif
