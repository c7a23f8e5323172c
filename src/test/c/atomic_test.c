/*
 * Atomic writes against failing system calls: in every scenario each call fails
 * once, with several errors. Whatever fails, the old file is whole or the new
 * one is, no temporary file is left (unless its removal is what failed), no
 * descriptor leaks, and what failed is told.
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
	FREMOVEXATTR,
	FCHMOD,
	FSYNC,
	DUP,
	CLOSE,
	RENAMEAT,
	RENAMEAT2,
	LINKAT,
	UNLINKAT,
	CALLS
};

static const char *const names[CALLS] = {
        "openat",       "statx",     "readlinkat", "flock",    "write",
        "fchown",       "listxattr", "flistxattr", "getxattr", "fsetxattr",
        "fremovexattr", "fchmod",    "fsync",      "fcntl",    "close",
        "renameat",     "renameat2", "linkat",     "unlinkat"};

enum { MAX_EVENTS = 64 };

/* Which call fails: the number-th of all, counted from 1; 0: none. */
static struct {
	bool armed;
	unsigned number;
	int error;
	enum call events[MAX_EVENTS];
	unsigned count;
	bool renamed; /* the new content has its name */
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
	if (plan.count != plan.number)
		return false;
	errno = plan.error;
	return true;
}

#define WRAP(type, name, call, parameters, arguments)                          \
	type __real_##name parameters;                                         \
	type __wrap_##name parameters;                                         \
	type __wrap_##name parameters                                          \
	{                                                                      \
		return fails(call) ? -1 : __real_##name arguments;             \
	}

WRAP(ssize_t, readlinkat, READLINK,
     (int folder, const char *path, char *target, size_t count),
     (folder, path, target, count))
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
WRAP(int, fsetxattr, FSETXATTR,
     (int fd, const char *name, const void *value, size_t count, int flags),
     (fd, name, value, count, flags))
WRAP(int, fremovexattr, FREMOVEXATTR, (int fd, const char *name), (fd, name))
WRAP(int, fchmod, FCHMOD, (int fd, mode_t mode), (fd, mode))
WRAP(int, fsync, FSYNC, (int fd), (fd))
WRAP(int, unlinkat, UNLINKAT, (int folder, const char *name, int flags),
     (folder, name, flags))

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
	bool failing = fails(CLOSE);
	int result = __real_close(fd);
	if (failing)
		errno = plan.error;
	return failing ? -1 : result;
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

enum old { NOTHING, PLAIN, WITH_ATTRIBUTES, BEHIND_LINK, DANGLING, OLDS };

static const char *const olds[OLDS] = {"nothing", "a file", "attributes",
                                       "a link", "a dangling link"};

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
	if (is_linked(s))
		must(symlink("file", link_path) == 0, link_path);
	if (!has_old(s))
		return;
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, OLD_MODE);
	must(fd >= 0 && write(fd, old_text, sizeof old_text) == sizeof old_text,
	     path);
	must(fchmod(fd, OLD_MODE) == 0, path);
	if (s->old == WITH_ATTRIBUTES)
		must(fsetxattr(fd, "user.files2", "x", 1, 0) == 0, path);
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
	case FLISTXATTR:
		return error == EOPNOTSUPP || error == ENOSYS;
	case GETXATTR:
		return error == ENODATA || error == ENOENT;
	case FSETXATTR:
		return error == EOPNOTSUPP;
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

/* Runs a scenario whose number-th call fails with error. Returns whether there
 * was such a call. */
static bool run(const struct scenario *s, unsigned number, int error)
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
	plan.count = 0;
	plan.renamed = false;
	plan.armed = true;
	int64_t result = f2_write_atomically(is_linked(s) ? link_path : path,
	                                     &rules, &ready.source);
	plan.armed = false;
	bool reached = number != 0 && plan.count >= number;
	enum call failed = reached ? plan.events[number - 1] : CALLS;
	tally_case("%s%s%s, call %u (%s) fails with %d", olds[s->old],
	           s->exclusive ? ", exclusive" : "",
	           s->durable ? ", durable" : "", number,
	           reached ? names[failed] : "none", error);
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
		tally_check(operation_of(result) == F2_ATOMIC, "operation %d",
		            operation_of(result));
		tally_check((step_of(result) >= F2_STEP_TIDY) == plan.renamed,
		            "step %d, but renamed: %d", (int)step_of(result),
		            plan.renamed);
	}

	/* The temporary file. */
	bool is_left = failed == UNLINKAT && error != ENOENT;
	unsigned expected = files + (plan.renamed && !has_old(s)) + is_left;
	if ((failed == UNLINKAT && error == ENOENT) || is_denied)
		expected = files_in_folder(); /* a lie: nothing to check */
	tally_check(files_in_folder() == expected, "%u files, not %u",
	            files_in_folder(), expected);
	remove_temp();

	/* Failures are told. */
	bool must_fail = s->exclusive && (has_old(s) || is_linked(s));
	if (reached && !must_fail && result >= 0) {
		bool folder_close = failed == CLOSE &&
		                    (number == plan.count || is_linked(s));
		bool late_sync = failed == FSYNC && plan.renamed &&
		                 (error == EINVAL || error == EOPNOTSUPP);
		/* A missing target is created, an unreadable folder only
		 * looked through. */
		bool is_other =
		        (failed == LOOK && error == ENOENT) ||
		        (failed == LOOK &&
		         (error == ENOSYS || error == EPERM)) ||
		        (failed == OPENAT && error == EEXIST) ||
		        (failed == OPENAT && error == EACCES && is_linked(s));
		tally_check(is_ignored(failed, error) || folder_close ||
		                    late_sync || is_other,
		            "the failure is not told");
	}
	if (!reached && !must_fail)
		tally_check(result >= 0, "fails without a fault");
	if (must_fail)
		tally_check(result < 0, "it replaces");
	return reached;
}

/* What a success has to leave besides the content. */
static void check_metadata(const struct scenario *s)
{
	struct stat st;
	must(run(s, 0, 0) == false && stat(path, &st) == 0, path);
	tally_case("metadata of %s", olds[s->old]);
	tally_check((st.st_mode & 07777) ==
	                    (has_old(s) ? OLD_MODE : (mode_t)0604),
	            "mode %o", st.st_mode & 07777);
	char value;
	if (s->old == WITH_ATTRIBUTES)
		tally_check(getxattr(path, "user.files2", &value, 1) == 1 &&
		                    value == 'x',
		            "the attribute is lost");
}

/* The order of the calls of a durable write, after those that look. */
static void check_order(void)
{
	static const enum call expected[] = {
	        OPENAT,     LOOK,   OPENAT, FLOCK,    WRITE, FCHOWN, LISTXATTR,
	        FLISTXATTR, FCHMOD, FSYNC,  RENAMEAT, CLOSE, FSYNC,  CLOSE};
	struct scenario s = {PLAIN, false, true};
	run(&s, 0, 0);
	tally_case("order");
	tally_check(plan.count == sizeof expected / sizeof expected[0],
	            "%u calls", plan.count);
	for (unsigned i = 0;
	     i < plan.count && i < sizeof expected / sizeof expected[0]; i++)
		tally_check(plan.events[i] == expected[i],
		            "call %u is %s, not %s", i + 1,
		            names[plan.events[i]], names[expected[i]]);
}

static void run_table(void)
{
	static const int errors[] = {EINTR,      EIO,    ENOSPC, EPERM,
	                             EACCES,     ENOENT, EEXIST, ENOSYS,
	                             EOPNOTSUPP, EINVAL, EDQUOT, ENODATA};
	for (unsigned n = 0; n < OLDS * 4; n++) {
		struct scenario s = {.old = (enum old)(n / 4),
		                     .exclusive = (n & 1) != 0,
		                     .durable = (n & 2) != 0};
		for (size_t e = 0; e < sizeof errors / sizeof errors[0]; e++)
			for (unsigned number = 1; run(&s, number, errors[e]);
			     number++)
				continue;
		if (!s.exclusive)
			check_metadata(&s);
	}
}

/* --- Leftovers --------------------------------------------------------- */

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
	check_order();
	run_table();
	check_leftovers();
	must(unlink(path) == 0 || errno == ENOENT, path);
	must(unlink(link_path) == 0 || errno == ENOENT, link_path);
	must(rmdir(folder) == 0, folder);
	return tally_end();
}
