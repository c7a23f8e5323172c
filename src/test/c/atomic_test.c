/*
 * Atomic writes against failing system calls: in every scenario each call fails
 * once, with several errors, and then once more with a second kind of call that
 * fails from there on. Whatever fails, the old file is whole or the new one is,
 * no temporary file is left (unless its removal is what failed), no descriptor
 * leaks, and what failed is told.
 *
 *   atomic_test FOLDER   works in a folder of its own there
 */
#include "../../main/c/files2.h"
#include "tally.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

/* --- Failing calls ----------------------------------------------------- */

enum call {
	OPENAT,
	LOOK,
	READLINK,
	FLOCK,
	WRITE,
	FCHOWN,
	LISTXATTR,
	FLISTXATTR,
	GETXATTR,
	FSETXATTR,
	SET_ACL, /* fsetxattr, too */
	SET_LABEL,
	FREMOVEXATTR,
	FCHMOD,
	FSYNC,
	DUP,
	CLOSE,
	RENAMEAT,
	RENAMEAT2,
	LINKAT,
	UNLINKAT,
	MALLOC,
	OPEN, /* of a leftover, as is the next */
	UNLINK,
	CALLS
};

static const char *const names[CALLS] = {
        "openat",   "statx",     "readlinkat",   "flock",     "write",
        "fchown",   "listxattr", "flistxattr",   "getxattr",  "fsetxattr",
        "set ACL",  "set label", "fremovexattr", "fchmod",    "fsync",
        "fcntl",    "close",     "renameat",     "renameat2", "linkat",
        "unlinkat", "malloc",    "open",         "unlink"};

/* A walk along as many links as the kernel allows is the longest. */
enum { MAX_EVENTS = 256 };

/* Which call fails: the number-th of all, counted from 1; 0: none. */
static struct {
	bool armed;
	unsigned number;
	int error;
	enum call also; /* each of these that comes later fails, too */
	int also_error;
	enum call events[MAX_EVENTS];
	unsigned count;
	bool renamed; /* the new content has its name */
	bool left;    /* a temporary file could not be removed */
	bool long_links;
} plan;

/* Notes a call. Returns whether it is to fail, with errno set. */
static bool fails(enum call call)
{
	if (!plan.armed)
		return false;
	if (plan.count == MAX_EVENTS) {
		fprintf(stderr, "too many calls: %s spins\n", names[call]);
		abort();
	}
	plan.events[plan.count++] = call;
	if (plan.number == 0 || plan.count < plan.number ||
	    (plan.count > plan.number && call != plan.also))
		return false;
	errno = plan.count == plan.number ? plan.error : plan.also_error;
	plan.left = plan.left || (call == UNLINKAT && errno != ENOENT);
	return true;
}

static const char acl_name[] = "system.posix_acl_access";
static const char label_name[] = "security.selinux";

#define WRAP(type, name, call, parameters, arguments)                          \
	type __real_##name parameters;                                         \
	type __wrap_##name parameters;                                         \
	type __wrap_##name parameters                                          \
	{                                                                      \
		return fails(call) ? -1 : __real_##name arguments;             \
	}

static enum call setting_of(const char *name)
{
	if (strcmp(name, acl_name) == 0)
		return SET_ACL;
	return strcmp(name, label_name) == 0 ? SET_LABEL : FSETXATTR;
}

WRAP(int, flock, FLOCK, (int fd, int operation), (fd, operation))
WRAP(ssize_t, write, WRITE, (int fd, const void *bytes, size_t count),
     (fd, bytes, count))
WRAP(int, fchown, FCHOWN, (int fd, uid_t uid, gid_t gid), (fd, uid, gid))
WRAP(ssize_t, listxattr, LISTXATTR,
     (const char *path, char *list, size_t count), (path, list, count))
WRAP(ssize_t, flistxattr, FLISTXATTR, (int fd, char *list, size_t count),
     (fd, list, count))
WRAP(ssize_t, getxattr, GETXATTR,
     (const char *path, const char *name, void *value, size_t count),
     (path, name, value, count))
WRAP(int, fsetxattr, setting_of(name),
     (int fd, const char *name, const void *value, size_t count, int flags),
     (fd, name, value, count, flags))
WRAP(int, fremovexattr, FREMOVEXATTR, (int fd, const char *name), (fd, name))
WRAP(int, fchmod, FCHMOD, (int fd, mode_t mode), (fd, mode))
WRAP(int, fsync, FSYNC, (int fd), (fd))
WRAP(int, unlink, UNLINK, (const char *file), (file))

int __real_unlinkat(int folder, const char *name, int flags);
int __wrap_unlinkat(int folder, const char *name, int flags);

int __wrap_unlinkat(int folder, const char *name, int flags)
{
	if (!fails(UNLINKAT))
		return __real_unlinkat(folder, name, flags);
	/* Another was faster: so it is gone. */
	if (errno == ENOENT && __real_unlinkat(folder, name, flags) == 0)
		errno = ENOENT;
	return -1;
}

ssize_t __real_readlinkat(int folder, const char *path, char *target,
                          size_t count);
ssize_t __wrap_readlinkat(int folder, const char *path, char *target,
                          size_t count);

ssize_t __wrap_readlinkat(int folder, const char *path, char *target,
                          size_t count)
{
	if (fails(READLINK))
		return -1;
	if (!plan.long_links)
		return __real_readlinkat(folder, path, target, count);
	memset(target, 'x', count);
	return (ssize_t)count;
}

void *__real_malloc(size_t byte_count);
void *__wrap_malloc(size_t byte_count);

void *__wrap_malloc(size_t byte_count)
{
	return fails(MALLOC) ? NULL : __real_malloc(byte_count);
}

int __real_open(const char *file, int flags, ...);
int __wrap_open(const char *file, int flags, ...);

int __wrap_open(const char *file, int flags, ...)
{
	va_list arguments;
	va_start(arguments, flags);
	mode_t mode = (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
	va_end(arguments);
	return fails(OPEN) ? -1 : __real_open(file, flags, mode);
}

int __real_openat(int folder, const char *path, int flags, ...);
int __wrap_openat(int folder, const char *path, int flags, ...);

int __wrap_openat(int folder, const char *path, int flags, ...)
{
	va_list arguments;
	va_start(arguments, flags);
	mode_t mode = (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
	va_end(arguments);
	if (plan.armed)
		tally_check((flags & O_CLOEXEC) != 0, "no O_CLOEXEC");
	return fails(OPENAT) ? -1 : __real_openat(folder, path, flags, mode);
}

int __real_fcntl(int fd, int command, ...);
int __wrap_fcntl(int fd, int command, ...);

int __wrap_fcntl(int fd, int command, ...)
{
	va_list arguments;
	va_start(arguments, command);
	int argument = va_arg(arguments, int);
	va_end(arguments);
	return fails(DUP) ? -1 : __real_fcntl(fd, command, argument);
}

int __real_close(int fd);
int __wrap_close(int fd);

int __wrap_close(int fd)
{
	/* Linux closes the descriptor whatever it answers. */
	int error = fails(CLOSE) ? errno : 0;
	int result = __real_close(fd);
	if (error != 0)
		errno = error;
	return error != 0 ? -1 : result;
}

int __real_renameat(int folder, const char *from, int to_folder,
                    const char *to);
int __wrap_renameat(int folder, const char *from, int to_folder,
                    const char *to);

int __wrap_renameat(int folder, const char *from, int to_folder, const char *to)
{
	if (fails(RENAMEAT))
		return -1;
	int result = __real_renameat(folder, from, to_folder, to);
	plan.renamed = plan.renamed || result == 0;
	return result;
}

int __real_linkat(int folder, const char *from, int to_folder, const char *to,
                  int flags);
int __wrap_linkat(int folder, const char *from, int to_folder, const char *to,
                  int flags);

int __wrap_linkat(int folder, const char *from, int to_folder, const char *to,
                  int flags)
{
	if (fails(LINKAT))
		return -1;
	int result = __real_linkat(folder, from, to_folder, to, flags);
	plan.renamed = plan.renamed || result == 0;
	return result;
}

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);

/* statx(2), newfstatat(2) and renameat2(2). */
long __wrap_syscall(long number, ...)
{
	long a[5];
	va_list arguments;
	va_start(arguments, number);
	for (size_t i = 0; i < 5; i++)
		a[i] = va_arg(arguments, long);
	va_end(arguments);
	bool renames = number == SYS_renameat2;
	if (fails(renames ? RENAMEAT2 : LOOK))
		return -1;
	long result = __real_syscall(number, a[0], a[1], a[2], a[3], a[4]);
	plan.renamed = plan.renamed || (renames && result == 0);
	return result;
}

/* --- Scenarios --------------------------------------------------------- */

enum { PATH_BYTES = 300, OLD_MODE = 0640 };

static char folder[PATH_BYTES - 20];
static char path[PATH_BYTES];
static char link_path[PATH_BYTES];

static const char old_text[] = "old content";
static const char new_text[] = "the new content, which is longer";

enum old {
	NOTHING,
	PLAIN,
	WITH_ATTRIBUTES,
	WITH_ACL,
	IN_ACL_FOLDER, /* which gives each new file one */
	BEHIND_LINK,
	DANGLING,
	OLDS
};

static const char *const olds[OLDS] = {
        "nothing",        "a file", "attributes",     "an ACL",
        "a folder's ACL", "a link", "a dangling link"};

/* user:1234:r-- besides the usual ones, in the form of linux/posix_acl_xattr.h
 * on a little-endian machine: the version, then tag, rights and id of each. */
static const uint8_t acl[] = {
        2,  0, 0, 0,                          /* version */
        1,  0, 6, 0, 0xff, 0xff, 0xff, 0xff,  /* the owner */
        2,  0, 4, 0, 0xd2, 4,    0,    0,     /* a user */
        4,  0, 4, 0, 0xff, 0xff, 0xff, 0xff,  /* the group */
        16, 0, 4, 0, 0xff, 0xff, 0xff, 0xff,  /* the mask */
        32, 0, 0, 0, 0xff, 0xff, 0xff, 0xff}; /* others */

static const char default_acl_name[] = "system.posix_acl_default";

/* Of what the machine, or the user, can't have: the scenarios without it. */
static bool has_acls;
static bool has_labels;

struct scenario {
	enum old old;
	bool exclusive;
	bool durable;
};

static void must(bool ok, const char *what)
{
	if (!ok) {
		perror(what);
		exit(2);
	}
}

static bool is_linked(const struct scenario *s)
{
	return s->old == BEHIND_LINK || s->old == DANGLING;
}

static bool has_old(const struct scenario *s)
{
	return s->old != NOTHING && s->old != DANGLING;
}

static void prepare(const struct scenario *s)
{
	must(unlink(path) == 0 || errno == ENOENT, path);
	must(unlink(link_path) == 0 || errno == ENOENT, link_path);
	if (has_acls)
		must(removexattr(folder, default_acl_name) == 0 ||
		             errno == ENODATA,
		     folder);
	if (is_linked(s))
		must(symlink("file", link_path) == 0, link_path);
	if (!has_old(s))
		return;
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, OLD_MODE);
	must(fd >= 0 && write(fd, old_text, sizeof old_text) == sizeof old_text,
	     path);
	must(fchmod(fd, OLD_MODE) == 0, path);
	if (s->old == WITH_ATTRIBUTES) {
		must(fsetxattr(fd, "user.files2", "x", 1, 0) == 0, path);
		/* One that is not copied, and one that may be refused. */
		if (has_labels)
			must(fsetxattr(fd, "trusted.files2", "t", 1, 0) == 0 &&
			             fsetxattr(fd, label_name, "l", 1, 0) == 0,
			     path);
	}
	if (s->old == WITH_ACL)
		must(fsetxattr(fd, acl_name, acl, sizeof acl, 0) == 0, path);
	if (s->old == IN_ACL_FOLDER)
		must(setxattr(folder, default_acl_name, acl, sizeof acl, 0) ==
		             0,
		     folder);
	must(close(fd) == 0, path);
}

/* Whether the file at path is whole, with the old or the new content. */
static bool content_is(const char *expected, size_t count)
{
	char found[200];
	int fd = open(path, O_RDONLY);
	if (fd < 0)
		return false;
	ssize_t taken = read(fd, found, sizeof found);
	must(close(fd) == 0, path);
	return taken == (ssize_t)count && memcmp(found, expected, count) == 0;
}

static mode_t mode_of(const char *file)
{
	struct stat st;
	must(stat(file, &st) == 0, file);
	return st.st_mode & 07777;
}

static unsigned files_in_folder(void)
{
	unsigned count = 0;
	DIR *directory = opendir(folder);
	must(directory != NULL, folder);
	for (struct dirent *entry; (entry = readdir(directory)) != NULL;)
		count += strcmp(entry->d_name, ".") != 0 &&
		         strcmp(entry->d_name, "..") != 0;
	must(closedir(directory) == 0, folder);
	return count;
}

/* Removes a temporary file that is known to be left. */
static void remove_temp(void)
{
	DIR *directory = opendir(folder);
	must(directory != NULL, folder);
	for (struct dirent *entry; (entry = readdir(directory)) != NULL;)
		if (strncmp(entry->d_name, F2_TEMP_PREFIX,
		            sizeof F2_TEMP_PREFIX - 1) == 0)
			must(unlinkat(dirfd(directory), entry->d_name, 0) == 0,
			     entry->d_name);
	must(closedir(directory) == 0, folder);
}

static int lowest_free(void)
{
	int fd = dup(STDOUT_FILENO);
	must(fd >= 0 && close(fd) == 0, "dup");
	return fd;
}

static int operation_of(int64_t packed)
{
	return packed >= 0 ? 0 : (int)(packed >> 24 & 0xf);
}

static enum f2_step step_of(int64_t packed)
{
	uint64_t bits = (uint64_t)packed & INT64_MAX;
	return (enum f2_step)(bits >> 28);
}

/* The errno of the temporary file's removal: of a failure, or a later one. */
static int unlink_error_of(int64_t packed)
{
	return (int)(packed >> (step_of(packed) == F2_STEP_TIDY ? 16 : 8)) &
	       0xff;
}

/* Whether a call that fails with error leaves the write as it is. */
static bool is_ignored(enum call call, int error)
{
	switch (call) {
	case FLOCK:
		return true;
	case CLOSE: /* see may_be_ignored */
		return error == EINTR;
	case FCHOWN:
	case FCHMOD: /* it changes nothing here, or the mode is checked */
		return error == EINTR ||
		       (call == FCHOWN &&
		        (error == EPERM || error == EINVAL || error == ENOSYS ||
		         error == EOPNOTSUPP));
	case LISTXATTR:
		return error == EOPNOTSUPP || error == ENOSYS ||
		       error == ENOENT || error == ENODATA;
	case FLISTXATTR: /* ERANGE: too many to find out whether there's one */
		return error == EOPNOTSUPP || error == ENOSYS ||
		       error == ERANGE;
	case GETXATTR:
		return error == ENODATA || error == ENOENT;
	case FSETXATTR:
		return error == EOPNOTSUPP;
	case SET_LABEL: /* the folder's policy has set one */
		return error == EOPNOTSUPP || error == EPERM ||
		       error == EINVAL || error == ENOSYS || error == EACCES;
	case FREMOVEXATTR:
		return error == EOPNOTSUPP || error == ENODATA;
	case FSYNC:
		return error == EINTR;
	case RENAMEAT2:
		return error == ENOSYS || error == EINVAL || error == EPERM;
	case UNLINKAT:
		return error == ENOENT;
	case OPENAT:
	case LOOK:
	case READLINK:
	case WRITE:
		return error == EINTR;
	default:
		return false;
	}
}

/* Runs a scenario whose number-th call fails with error, and each later one of
 * also, if that is not CALLS, with also_error. Returns whether there was such a
 * call. */
static bool run_with(const struct scenario *s, unsigned number, int error,
                     enum call also, int also_error)
{
	struct f2_ready ready;
	struct f2_rules rules = {
	        .open_flags = O_WRONLY | O_CREAT | O_TRUNC |
	                      (s->exclusive ? O_EXCL : 0),
	        .mode = 0604,
	        .flush = s->durable ? F2_FLUSH_FULL : F2_FLUSH_NONE,
	        .nonce = UINT64_C(0x0123456789abcdef) + number};
	prepare(s);
	f2_ready_init(&ready, (const uint8_t *)new_text, sizeof new_text);
	unsigned files = files_in_folder();
	int lowest = lowest_free();
	plan.number = number;
	plan.error = error;
	plan.also = also;
	plan.also_error = also_error;
	plan.count = 0;
	plan.renamed = false;
	plan.left = false;
	plan.armed = true;
	int64_t result = f2_write_atomically(is_linked(s) ? link_path : path,
	                                     &rules, &ready.source);
	plan.armed = false;
	bool reached = number != 0 && plan.count >= number;
	enum call failed = reached ? plan.events[number - 1] : CALLS;
	tally_case("%s%s%s, call %u (%s) fails with %d, later %s with %d",
	           olds[s->old], s->exclusive ? ", exclusive" : "",
	           s->durable ? ", durable" : "", number,
	           reached ? names[failed] : "none", error,
	           also == CALLS ? "none" : names[also], also_error);
	tally_check(lowest_free() == lowest, "a descriptor is left");

	/* The content: all of the old or all of the new. A kernel that denies
	 * that there is a link gets a file in its place. */
	bool is_denied = failed == LOOK && error == ENOENT && is_linked(s);
	if (is_denied)
		tally_check(result >= 0 || !plan.renamed, "it fails");
	else if (plan.renamed)
		tally_check(content_is(new_text, sizeof new_text),
		            "not the new content");
	else if (has_old(s))
		tally_check(content_is(old_text, sizeof old_text),
		            "not the old content");
	else
		tally_check(access(path, F_OK) != 0, "there is something");
	if (result >= 0) {
		tally_check(plan.renamed, "success, but not renamed");
		tally_check(result == sizeof new_text, "%lld bytes",
		            (long long)result);
	} else {
		tally_check(operation_of(result) ==
		                    (failed == MALLOC ? F2_MEMORY : F2_ATOMIC),
		            "operation %d", operation_of(result));
		tally_check((step_of(result) >= F2_STEP_TIDY) == plan.renamed,
		            "step %d, but renamed: %d", (int)step_of(result),
		            plan.renamed);
	}

	/* The temporary file. */
	unsigned expected = files + (plan.renamed && !has_old(s)) + plan.left;
	if (is_denied)
		expected = files_in_folder(); /* a lie: nothing to check */
	tally_check(files_in_folder() == expected, "%u files, not %u",
	            files_in_folder(), expected);
	remove_temp();
	if (plan.left)
		tally_check(result < 0 && unlink_error_of(result) != 0,
		            "that a file is left is not told");

	/* Failures are told. */
	bool must_fail = s->exclusive && (has_old(s) || is_linked(s));
	if (also == CALLS && reached && !must_fail && result >= 0) {
		bool folder_close = failed == CLOSE &&
		                    (number == plan.count || is_linked(s));
		/* It has come with the ACL. */
		bool has_mode = failed == FCHMOD && s->old == WITH_ACL &&
		                mode_of(path) == OLD_MODE;
		bool late_sync = failed == FSYNC && plan.renamed &&
		                 (error == EINVAL || error == EOPNOTSUPP);
		/* A missing target is created, an unreadable folder only
		 * looked through; one that can't be searched is opened. */
		bool is_other =
		        (failed == LOOK && error == EACCES && !s->durable &&
		         number == 1) ||
		        (failed == LOOK && error == ENOENT) ||
		        (failed == LOOK &&
		         (error == ENOSYS || error == EPERM)) ||
		        (failed == OPENAT && error == EEXIST) ||
		        (failed == OPENAT && error == EACCES && is_linked(s));
		tally_check(is_ignored(failed, error) || folder_close ||
		                    has_mode || late_sync || is_other,
		            "the failure is not told");
	}
	if (!reached && !must_fail)
		tally_check(result >= 0, "fails without a fault");
	if (must_fail)
		tally_check(result < 0, "it replaces");
	return reached;
}

static bool run(const struct scenario *s, unsigned number, int error)
{
	return run_with(s, number, error, CALLS, 0);
}

/* What a success has to leave besides the content. */
static void check_metadata(const struct scenario *s)
{
	must(!run(s, 0, 0), path);
	tally_case("metadata of %s", olds[s->old]);
	tally_check(mode_of(path) == (has_old(s) ? OLD_MODE : (mode_t)0604),
	            "mode %o", mode_of(path));
	char value;
	if (s->old == WITH_ATTRIBUTES)
		tally_check(getxattr(path, "user.files2", &value, 1) == 1 &&
		                    value == 'x',
		            "the attribute is lost");
	if (s->old == WITH_ATTRIBUTES && has_labels) {
		tally_check(getxattr(path, label_name, &value, 1) == 1 &&
		                    value == 'l',
		            "the label is lost");
		tally_check(getxattr(path, "trusted.files2", NULL, 0) < 0,
		            "what is not the user's is copied");
	}
	uint8_t found[2 * sizeof acl];
	ssize_t count = getxattr(path, acl_name, found, sizeof found);
	if (s->old == WITH_ACL)
		tally_check(count == (ssize_t)sizeof acl &&
		                    memcmp(found, acl, sizeof acl) == 0,
		            "the ACL is another");
	else
		tally_check(count < 0, "there is an ACL");
}

static void check_order_of(bool durable, const enum call *expected,
                           unsigned count)
{
	struct scenario s = {PLAIN, false, durable};
	run(&s, 0, 0);
	tally_case("order%s", durable ? ", durable" : "");
	tally_check(plan.count == count, "%u calls", plan.count);
	for (unsigned i = 0; i < plan.count && i < count; i++)
		tally_check(plan.events[i] == expected[i],
		            "call %u is %s, not %s", i + 1,
		            names[plan.events[i]], names[expected[i]]);
}

/* The order of the calls, and that there is none too many. */
static void check_order(void)
{
	static const enum call durable[] = {
	        OPENAT,     LOOK,   OPENAT, FLOCK,    WRITE, FCHOWN, LISTXATTR,
	        FLISTXATTR, FCHMOD, FSYNC,  RENAMEAT, CLOSE, FSYNC,  CLOSE};
	static const enum call fast[] = {
	        LOOK,      OPENAT,     FLOCK,  WRITE,    FCHOWN,
	        LISTXATTR, FLISTXATTR, FCHMOD, RENAMEAT, CLOSE};
	check_order_of(true, durable, sizeof durable / sizeof durable[0]);
	check_order_of(false, fast, sizeof fast / sizeof fast[0]);
}

static bool is_possible(const struct scenario *s)
{
	return has_acls || (s->old != WITH_ACL && s->old != IN_ACL_FOLDER);
}

/* What the first failure leads to fails, too: the clean-up, the second way to
 * do it, another try. */
static void run_second_faults(const struct scenario *s)
{
	static const struct {
		int error;
		enum call also;
		int also_error;
	} pairs[] = {{EIO, UNLINKAT, EDQUOT},   {EIO, CLOSE, EDQUOT},
	             {EACCES, OPENAT, EACCES},  {EEXIST, OPENAT, EEXIST},
	             {EPERM, FCHOWN, EPERM},    {EPERM, FCHOWN, EIO},
	             {EPERM, LOOK, EIO},        {ENOSYS, LINKAT, EIO},
	             {ENOSYS, UNLINKAT, EBUSY}, {ENOSYS, UNLINKAT, ENOENT},
	             {ENOSYS, CLOSE, EIO}};
	for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
		for (unsigned number = 1;
		     run_with(s, number, pairs[i].error, pairs[i].also,
		              pairs[i].also_error);
		     number++)
			continue;
}

static void run_table(void)
{
	static const int errors[] = {
	        EINTR,  EIO,        ENOSPC, EPERM,  EACCES,  ENOENT, EEXIST,
	        ENOSYS, EOPNOTSUPP, EINVAL, EDQUOT, ENODATA, ERANGE};
	for (unsigned n = 0; n < OLDS * 4; n++) {
		struct scenario s = {.old = (enum old)(n / 4),
		                     .exclusive = (n & 1) != 0,
		                     .durable = (n & 2) != 0};
		if (!is_possible(&s))
			continue;
		for (size_t e = 0; e < sizeof errors / sizeof errors[0]; e++)
			for (unsigned number = 1; run(&s, number, errors[e]);
			     number++)
				continue;
		run_second_faults(&s);
		if (!s.exclusive)
			check_metadata(&s);
	}
}

/* --- Odd targets ------------------------------------------------------ */

/* Writes to target. Returns what failed, packed as fault.c does. */
static int64_t write_to(const char *target, struct f2_source *source)
{
	struct f2_rules rules = {.open_flags = O_WRONLY | O_CREAT | O_TRUNC,
	                         .mode = 0604,
	                         .flush = F2_FLUSH_NONE,
	                         .nonce = UINT64_C(0xfedcba9876543210)};
	return f2_write_atomically(target, &rules, source);
}

/* Checks that target is refused at step with error, and nothing is left. */
static void check_refused(const char *target, enum f2_step step, int error)
{
	struct f2_ready ready;
	f2_ready_init(&ready, (const uint8_t *)new_text, sizeof new_text);
	unsigned files = files_in_folder();
	int lowest = lowest_free();
	int64_t result = write_to(target, &ready.source);
	tally_case("target %s", target);
	tally_check(result < 0 && step_of(result) == step &&
	                    (int)(result >> 16 & 0xff) == error,
	            "step %d, errno %d", (int)step_of(result),
	            (int)(result >> 16 & 0xff));
	tally_check(files_in_folder() == files, "a file is left");
	tally_check(lowest_free() == lowest, "a descriptor is left");
}

static void put_link(const char *target)
{
	must(unlink(link_path) == 0 || errno == ENOENT, link_path);
	must(symlink(target, link_path) == 0, link_path);
}

static void check_odd_targets(void)
{
	struct scenario nothing = {NOTHING, false, false};
	prepare(&nothing);
	char odd[2 * PATH_BYTES];
	snprintf(odd, sizeof odd, "%s/.", folder);
	check_refused(odd, F2_STEP_REFUSE, EISDIR);
	snprintf(odd, sizeof odd, "%s/..", folder);
	check_refused(odd, F2_STEP_REFUSE, EISDIR);
	snprintf(odd, sizeof odd, "%s/", path);
	check_refused(odd, F2_STEP_REFUSE, EISDIR);
	snprintf(odd, sizeof odd, "%s/%0256d", folder, 0);
	check_refused(odd, F2_STEP_LOOK, ENAMETOOLONG);
	check_refused(folder, F2_STEP_REFUSE, EISDIR);
	check_refused("/dev/null", F2_STEP_REFUSE, EINVAL);

	put_link("..");
	check_refused(link_path, F2_STEP_REFUSE, EISDIR);
	put_link("/dev/null");
	check_refused(link_path, F2_STEP_REFUSE, EINVAL);
	put_link("missing/");
	check_refused(link_path, F2_STEP_REFUSE, EISDIR);
	put_link("missing/file");
	check_refused(link_path, F2_STEP_OPEN_FOLDER, ENOENT);
	put_link("link");
	check_refused(link_path, F2_STEP_FOLLOW, ELOOP);
	/* More than any link of Linux's own file systems has. */
	put_link("missing");
	plan.long_links = true;
	check_refused(link_path, F2_STEP_FOLLOW, ENAMETOOLONG);
	plan.long_links = false;
	put_link("link");
	/* A loop that was made while it was looked at: after the close of
	 * check_refused the link is found, its folder opened, the link found
	 * there, and its end. */
	plan.armed = true;
	plan.number = 5;
	plan.error = ENOENT;
	plan.also = CALLS;
	plan.count = 0;
	check_refused(link_path, F2_STEP_FOLLOW, ELOOP);
	plan.armed = false;
	tally_check(plan.events[plan.number - 1] == LOOK,
	            "it was %s that failed",
	            names[plan.events[plan.number - 1]]);
	must(unlink(link_path) == 0, link_path);
}

/* The folder gets another name before the content is complete. */
static int64_t next_of_moved(struct f2_source *source, const uint8_t **piece)
{
	char moved[PATH_BYTES + sizeof ".moved"];
	if (source->min_bytes != 0)
		return 0;
	snprintf(moved, sizeof moved, "%s.moved", folder);
	must(rename(folder, moved) == 0, moved);
	*piece = (const uint8_t *)new_text;
	source->min_bytes = sizeof new_text;
	return sizeof new_text;
}

static void check_moved_folder(void)
{
	char moved[PATH_BYTES + sizeof ".moved"];
	struct scenario s = {PLAIN, false, false};
	prepare(&s);
	snprintf(moved, sizeof moved, "%s.moved", folder);
	struct f2_source source = {.next = next_of_moved,
	                           .max_bytes = sizeof new_text};
	int64_t result = write_to(path, &source);
	must(rename(moved, folder) == 0, folder);
	tally_case("the folder is moved");
	tally_check(result < 0 && step_of(result) == F2_STEP_PUBLISH, "step %d",
	            (int)step_of(result));
	tally_check(unlink_error_of(result) == 0, "the removal fails with %d",
	            unlink_error_of(result));
	tally_check(content_is(old_text, sizeof old_text), "not the old file");
	tally_check(files_in_folder() == 1, "a file is left");
}

/* The text of a link in /proc need not name what the link leads to. */
static void check_link_of_a_deleted_file(void)
{
	struct scenario s = {PLAIN, false, false};
	char namesake[2 * PATH_BYTES];
	char proc_link[PATH_BYTES];
	prepare(&s);
	int fd = open(path, O_RDONLY);
	must(fd >= 0 && unlink(path) == 0, path);
	snprintf(proc_link, sizeof proc_link, "/proc/self/fd/%d", fd);
	check_refused(proc_link, F2_STEP_FOLLOW, ESTALE);
	prepare(&s);
	snprintf(namesake, sizeof namesake, "%s (deleted)", path);
	must(rename(path, namesake) == 0, namesake);
	check_refused(proc_link, F2_STEP_FOLLOW, ESTALE);
	must(rename(namesake, path) == 0, namesake);
	tally_check(content_is(old_text, sizeof old_text), "it is replaced");
	must(close(fd) == 0, path);
}

/* Memory for a text's next piece may be missing. */
static int64_t next_of_two(struct f2_source *source, const uint8_t **piece)
{
	*piece = (const uint8_t *)new_text;
	source->min_bytes++;
	return source->min_bytes == 1 ? (int64_t)sizeof new_text : -1;
}

static void check_source_without_memory(void)
{
	struct scenario s = {PLAIN, false, false};
	prepare(&s);
	struct f2_source source = {.next = next_of_two, .max_bytes = 100};
	int64_t result = write_to(path, &source);
	tally_case("no memory for the second piece");
	tally_check(operation_of(result) == F2_MEMORY, "operation %d",
	            operation_of(result));
	tally_check(content_is(old_text, sizeof old_text), "not the old file");
	tally_check(files_in_folder() == 1, "a file is left");
}

/* --- Leftovers --------------------------------------------------------- */

/* Removes path as a leftover, while the number-th call, which is call, fails.
 */
static int64_t remove_while(enum call call, unsigned number, int error)
{
	int lowest = lowest_free();
	plan.armed = true;
	plan.number = number;
	plan.error = error;
	plan.also = CALLS;
	plan.count = 0;
	int64_t result = f2_remove_leftover(path);
	plan.armed = false;
	tally_case("leftover, %s fails with %d", names[call], error);
	tally_check(plan.count >= number && plan.events[number - 1] == call,
	            "another call failed");
	tally_check(lowest_free() == lowest, "a descriptor is left");
	return result;
}

static void check_leftovers(void)
{
	tally_case("leftovers");
	struct scenario s = {PLAIN, false, false};
	prepare(&s);
	int fd = open(path, O_RDONLY);
	must(fd >= 0 && flock(fd, LOCK_EX) == 0, path);
	tally_check(f2_remove_leftover(path) == 0, "a locked file is removed");
	tally_check(access(path, F_OK) == 0, "a locked file is gone");
	must(close(fd) == 0, path);
	tally_check(f2_remove_leftover(path) == 1, "it stays");
	tally_check(access(path, F_OK) != 0, "it is still there");
	tally_check(f2_remove_leftover(path) == 0, "what is gone is removed");

	tally_case("leftovers of other kinds");
	must(symlink("/dev/null", path) == 0, path);
	tally_check(f2_remove_leftover(path) == 0, "a link is removed");
	must(unlink(path) == 0 && mkfifo(path, 0644) == 0, path);
	tally_check(f2_remove_leftover(path) == 0, "a pipe is removed");
	must(unlink(path) == 0, path);
	tally_check(f2_remove_leftover("/proc/self/comm") == 0,
	            "a file is removed that a lock says nothing of");
}

static void check_leftover_faults(void)
{
	static const struct {
		enum call call;
		unsigned number;
		int error;
		bool is_removed;
		int told;
	} faults[] = {
	        {OPEN, 1, EINTR, true, 0},    {OPEN, 1, EACCES, false, 0},
	        {LOOK, 2, EINTR, true, 0},    {LOOK, 2, EIO, false, 0},
	        {FLOCK, 3, EINTR, true, 0},   {FLOCK, 3, ENOLCK, false, 0},
	        {UNLINK, 4, EIO, false, EIO}, {UNLINK, 4, ENOENT, false, 0},
	        {CLOSE, 5, EIO, true, 0}};
	struct scenario s = {PLAIN, false, false};
	for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
		prepare(&s);
		int64_t result = remove_while(faults[i].call, faults[i].number,
		                              faults[i].error);
		bool is_gone = access(path, F_OK) != 0;
		tally_check(is_gone == faults[i].is_removed, "gone: %d",
		            is_gone);
		if (faults[i].told == 0)
			tally_check(result == faults[i].is_removed,
			            "%lld removed", (long long)result);
		else
			tally_check(operation_of(result) == F2_UNLINK &&
			                    (result >> 16 & 0xff) ==
			                            faults[i].told,
			            "the failure is not told");
	}
}

static void find_out_what_there_is(void)
{
	struct scenario s = {PLAIN, false, false};
	prepare(&s);
	has_acls = setxattr(path, acl_name, acl, sizeof acl, 0) == 0;
	has_labels = setxattr(path, label_name, "l", 1, 0) == 0 &&
	             setxattr(path, "trusted.files2", "t", 1, 0) == 0;
	if (!has_acls)
		printf("skipped: ACLs, which %s has none of\n", folder);
	if (!has_labels)
		printf("skipped: labels, which need root\n");
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: atomic_test FOLDER\n");
		return 2;
	}
	(void)umask(022);
	tally_begin();
	int length =
	        snprintf(folder, sizeof folder, "%s/atomic-XXXXXX", argv[1]);
	must(length > 0 && (size_t)length < sizeof folder &&
	             mkdtemp(folder) != NULL,
	     argv[1]);
	snprintf(path, sizeof path, "%s/file", folder);
	snprintf(link_path, sizeof link_path, "%s/link", folder);
	find_out_what_there_is();
	check_order();
	run_table();
	check_odd_targets();
	check_link_of_a_deleted_file();
	check_moved_folder();
	check_source_without_memory();
	check_leftovers();
	check_leftover_faults();
	must(unlink(path) == 0 || errno == ENOENT, path);
	must(unlink(link_path) == 0 || errno == ENOENT, link_path);
	must(rmdir(folder) == 0, folder);
	return tally_end();
}
