/* The write path: open, write loop, size fix, sync, close. */
#include "files2.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

/* Linux moves at most this many bytes a call (write(2)); a larger write comes
 * back short on a healthy disk. */
enum { MAX_WRITE_BYTES = 0x7ffff000 };

/* An overlay copies a lower file up, whole, when it is opened for writing
 * without O_TRUNC; above this size that costs more than truncating. */
enum { MAX_COPY_UP_BYTES = 64 * 1024 };

/* How long poll(2) waits before a descriptor that may have been closed is
 * looked at again. */
enum { POLL_MILLIS = 1000 };

/* A file that was opened to be written. */
struct opened {
	int fd;
	bool sized;   /* the old content is still there: fix the size */
	bool special; /* looked at, and no regular file */
	bool reserved;
	struct f2_stat old;
};

/* --- The write loop ---------------------------------------------------- */

/* What write_all returns besides 0 and errno. */
enum { TOOK_NOTHING = -1 };

/* Writes all of bytes and adds what was written to *written. Returns 0, errno
 * or TOOK_NOTHING. */
static int write_all(struct f2_target *target, const uint8_t *bytes,
                     size_t byte_count, uint64_t *written)
{
	while (byte_count > 0) {
		int fd = target->current != NULL ? target->current(target)
		                                 : target->fd;
		if (fd < 0)
			return EBADF;
		size_t ask = byte_count < MAX_WRITE_BYTES ? byte_count
		                                          : MAX_WRITE_BYTES;
		ssize_t taken = write(fd, bytes, ask);
		if (taken > 0) {
			bytes += taken;
			byte_count -= (size_t)taken;
			*written += (uint64_t)taken;
		} else if (taken == 0) {
			return TOOK_NOTHING; /* retrying could spin for ever */
		} else if (errno == EAGAIN) {
			struct pollfd wait = {.fd = fd, .events = POLLOUT};
			/* Whatever poll says, the next write tells more. */
			if (poll(&wait, 1, POLL_MILLIS) < 0 && errno != EINTR)
				return errno;
		} else if (errno != EINTR) {
			return errno;
		}
	}
	return 0;
}

uint64_t f2_pump(struct f2_target *target, struct f2_source *source,
                 int64_t *fault)
{
	uint64_t written = 0;
	const uint8_t *piece = NULL;
	int64_t byte_count;
	*fault = 0;
	while ((byte_count = source->next(source, &piece)) > 0) {
		int error =
		        write_all(target, piece, (size_t)byte_count, &written);
		if (error != 0) {
			*fault = f2_fault(F2_WRITE,
			                  error == TOOK_NOTHING ? 0 : error,
			                  written);
			return written;
		}
	}
	if (byte_count < 0)
		*fault = f2_fault(F2_MEMORY, ENOMEM, written);
	return written;
}

/* Joins a source that has to go out in one write(2). */
static int64_t join_if_small(struct f2_source *source)
{
	if (source->max_bytes > F2_SINGLE_WRITE_BYTES &&
	    (source->min_bytes > F2_SINGLE_WRITE_BYTES ||
	     source->count(source) > F2_SINGLE_WRITE_BYTES))
		return 0;
	return source->join(source);
}

/* --- Opening and closing ----------------------------------------------- */

int64_t f2_open(const char *path, int open_flags, int mode)
{
	int fd;
	do {
		fd = open(path, open_flags | O_CLOEXEC, (mode_t)mode);
	} while (fd < 0 && errno == EINTR);
	return fd >= 0 ? fd : f2_fault(F2_OPEN, errno, 0);
}

static int close_file(int fd)
{
	return close(fd) == 0 || errno == EINTR ? 0 : errno;
}

int64_t f2_close(int fd)
{
	int error = close_file(fd);
	return error == 0 ? 0 : f2_fault(F2_CLOSE, error, 0);
}

int64_t f2_sync(int fd, enum f2_flush flush, uint64_t written)
{
	if (flush == F2_FLUSH_NONE)
		return 0;
	int result;
	/* A signal is no verdict on the data; any other error is, and after it
	 * a second sync would report success for pages that were dropped. */
	do {
		result = flush == F2_FLUSH_DATA ? fdatasync(fd) : fsync(fd);
	} while (result != 0 && errno == EINTR);
	if (result == 0)
		return 0;
	int error = errno;
	if (error == EINVAL || error == EOPNOTSUPP || error == EROFS) {
		struct f2_stat found;
		if (f2_look(fd, NULL, &found) == 0 && !found.regular)
			return 0;
	}
	return f2_fault(F2_SYNC, error, written);
}

int64_t f2_size(int fd)
{
	struct f2_stat found;
	int error = f2_look(fd, NULL, &found);
	return error == 0 ? (int64_t)found.size : f2_fault(F2_STAT, error, 0);
}

static int truncate_to(int fd, uint64_t size)
{
	int result;
	do {
		result = ftruncate(fd, (off_t)size);
	} while (result != 0 && errno == EINTR);
	return result == 0 ? 0 : errno;
}

static bool copies_up(const char *path)
{
	struct f2_stat found;
	return f2_root_is_overlay() && f2_look(-1, path, &found) == 0 &&
	       found.regular && found.size > MAX_COPY_UP_BYTES &&
	       (f2_place(-1, path, &found) & F2_PLACE_OVERLAY) != 0;
}

/* Opens path for byte_count bytes or fewer. look: tell whether it is special,
 * whatever the flags. *place is what the file system promises, where it was
 * asked. Returns 0 or a fault. */
static int64_t open_file(const char *path, const struct f2_rules *rules,
                         uint64_t byte_count, bool in_place, bool look,
                         struct opened *file, unsigned *place)
{
	int open_flags = rules->open_flags;
	in_place = in_place && !copies_up(path);
	if (in_place)
		open_flags &= ~O_TRUNC;
	*file = (struct opened){.fd = -1};
	*place = 0;
	int64_t fd = f2_open(path, open_flags, rules->mode);
	if (fd < 0)
		return fd;
	file->fd = (int)fd;
	if (!in_place && !look)
		return 0;

	enum f2_operation operation = F2_STAT;
	int error = f2_look(file->fd, NULL, &file->old);
	if (error != 0)
		goto fail;
	file->special = !file->old.regular;
	if (!in_place || file->special)
		return 0;
	*place = f2_place(file->fd, NULL, &file->old);
	/* On a nearly full disk that copies on write the cut at the end could
	 * fail, and leave the old tail. */
	bool has_room = (*place & F2_PLACE_COPIES) == 0 ||
	                file->old.size == 0 ||
	                f2_has_room(file->fd, byte_count + file->old.size);
	if ((*place & F2_PLACE_FRESH) != 0 && has_room) {
		file->sized = true;
		return 0;
	}
	/* Here the size may be an old one: truncate first after all. */
	operation = F2_TRUNCATE;
	error = truncate_to(file->fd, 0);
	if (error != 0)
		goto fail;
	return 0;

fail:;
	int close_error = close_file(file->fd);
	file->fd = -1;
	return f2_add_errors(f2_fault(operation, error, 0), 0, close_error);
}

/* Whether O_TRUNC may be left out and made up for afterwards. O_SYNC and
 * O_DSYNC would cover the writes but not a truncation that comes later, and
 * O_APPEND would put the new content behind the old. */
static bool may_go_in_place(const struct f2_rules *rules)
{
	return (rules->open_flags & O_TRUNC) != 0 &&
	       (rules->open_flags & (O_EXCL | O_SYNC | O_DSYNC | O_APPEND)) ==
	               0 &&
	       !rules->truncate_first;
}

/* --- In place ---------------------------------------------------------- */

/* Tells whether a file of that size is over the process's limit, which
 * fallocate(2) does not ask when it keeps the size. */
static bool is_over_limit(uint64_t size)
{
	struct rlimit limit;
	return getrlimit(RLIMIT_FSIZE, &limit) == 0 &&
	       limit.rlim_cur != RLIM_INFINITY && size > limit.rlim_cur;
}

/* Takes the blocks that the new content needs beyond the old one's, before the
 * first old byte is touched: on a full disk the old file stays. Returns 0 or
 * the errno of a disk that is full. */
static int reserve(struct opened *file, unsigned place,
                   struct f2_source *source)
{
	uint64_t size = file->old.size;
	if (size == 0 || (place & F2_PLACE_RESERVES) == 0)
		return 0;
	/* The last block is the file's already, to its end. XFS wants a free
	 * one even to reserve a part of it. */
	uint64_t mask = (UINT64_C(1) << (place >> F2_PLACE_BLOCK_SHIFT)) - 1;
	/* A file with holes needs blocks inside its size too. */
	bool has_holes = file->old.block_bytes < size;
	uint64_t from = has_holes ? 0 : (size + mask) & ~mask;
	if (source->max_bytes <= size && !has_holes)
		return 0;
	uint64_t total = source->min_bytes == source->max_bytes
	                         ? source->max_bytes
	                         : source->count(source);
	if (total > size && is_over_limit(total))
		return EFBIG;
	if (total <= from)
		return 0;
	int result;
	do {
		result = fallocate(file->fd, FALLOC_FL_KEEP_SIZE, (off_t)from,
		                   (off_t)(total - from));
	} while (result != 0 && errno == EINTR);
	file->reserved = true; /* a part of it perhaps, on failure */
	if (result != 0 &&
	    (errno == ENOSPC || errno == EDQUOT || errno == EFBIG))
		return errno;
	return 0;
}

/* Gives reserved blocks back; the old content stays. Returns 0 or errno. */
static int give_back(const struct opened *file)
{
	struct f2_stat now;
	if (!file->reserved)
		return 0;
	int error = f2_look(file->fd, NULL, &now);
	if (error != 0 || now.size != file->old.size)
		return error; /* somebody else has grown it: it is theirs */
	return truncate_to(file->fd, now.size);
}

/* Cuts the file to size, if it is longer by now: another writer may have cut
 * it already, and must not get zeros behind its text. */
static int shrink_to(const struct opened *file, uint64_t size)
{
	struct f2_stat now;
	bool may_be_longer = size == 0 || file->reserved ||
	                     f2_look(file->fd, NULL, &now) != 0 ||
	                     now.size > size;
	return may_be_longer ? truncate_to(file->fd, size) : 0;
}

/* Cuts the file to what was written. Returns 0 or errno. */
static int fix_size(const struct opened *file, uint64_t written, bool failed)
{
	if (!file->sized)
		return 0;
	if (failed) /* also gives back what was reserved beyond */
		return written > 0 ? shrink_to(file, written) : give_back(file);
	/* Nothing written moves the mtime all the same. */
	return file->old.size > written || written == 0
	               ? shrink_to(file, written)
	               : 0;
}

/* Ends a write: fixes the size, syncs and closes. fault is what has failed so
 * far, or 0. Returns 0 or the first fault, with the later ones in it. */
static int64_t finish(const struct opened *file, uint64_t written,
                      enum f2_flush flush, int64_t fault)
{
	bool failed = fault != 0;
	int truncate_error = fix_size(file, written, failed);
	if (!failed && truncate_error != 0)
		fault = f2_fault(F2_TRUNCATE, truncate_error, written);
	if (fault == 0)
		fault = f2_sync(file->fd, flush, written);
	int close_error = close_file(file->fd);
	if (fault == 0)
		return close_error == 0
		               ? 0
		               : f2_fault(F2_CLOSE, close_error, written);
	return f2_add_errors(fault, failed ? truncate_error : 0, close_error);
}

/* --- Whole writes ------------------------------------------------------ */

int64_t f2_write_path(const char *path, const struct f2_rules *rules,
                      struct f2_source *source)
{
	bool appends = (rules->open_flags & O_APPEND) != 0;
	bool in_place = may_go_in_place(rules) && source->max_bytes > 0;
	bool look = !appends && !source->whole;
	int64_t fault = appends ? join_if_small(source) : 0;
	if (fault != 0)
		return fault;

	struct opened file;
	unsigned place;
	fault = open_file(path, rules, source->max_bytes, in_place, look, &file,
	                  &place);
	if (fault != 0)
		return fault;

	uint64_t written = 0;
	struct f2_target target = {.fd = file.fd};
	if (file.special)
		fault = join_if_small(source);
	if (fault == 0 && file.sized) {
		int error = reserve(&file, place, source);
		if (error != 0)
			fault = f2_fault(F2_RESERVE, error, 0);
	}
	if (fault == 0)
		written = f2_pump(&target, source, &fault);
	fault = finish(&file, written, rules->flush, fault);
	return fault == 0 ? (int64_t)written : fault;
}

int64_t f2_write_fd(struct f2_target *target, enum f2_flush flush,
                    struct f2_source *source)
{
	int fd = target->current != NULL ? target->current(target) : target->fd;
	int64_t fault = 0;
	if (!source->whole) {
		struct f2_stat found;
		int status_flags = fcntl(fd, F_GETFL);
		int error =
		        status_flags < 0 ? errno : f2_look(fd, NULL, &found);
		if (error != 0)
			return f2_fault(F2_WRITE, error, 0);
		if (!found.regular || (status_flags & O_APPEND) != 0)
			fault = join_if_small(source);
	}
	if (fault != 0)
		return fault;
	uint64_t written = f2_pump(target, source, &fault);
	if (fault == 0 && flush != F2_FLUSH_NONE) {
		fd = target->current != NULL ? target->current(target)
		                             : target->fd;
		fault = f2_sync(fd, flush, written);
	}
	return fault == 0 ? (int64_t)written : fault;
}

int64_t f2_open_stream(const char *path, const struct f2_rules *rules)
{
	struct opened file;
	unsigned place;
	int64_t fault = open_file(path, rules, 0, may_go_in_place(rules), false,
	                          &file, &place);
	if (fault != 0)
		return fault;
	return (int64_t)file.fd | (file.sized ? F2_SIZED : 0);
}

int64_t f2_finish(int64_t stream, uint64_t written, enum f2_flush flush,
                  bool failed)
{
	struct opened file = {.fd = (int)(stream & INT32_MAX),
	                      .sized = (stream & F2_SIZED) != 0};
	if (!failed) {
		/* Not knowing the old size costs a call, not a stale tail. */
		if (file.sized && f2_look(file.fd, NULL, &file.old) != 0)
			file.old.size = UINT64_MAX;
		return finish(&file, written, flush, 0);
	}
	/* What has failed is the caller's to tell; the content ends where it
	 * failed. Before the first byte the old one stays. */
	int truncate_error =
	        file.sized && written > 0 ? truncate_to(file.fd, written) : 0;
	int close_error = close_file(file.fd);
	if (truncate_error != 0)
		return f2_add_errors(
		        f2_fault(F2_TRUNCATE, truncate_error, written), 0,
		        close_error);
	return close_error == 0 ? 0 : f2_fault(F2_CLOSE, close_error, written);
}

/* --- Ready bytes ------------------------------------------------------- */

static int64_t next_ready(struct f2_source *source, const uint8_t **piece)
{
	struct f2_ready *ready = (struct f2_ready *)source;
	int64_t byte_count = (int64_t)ready->byte_count;
	*piece = ready->bytes;
	ready->byte_count = 0;
	return byte_count;
}

static int64_t join_ready(struct f2_source *source)
{
	(void)source; /* it is one piece */
	return 0;
}

static uint64_t count_ready(struct f2_source *source)
{
	return source->max_bytes;
}

static void rewind_ready(struct f2_source *source)
{
	((struct f2_ready *)source)->byte_count = (size_t)source->max_bytes;
}

void f2_ready_init(struct f2_ready *ready, const uint8_t *bytes,
                   size_t byte_count)
{
	ready->source = (struct f2_source){.next = next_ready,
	                                   .join = join_ready,
	                                   .count = count_ready,
	                                   .rewind = rewind_ready,
	                                   .min_bytes = byte_count,
	                                   .max_bytes = byte_count,
	                                   .whole = true};
	ready->bytes = bytes;
	ready->byte_count = byte_count;
}
