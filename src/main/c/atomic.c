/* Atomic writes: all of the new content beside the old, then one rename. */
#include "atomic.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_renameat2
#if defined(__x86_64__)
#define SYS_renameat2 316
#else
#define SYS_renameat2 276
#endif
#endif

#ifndef RENAME_NOREPLACE
#define RENAME_NOREPLACE 1
#endif

/* A random name of 64 bits that is taken is no accident: a few more are tried,
 * not many. */
enum { MAX_TRIES = 8 };

/* A new file beside the target. */
struct temp {
	int fd;     /* -1: closed */
	int keeper; /* a second descriptor, which keeps the lock; -1: none */
	bool named; /* name is still its name */
	char *last; /* the last part of name */
	char name[PATH_MAX];
};

/* --- The temporary file ------------------------------------------------ */

static void make_name(char *end, uint64_t nonce)
{
	static const char digits[] = "0123456789abcdef";
	memcpy(end, F2_TEMP_PREFIX, sizeof F2_TEMP_PREFIX - 1);
	end += sizeof F2_TEMP_PREFIX - 1;
	for (int shift = 4 * (F2_NONCE_DIGITS - 1); shift >= 0; shift -= 4)
		*end++ = digits[nonce >> shift & 0xf];
	memcpy(end, F2_TEMP_SUFFIX, sizeof F2_TEMP_SUFFIX);
}

/* Tells removeLeftovers that the file is not left over. It can only be locked
 * by that, or by somebody who means harm and must not make this wait. Where
 * locks are not to be had, removeLeftovers removes nothing. */
static void lock(int fd)
{
	int result;
	do {
		result = flock(fd, LOCK_EX | LOCK_NB);
	} while (result != 0 && errno == EINTR);
}

/* Makes the file. The mode of a new target is open's business, so that the
 * kernel applies the umask or the folder's ACL; what is to replace another is
 * nobody else's until it is like that one. */
static int64_t create(const struct f2_spot *spot, const struct f2_rules *rules,
                      struct temp *temp)
{
	int mode = spot->exists ? 0600 : rules->mode;
	uint64_t nonce = rules->nonce;
	int tries = 0;
	memcpy(temp->name, spot->name, spot->prefix_bytes);
	temp->last = temp->name + spot->prefix_bytes;
	do {
		/* An odd number's multiples are all different. */
		make_name(temp->last,
		          nonce + (uint64_t)tries *
		                          UINT64_C(0x9e3779b97f4a7c15));
		temp->fd = openat(spot->folder, temp->name,
		                  O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
		                  (mode_t)mode);
		if (temp->fd < 0 && errno == EEXIST)
			tries++;
	} while (temp->fd < 0 &&
	         (errno == EINTR || (errno == EEXIST && tries < MAX_TRIES)));
	/* A new name needs nothing but its folder. */
	if (temp->fd < 0)
		return f2_step_fault(errno == ENOENT ? F2_STEP_OPEN_FOLDER
		                                     : F2_STEP_CREATE,
		                     errno);
	temp->named = true;
	lock(temp->fd);
	return 0;
}

/* Makes file's content, metadata and durability those of the target. */
static int64_t complete(const struct temp *temp, const char *path,
                        const struct f2_spot *spot,
                        const struct f2_rules *rules, struct f2_source *source,
                        uint64_t *written)
{
	struct f2_target target = {.fd = temp->fd};
	int64_t fault = 0;
	*written = f2_pump(&target, source, &fault);
	if (f2_operation_of(fault) == F2_WRITE)
		return f2_step_fault(F2_STEP_WRITE, f2_error_of(fault));
	if (fault != 0)
		return fault;
	if (spot->exists)
		fault = f2_copy_metadata(temp->fd, path, &spot->old);
	if (fault != 0 || rules->flush == F2_FLUSH_NONE)
		return fault;
	/* Not fdatasync(2): the mode has to be there too. */
	fault = f2_sync(temp->fd, F2_FLUSH_FULL, 0);
	return fault == 0 ? 0 : f2_step_fault(F2_STEP_SYNC, f2_error_of(fault));
}

/* Whether close(2) may have an error left to report: not after fsync(2), nor
 * where files are local, which do nothing when they are closed. Only the old
 * file's mount is known, which is the new one's unless it is a mount. */
static bool may_fail_late(const struct f2_spot *spot, const struct temp *temp,
                          bool durable)
{
	return !durable &&
	       (!spot->exists || spot->old.mounted ||
	        (f2_place(temp->fd, NULL, &spot->old) & F2_PLACE_FRESH) == 0);
}

/* Closes what was written before it gets its name, and keeps the lock all the
 * same. */
static int64_t close_written(struct temp *temp)
{
	temp->keeper = fcntl(temp->fd, F_DUPFD_CLOEXEC, 0);
	if (temp->keeper < 0)
		return f2_step_fault(F2_STEP_KEEP, errno);
	int error = f2_error_of(f2_close(temp->fd));
	temp->fd = -1;
	return error == 0 ? 0 : f2_step_fault(F2_STEP_CLOSE, error);
}

/* --- Publishing -------------------------------------------------------- */

/* Gives the file its name, which nothing may have yet. Returns 0 or errno. */
static int publish_new(const struct f2_spot *spot, struct temp *temp)
{
	if (syscall(SYS_renameat2, spot->folder, temp->name, spot->folder,
	            spot->name, RENAME_NOREPLACE) == 0) {
		temp->named = false;
		return 0;
	}
	/* No such call, no such flag there, or a filter that knows neither. */
	if (errno != ENOSYS && errno != EINVAL && errno != EPERM)
		return errno;
	return linkat(spot->folder, temp->name, spot->folder, spot->name, 0) ==
	                       0
	               ? 0
	               : errno;
}

static int64_t publish(const struct f2_spot *spot, bool exclusive,
                       struct temp *temp)
{
	int error = 0;
	if (exclusive)
		error = publish_new(spot, temp);
	else if (renameat(spot->folder, temp->name, spot->folder, spot->name) ==
	         0)
		temp->named = false;
	else
		error = errno;
	return error == 0 ? 0 : f2_step_fault(F2_STEP_PUBLISH, error);
}

/* Removes the file where its folder was moved: the kernel knows the name that
 * it has by now. Returns 0 or errno. */
static int remove_moved(const struct temp *temp, int fd)
{
	char link[sizeof "/proc/self/fd/" + 3 * sizeof(int)];
	char name[PATH_MAX];
	(void)snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	ssize_t count = readlinkat(AT_FDCWD, link, name, sizeof name);
	if (count < 0)
		return ENOENT; /* no /proc */
	ssize_t last_bytes = F2_TEMP_NAME_BYTES - 1;
	/* Another name, or " (deleted)" after it, is none of ours. */
	if (count == (ssize_t)sizeof name || count < last_bytes ||
	    memcmp(name + count - last_bytes, temp->last, (size_t)last_bytes) !=
	            0)
		return 0;
	name[count] = '\0';
	return unlinkat(AT_FDCWD, name, 0) == 0 || errno == ENOENT ? 0 : errno;
}

/* Returns 0 or errno; 0 where another has removed it. */
static int remove_temp(const struct f2_spot *spot, const struct temp *temp,
                       int fd)
{
	if (unlinkat(spot->folder, temp->name, 0) == 0)
		return 0;
	if (errno != ENOENT)
		return errno;
	return spot->folder == AT_FDCWD ? remove_moved(temp, fd) : 0;
}

/* Closes and removes what is left of the file. Returns fault, or the first one
 * found here. */
static int64_t tidy(const struct f2_spot *spot, struct temp *temp,
                    int64_t fault)
{
	int unlink_error = 0;
	/* One of them at most: the keeper comes when the file's own goes. */
	int open = temp->fd >= 0 ? temp->fd : temp->keeper;
	if (temp->named)
		unlink_error = remove_temp(spot, temp, open);
	int close_error = open >= 0 ? f2_error_of(f2_close(open)) : 0;
	if (fault != 0)
		return f2_add_errors(fault, unlink_error, close_error);
	int error = unlink_error != 0 ? unlink_error : close_error;
	return error == 0 ? 0 : f2_step_fault(F2_STEP_TIDY, error);
}

/* Makes the new name durable. Some file systems can't, and need not. */
static int64_t sync_folder(int folder)
{
	int result;
	do {
		result = fsync(folder);
	} while (result != 0 && errno == EINTR);
	if (result == 0 || errno == EINVAL || errno == EOPNOTSUPP)
		return 0;
	return f2_step_fault(F2_STEP_SYNC_FOLDER, errno);
}

int64_t f2_write_atomically(const char *path, const struct f2_rules *rules,
                            struct f2_source *source)
{
	bool exclusive = (rules->open_flags & O_EXCL) != 0;
	bool durable = rules->flush != F2_FLUSH_NONE;
	struct f2_spot spot;
	struct temp temp = {.fd = -1, .keeper = -1};
	uint64_t written = 0;

	int64_t fault = f2_find_spot(path, exclusive, durable, &spot);
	if (fault != 0)
		return fault;
	fault = create(&spot, rules, &temp);
	if (fault == 0)
		fault = complete(&temp, path, &spot, rules, source, &written);
	if (fault == 0 && may_fail_late(&spot, &temp, durable))
		fault = close_written(&temp);
	if (fault == 0)
		fault = publish(&spot, exclusive, &temp);
	bool published = fault == 0;
	fault = tidy(&spot, &temp, fault);
	if (published && durable) {
		int64_t sync_fault = sync_folder(spot.folder);
		fault = fault != 0 ? fault : sync_fault;
	}
	f2_close_spot(&spot);
	return fault == 0 ? (int64_t)written : fault;
}
