#include "faults.h"
#include "tally.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/stat.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/vfs.h>
#include <unistd.h>

#ifndef STATX_MNT_ID_UNIQUE
#define STATX_MNT_ID_UNIQUE 0x00004000U
#endif

const char *const call_names[CALL_COUNT] = {
        "open",      "statx", "fstatfs",   "fallocate", "write", "poll",
        "ftruncate", "fsync", "fdatasync", "close",     "fcntl"};

struct faults faults;

void faults_arm(void)
{
	memset(faults.calls, 0, sizeof faults.calls);
	faults.event_count = 0;
	faults.bytes_taken = 0;
	faults.fired = 0;
	faults.armed = true;
}

void faults_disarm(void)
{
	faults.armed = false;
}

/* Errors that each call may well give. */
static int random_error(enum call call)
{
	static const int any[] = {EINTR, EIO, ENOSPC, EDQUOT, EFBIG, EROFS};
	static const int writes[] = {EINTR,       EINTR,      FAULT_SHORT,
	                             FAULT_SHORT, EAGAIN,     ENOSPC,
	                             EIO,         FAULT_ZERO, EFBIG};
	if (call == CALL_WRITE)
		return writes[random_below(sizeof writes / sizeof writes[0])];
	int error = any[random_below(sizeof any / sizeof any[0])];
	/* fcntl(F_GETFL) is never interrupted. */
	return call == CALL_FCNTL && error == EINTR ? EIO : error;
}

/* Counts a call. Returns how it is to fail, 0 for not at all. */
static int count_call(enum call call)
{
	unsigned number = ++faults.calls[call];
	for (size_t i = 0; i < MAX_FAULTS; i++) {
		const struct fault *fault = &faults.plan[i];
		if (fault->call == call && number >= fault->first &&
		    number - fault->first < fault->times) {
			faults.fired++;
			return fault->error;
		}
	}
	if (faults.random_one_in != 0 &&
	    random_below(faults.random_one_in) == 0) {
		faults.fired++;
		return random_error(call);
	}
	return 0;
}

static void note(enum call call, int error, bool injected, int64_t detail)
{
	if (faults.event_count == MAX_EVENTS) {
		fprintf(stderr, "more than %d calls: %s spins\n", MAX_EVENTS,
		        call_names[call]);
		abort();
	}
	faults.events[faults.event_count++] =
	        (struct event){call, error, injected, detail};
}

/* Notes a call that the kernel answered. */
static int answered(enum call call, int result, int64_t detail)
{
	int error = result < 0 ? errno : 0;
	note(call, error, false, detail);
	errno = error;
	return result;
}

static int refused(enum call call, int error, int64_t detail)
{
	note(call, error, true, detail);
	errno = error;
	return -1;
}

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);

int __wrap_open(const char *path, int flags, ...)
{
	mode_t mode = 0;
	if ((flags & O_CREAT) != 0) {
		va_list arguments;
		va_start(arguments, flags);
		mode = va_arg(arguments, mode_t);
		va_end(arguments);
	}
	if (!faults.armed)
		return __real_open(path, flags, mode);
	int error = count_call(CALL_OPEN);
	if (error != 0)
		return refused(CALL_OPEN, error, flags);
	return answered(CALL_OPEN, __real_open(path, flags, mode), flags);
}

ssize_t __real_write(int fd, const void *bytes, size_t count);
ssize_t __wrap_write(int fd, const void *bytes, size_t count);

ssize_t __wrap_write(int fd, const void *bytes, size_t count)
{
	if (!faults.armed)
		return __real_write(fd, bytes, count);
	int error = count_call(CALL_WRITE);
	if (error == FAULT_ZERO) {
		note(CALL_WRITE, 0, true, 0);
		return 0;
	}
	if (error > 0)
		return refused(CALL_WRITE, error, 0);
	if (error == FAULT_SHORT && count > 1)
		count /= 2;
	ssize_t taken = __real_write(fd, bytes, count);
	error = taken < 0 ? errno : 0;
	note(CALL_WRITE, error, false, taken);
	if (taken > 0)
		faults.bytes_taken += (uint64_t)taken;
	errno = error;
	return taken;
}

int __real_ftruncate(int fd, off_t size);
int __wrap_ftruncate(int fd, off_t size);

int __wrap_ftruncate(int fd, off_t size)
{
	if (!faults.armed)
		return __real_ftruncate(fd, size);
	int error = count_call(CALL_FTRUNCATE);
	if (error != 0)
		return refused(CALL_FTRUNCATE, error, size);
	return answered(CALL_FTRUNCATE, __real_ftruncate(fd, size), size);
}

int __real_fallocate(int fd, int mode, off_t offset, off_t count);
int __wrap_fallocate(int fd, int mode, off_t offset, off_t count);

int __wrap_fallocate(int fd, int mode, off_t offset, off_t count)
{
	if (!faults.armed)
		return __real_fallocate(fd, mode, offset, count);
	int error = count_call(CALL_FALLOCATE);
	if (error == 0)
		return answered(CALL_FALLOCATE,
		                __real_fallocate(fd, mode, offset, count),
		                count);
	/* A disk that is full half-way keeps what it has reserved so far. */
	if (count > 1 && __real_fallocate(fd, mode, offset, count / 2) != 0 &&
	    errno != EOPNOTSUPP) {
		perror("fallocate");
		exit(2);
	}
	return refused(CALL_FALLOCATE, error, count);
}

int __real_fsync(int fd);
int __wrap_fsync(int fd);

int __wrap_fsync(int fd)
{
	if (!faults.armed)
		return __real_fsync(fd);
	int error = count_call(CALL_FSYNC);
	if (error != 0)
		return refused(CALL_FSYNC, error, 0);
	return answered(CALL_FSYNC, __real_fsync(fd), 0);
}

int __real_fdatasync(int fd);
int __wrap_fdatasync(int fd);

int __wrap_fdatasync(int fd)
{
	if (!faults.armed)
		return __real_fdatasync(fd);
	int error = count_call(CALL_FDATASYNC);
	if (error != 0)
		return refused(CALL_FDATASYNC, error, 0);
	return answered(CALL_FDATASYNC, __real_fdatasync(fd), 0);
}

int __real_close(int fd);
int __wrap_close(int fd);

int __wrap_close(int fd)
{
	if (!faults.armed)
		return __real_close(fd);
	int error = count_call(CALL_CLOSE);
	/* Linux closes the descriptor whatever it answers. */
	int result = __real_close(fd);
	if (error != 0)
		return refused(CALL_CLOSE, error, 0);
	return answered(CALL_CLOSE, result, 0);
}

int __real_poll(struct pollfd *fds, nfds_t count, int millis);
int __wrap_poll(struct pollfd *fds, nfds_t count, int millis);

int __wrap_poll(struct pollfd *fds, nfds_t count, int millis)
{
	if (!faults.armed)
		return __real_poll(fds, count, millis);
	int error = count_call(CALL_POLL);
	if (error != 0)
		return refused(CALL_POLL, error, 0);
	return answered(CALL_POLL, __real_poll(fds, count, millis), 0);
}

int __real_fcntl(int fd, int command, ...);
int __wrap_fcntl(int fd, int command, ...);

int __wrap_fcntl(int fd, int command, ...)
{
	va_list arguments;
	va_start(arguments, command);
	bool takes_int = command == F_SETFL || command == F_SETPIPE_SZ;
	int argument = takes_int ? va_arg(arguments, int) : 0;
	va_end(arguments);
	if (!faults.armed)
		return __real_fcntl(fd, command, argument);
	int error = count_call(CALL_FCNTL);
	if (error != 0)
		return refused(CALL_FCNTL, error, 0);
	return answered(CALL_FCNTL, __real_fcntl(fd, command, argument), 0);
}

int __real_fstatfs(int fd, struct statfs *found);
int __wrap_fstatfs(int fd, struct statfs *found);

int __wrap_fstatfs(int fd, struct statfs *found)
{
	if (!faults.armed)
		return __real_fstatfs(fd, found);
	int error = count_call(CALL_FSTATFS);
	if (error != 0)
		return refused(CALL_FSTATFS, error, 0);
	int result = __real_fstatfs(fd, found);
	if (faults.magic != 0)
		found->f_type = faults.magic;
	if (faults.block_bytes != 0)
		found->f_bsize = faults.block_bytes;
	return answered(CALL_FSTATFS, result, 0);
}

int __real_statfs(const char *path, struct statfs *found);
int __wrap_statfs(const char *path, struct statfs *found);

/* Asked only where / is an overlay; not counted, as that is asked once. */
int __wrap_statfs(const char *path, struct statfs *found)
{
	int result = __real_statfs(path, found);
	if (faults.root_magic != 0)
		found->f_type = faults.root_magic;
	return result;
}

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);

/* The calls that place.c makes by number: statx and newfstatat. */
long __wrap_syscall(long number, ...)
{
	va_list arguments;
	va_start(arguments, number);
	int fd = va_arg(arguments, int);
	const char *path = va_arg(arguments, const char *);
	if (number == SYS_newfstatat) {
		void *old = va_arg(arguments, void *);
		int flags = va_arg(arguments, int);
		va_end(arguments);
		int error = faults.armed ? count_call(CALL_STATX) : 0;
		if (error != 0)
			return refused(CALL_STATX, error, 0);
		return __real_syscall(number, fd, path, old, flags);
	}
	if (number != SYS_statx) {
		fprintf(stderr, "system call %ld is not known here\n", number);
		abort();
	}
	int flags = va_arg(arguments, int);
	unsigned mask = va_arg(arguments, unsigned);
	struct statx *found = va_arg(arguments, struct statx *);
	va_end(arguments);
	if (!faults.armed)
		return __real_syscall(number, fd, path, flags, mask, found);
	if (faults.no_statx != 0) {
		errno = faults.no_statx;
		return -1;
	}
	int error = count_call(CALL_STATX);
	if (error != 0)
		return refused(CALL_STATX, error, 0);
	long result = __real_syscall(number, fd, path, flags, mask, found);
	/* The verdict on the real mount would be taken for this one's. */
	if (faults.magic != 0)
		found->stx_mask &= ~STATX_MNT_ID_UNIQUE;
	if (faults.mount != 0) {
		found->stx_mask |= STATX_MNT_ID_UNIQUE;
		found->stx_mnt_id = faults.mount;
	}
	return answered(CALL_STATX, (int)result, 0);
}
