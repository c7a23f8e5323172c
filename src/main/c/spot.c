/* Where an atomic write goes: links are followed by hand, folder by folder, so
 * that the temporary file can be made beside what they lead to. */
#include "atomic.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/stat.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_LINKS = 40 }; /* as in the kernel */

int64_t f2_step_fault(enum f2_step step, int error)
{
	return f2_fault(F2_ATOMIC, error, (uint64_t)step);
}

/* Takes path apart: its last part goes to spot->name, the rest to folder.
 * Returns 0 or a fault. */
static int64_t split(const char *path, char *folder, struct f2_spot *spot)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash == NULL ? path : slash + 1;
	size_t folder_bytes = (size_t)(name - path);
	size_t name_bytes = strlen(name);
	if (name_bytes == 0 || strcmp(name, ".") == 0 ||
	    strcmp(name, "..") == 0)
		return f2_step_fault(F2_STEP_REFUSE, EISDIR);
	if (name_bytes > NAME_MAX)
		return f2_step_fault(F2_STEP_LOOK, ENAMETOOLONG);
	/* The slash at its end does no harm, and the root's is needed. SAFETY:
	 * the parts of a path of less than PATH_MAX bytes fit. */
	memcpy(folder, path, folder_bytes);
	folder[folder_bytes] = '\0';
	if (folder_bytes == 0)
		memcpy(folder, ".", sizeof ".");
	memcpy(spot->name, name, name_bytes + 1);
	spot->prefix_bytes = 0;
	return 0;
}

/* Opens folder, relative to base. *readable: it could be synced. Returns the
 * descriptor or -1 with errno. */
static int open_folder(int base, const char *folder, bool syncs, bool *readable)
{
	int fd;
	*readable = syncs;
	do {
		fd = openat(base, folder,
		            (*readable ? O_RDONLY : O_PATH) | O_DIRECTORY |
		                    O_CLOEXEC);
		/* On the way to a link's end none has to be readable. */
		if (fd < 0 && errno == EACCES && *readable) {
			*readable = false;
			errno = EINTR;
		}
	} while (fd < 0 && errno == EINTR);
	return fd;
}

static int look_at(const struct f2_spot *spot, int at_flags,
                   struct f2_stat *found)
{
	return f2_look_at(spot->folder, spot->name, at_flags, STATX_BASIC_STATS,
	                  found);
}

/* Returns the fault of replacing what is no regular file, 0 for one. */
static int64_t refuse_special(const struct f2_stat *found)
{
	if (S_ISDIR(found->mode))
		return f2_step_fault(F2_STEP_REFUSE, EISDIR);
	return found->regular ? 0 : f2_step_fault(F2_STEP_REFUSE, EINVAL);
}

/* Asks the kernel where the links at the spot lead, which also applies its
 * rules for links in folders like /tmp. *end stays where nothing is there. */
static int64_t look_through_links(const struct f2_spot *spot,
                                  struct f2_stat *end, bool *has_end)
{
	int error = look_at(spot, 0, end);
	*has_end = error == 0;
	if (error == ENOENT)
		return 0; /* what the link names will be created */
	return error != 0 ? f2_step_fault(F2_STEP_FOLLOW, error)
	                  : refuse_special(end);
}

static int64_t read_link(const struct f2_spot *spot, char *target)
{
	ssize_t count;
	do {
		count = readlinkat(spot->folder, spot->name, target, PATH_MAX);
	} while (count < 0 && errno == EINTR);
	if (count < 0)
		return f2_step_fault(F2_STEP_FOLLOW, errno);
	if (count == PATH_MAX)
		return f2_step_fault(F2_STEP_FOLLOW, ENAMETOOLONG);
	target[count] = '\0';
	return 0;
}

/* Opens the folder of path, as seen from base, and looks at its last part.
 * *is_link: the walk is not over. Returns 0 or a fault; spot->folder is open,
 * or -1. */
static int64_t step_to(int base, const char *path, bool syncs, bool *readable,
                       bool *is_link, struct f2_spot *spot)
{
	char folder[PATH_MAX];
	spot->folder = -1;
	int64_t fault = split(path, folder, spot);
	if (fault != 0)
		return fault;
	spot->folder = open_folder(base, folder, syncs, readable);
	if (spot->folder < 0)
		return f2_step_fault(F2_STEP_OPEN_FOLDER, errno);
	int error = look_at(spot, AT_SYMLINK_NOFOLLOW, &spot->old);
	spot->exists = error == 0;
	*is_link = error == 0 && S_ISLNK(spot->old.mode);
	return error == 0 || error == ENOENT
	               ? 0
	               : f2_step_fault(F2_STEP_LOOK, error);
}

void f2_close_spot(struct f2_spot *spot)
{
	if (spot->folder >= 0)
		(void)close(spot->folder); /* a folder's holds nothing back */
}

/* Follows the link at the spot, and those that it leads to. Not inlined: most
 * calls meet none, and need not have its arrays on the stack. */
__attribute__((noinline)) static int64_t follow(bool syncs, bool *readable,
                                                struct f2_spot *spot)
{
	char target[PATH_MAX];
	struct f2_stat end;
	bool has_end;
	bool is_link = true;
	int64_t fault = look_through_links(spot, &end, &has_end);
	for (int links = 0; fault == 0 && is_link; links++) {
		if (links == MAX_LINKS)
			return f2_step_fault(F2_STEP_FOLLOW, ELOOP);
		fault = read_link(spot, target);
		if (fault != 0)
			return fault;
		int base = spot->folder;
		fault = step_to(base, target, syncs, readable, &is_link, spot);
		(void)close(base); /* it was only looked at */
	}
	/* A link in /proc may lead to what its text does not name. */
	if (fault == 0 && has_end &&
	    (!spot->exists || spot->old.inode != end.inode ||
	     spot->old.device != end.device))
		fault = f2_step_fault(F2_STEP_FOLLOW, ESTALE);
	return fault;
}

/* Whether error is about the folders of a path, and not its last part. */
static bool is_of_folder(int error)
{
	return error == ENOTDIR || error == EACCES || error == ELOOP ||
	       error == ENAMETOOLONG;
}

/* Takes path as it is, where it leads to the spot without links at its end:
 * opening and closing the folder takes as long as writing a short file. Returns
 * whether it did, or has found a fault; what it leaves needs the folder's
 * descriptor, which also tells more of what is wrong. */
static bool takes_path(const char *path, struct f2_spot *spot, int64_t *fault)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash == NULL ? path : slash + 1;
	size_t path_bytes = strlen(path);
	if (*name == '\0' || path_bytes + F2_TEMP_NAME_BYTES > PATH_MAX)
		return false;
	spot->folder = AT_FDCWD;
	memcpy(spot->name, path, path_bytes + 1);
	spot->prefix_bytes = (size_t)(name - path);
	int error = look_at(spot, AT_SYMLINK_NOFOLLOW, &spot->old);
	if (is_of_folder(error))
		return false;
	spot->exists = error == 0;
	if (error != 0 && error != ENOENT)
		*fault = f2_step_fault(F2_STEP_LOOK, error);
	return error != 0 || spot->old.regular;
}

int64_t f2_find_spot(const char *path, bool exclusive, bool syncs,
                     struct f2_spot *spot)
{
	bool readable = false;
	bool is_link = false;
	int64_t fault = 0;
	if (syncs || !takes_path(path, spot, &fault))
		fault = step_to(AT_FDCWD, path, syncs, &readable, &is_link,
		                spot);
	if (fault == 0 && spot->exists && exclusive)
		fault = f2_step_fault(F2_STEP_REFUSE, EEXIST);
	if (fault == 0 && is_link)
		fault = follow(syncs, &readable, spot);
	if (fault == 0 && spot->exists)
		fault = refuse_special(&spot->old);
	if (fault == 0 && syncs && !readable)
		fault = f2_step_fault(F2_STEP_OPEN_FOLDER, EACCES);
	if (fault != 0)
		f2_close_spot(spot);
	return fault;
}
