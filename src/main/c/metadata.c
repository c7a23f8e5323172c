/* What a file keeps when an atomic write replaces it. */
#include "atomic.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/stat.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

/* XATTR_LIST_MAX and XATTR_SIZE_MAX of the kernel. */
enum { MAX_XATTR_BYTES = 64 * 1024 };

/* Most files have no attributes, or names that fit here. */
enum { SHORT_LIST_BYTES = 256 };

static const char acl_name[] = "system.posix_acl_access";
static const char label_name[] = "security.selinux";
static const char user_prefix[] = "user.";

/* Whether error means that the file system, or the user, can't do this. */
static bool is_refusal(int error)
{
	return error == EPERM || error == EINVAL || error == EOPNOTSUPP ||
	       error == ENOSYS;
}

/* Whether error means that another has removed it meanwhile. */
static bool is_gone(int error)
{
	return error == ENODATA || error == ENOENT;
}

/* --- Owner and mode ---------------------------------------------------- */

/* Calls fchown(2). Returns 0 or errno. */
static int change_owner(int fd, uid_t uid, gid_t gid)
{
	int result;
	do {
		result = fchown(fd, uid, gid);
	} while (result != 0 && errno == EINTR);
	return result == 0 ? 0 : errno;
}

/* Gives the file to its old owner and group. *kept is the mode that it may then
 * have: not to run with other rights, and not to open to another group what the
 * old one had. */
static int64_t copy_owner(int fd, const struct f2_stat *old, unsigned *kept)
{
	*kept = old->mode & 07777;
	int error = change_owner(fd, old->uid, old->gid);
	if (is_refusal(error)) {
		*kept &= ~(unsigned)(S_ISUID | S_ISGID);
		/* One of the caller's groups is his to give. */
		error = change_owner(fd, (uid_t)-1, old->gid);
	}
	if (is_refusal(error)) {
		*kept &= ~(unsigned)S_IRWXG | *kept << 3;
		error = 0;
	}
	return error == 0 ? 0 : f2_step_fault(F2_STEP_OWNER, error);
}

static int64_t copy_mode(int fd, unsigned mode)
{
	int result;
	do {
		result = fchmod(fd, mode);
	} while (result != 0 && errno == EINTR);
	if (result == 0)
		return 0;
	int error = errno;
	struct f2_stat now;
	/* A file system without modes refuses what it has given already. */
	if (is_refusal(error) &&
	    f2_look_at(fd, "", AT_EMPTY_PATH, STATX_MODE, &now) == 0 &&
	    (now.mode & 07777) == mode)
		return 0;
	return f2_step_fault(F2_STEP_MODE, error);
}

/* --- Attributes -------------------------------------------------------- */

static bool is_copied(const char *name)
{
	return strncmp(name, user_prefix, sizeof user_prefix - 1) == 0 ||
	       strcmp(name, acl_name) == 0 || strcmp(name, label_name) == 0;
}

static bool has_name(const char *names, size_t byte_count, const char *name)
{
	for (size_t at = 0; at < byte_count; at += strlen(names + at) + 1)
		if (strcmp(names + at, name) == 0)
			return true;
	return false;
}

/* Copies one attribute through value. Returns 0 or errno. */
static int copy_attribute(int fd, const char *path, const char *name,
                          uint8_t *value)
{
	ssize_t count = getxattr(path, name, value, MAX_XATTR_BYTES);
	if (count < 0)
		return is_gone(errno) ? 0 : errno;
	int error =
	        fsetxattr(fd, name, value, (size_t)count, 0) == 0 ? 0 : errno;
	/* The folder's policy has labelled the new file already. */
	if (strcmp(name, label_name) == 0 &&
	    (is_refusal(error) || error == EACCES))
		return 0;
	bool may_miss = strcmp(name, acl_name) != 0;
	return error == EOPNOTSUPP && may_miss ? 0 : error;
}

/* Copies what names list, of the old file. Returns 0 or errno. */
static int copy_named(int fd, const char *path, const char *names,
                      size_t byte_count, uint8_t *value)
{
	for (size_t at = 0; at < byte_count; at += strlen(names + at) + 1) {
		int error =
		        is_copied(names + at)
		                ? copy_attribute(fd, path, names + at, value)
		                : 0;
		if (error != 0)
			return error;
	}
	return 0;
}

/* Takes the ACL away that the folder has given the new file, where the old one
 * has none: fchmod(2) would open its mask. */
static int drop_acl(int fd)
{
	char names[SHORT_LIST_BYTES];
	ssize_t count = flistxattr(fd, names, sizeof names);
	if (count < 0 && errno != ERANGE)
		return errno == EOPNOTSUPP || errno == ENOSYS ? 0 : errno;
	bool may_have = count < 0 || has_name(names, (size_t)count, acl_name);
	if (!may_have || fremovexattr(fd, acl_name) == 0)
		return 0;
	return errno == ENODATA || errno == EOPNOTSUPP ? 0 : errno;
}

/* Lists the old file's attributes. Returns the bytes of the list, 0 where the
 * file system has none, or -errno; -ERANGE for more than fit. */
static ssize_t list_old(const char *path, char *names, size_t capacity)
{
	ssize_t count = listxattr(path, names, capacity);
	if (count >= 0)
		return count;
	bool has_none =
	        errno == EOPNOTSUPP || errno == ENOSYS || is_gone(errno);
	return has_none ? 0 : -errno;
}

/* Copies attributes that a file has. Not the usual case, hence malloc. */
static int64_t copy_attributes(int fd, const char *path, bool *has_acl)
{
	char *names = malloc(2 * (size_t)MAX_XATTR_BYTES);
	if (names == NULL)
		return f2_fault(F2_MEMORY, ENOMEM, 0);
	uint8_t *value = (uint8_t *)names + MAX_XATTR_BYTES;
	ssize_t count = list_old(path, names, MAX_XATTR_BYTES);
	int error = count < 0
	                    ? (int)-count
	                    : copy_named(fd, path, names, (size_t)count, value);
	*has_acl = count > 0 && has_name(names, (size_t)count, acl_name);
	free(names);
	return error == 0 ? 0 : f2_step_fault(F2_STEP_ATTRIBUTES, error);
}

static int64_t copy_all_attributes(int fd, const char *path)
{
	bool has_acl = false;
	ssize_t count = list_old(path, NULL, 0); /* tells none from some */
	int64_t fault = 0;
	if (count > 0)
		fault = copy_attributes(fd, path, &has_acl);
	else if (count < 0)
		fault = f2_step_fault(F2_STEP_ATTRIBUTES, (int)-count);
	int error = fault == 0 && !has_acl ? drop_acl(fd) : 0;
	return error == 0 ? fault : f2_step_fault(F2_STEP_ATTRIBUTES, error);
}

int64_t f2_copy_metadata(int fd, const char *path, const struct f2_stat *old)
{
	unsigned mode;
	int64_t fault = copy_owner(fd, old, &mode);
	/* Before the mode, which may forbid it. */
	if (fault == 0)
		fault = copy_all_attributes(fd, path);
	/* After the owner, whose change drops bits of it. */
	if (fault == 0)
		fault = copy_mode(fd, mode);
	return fault;
}
