/*
 * Whether a file holds what a source gives: every size and cut that meets a
 * border, one byte that differs anywhere, odd targets, and failing reads.
 *
 *   compare_test FOLDER   works in a folder of its own there
 */
#include "../../main/c/files2.h"
#include "tally.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	PATH_BYTES = 300,
	MOST_BYTES = 300000,
	SMALL_BLOCK_BYTES = 16 * 1024,
	LARGE_BLOCK_BYTES = 64 * 1024
};

static char folder[PATH_BYTES - 20];
static char path[PATH_BYTES];
static uint8_t content[MOST_BYTES];

static void must(bool ok, const char *what)
{
	if (!ok) {
		perror(what);
		exit(2);
	}
}

/* The next reads fail so, each with its errno, or end early where that is 0. */
static struct {
	unsigned times;
	int error;
} plan;

/* The next read finds that another has made the file longer. */
static bool grows;

static void append_byte(void)
{
	int fd = open(path, O_WRONLY | O_APPEND);

	must(fd >= 0 && write(fd, content, 1) == 1 && close(fd) == 0, path);
}

ssize_t __real_read(int fd, void *bytes, size_t count);
ssize_t __wrap_read(int fd, void *bytes, size_t count);

ssize_t __wrap_read(int fd, void *bytes, size_t count)
{
	if (grows) {
		grows = false;
		append_byte();
	}
	if (plan.times == 0)
		return __real_read(fd, bytes, count);
	plan.times--;
	errno = plan.error;
	return plan.error == 0 ? 0 : -1;
}

/* The same of what comes before them. */
static struct {
	unsigned open_times;
	int open_error;
	int look_error; /* of one call; 0: none */
} before;

static unsigned opens;

int __real_open(const char *file, int flags, ...);
int __wrap_open(const char *file, int flags, ...);

int __wrap_open(const char *file, int flags, ...)
{
	va_list arguments;
	va_start(arguments, flags);
	mode_t mode = (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
	va_end(arguments);
	opens++;
	if (before.open_times == 0)
		return __real_open(file, flags, mode);
	before.open_times--;
	errno = before.open_error;
	return -1;
}

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);

/* statx(2) */
long __wrap_syscall(long number, ...)
{
	long a[5];
	va_list arguments;
	va_start(arguments, number);
	for (size_t i = 0; i < 5; i++)
		a[i] = va_arg(arguments, long);
	va_end(arguments);
	if (before.look_error == 0)
		return __real_syscall(number, a[0], a[1], a[2], a[3], a[4]);
	errno = before.look_error;
	before.look_error = 0;
	return -1;
}

/* The next malloc finds no memory. */
static bool out_of_memory;

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);

void *__wrap_malloc(size_t size)
{
	if (!out_of_memory)
		return __real_malloc(size);
	out_of_memory = false;
	return NULL;
}

/* A source that gives the content in pieces. */
struct cut {
	struct f2_source source;
	size_t byte_count;
	size_t offset;
	size_t piece_bytes;
	size_t fails_at; /* an offset; 0: nowhere */
	unsigned rewound;
};

static int64_t next(struct f2_source *source, const uint8_t **piece)
{
	struct cut *cut = (struct cut *)source;
	size_t rest = cut->byte_count - cut->offset;
	size_t count = rest < cut->piece_bytes ? rest : cut->piece_bytes;

	if (cut->fails_at != 0 && cut->offset >= cut->fails_at)
		return f2_fault(F2_MEMORY, ENOMEM, 0);
	*piece = content + cut->offset;
	cut->offset += count;
	return (int64_t)count;
}

static void rewind_all(struct f2_source *source)
{
	struct cut *cut = (struct cut *)source;

	cut->offset = 0;
	cut->rewound++;
}

/* vague: the source knows bounds only. Returns what the product says. */
static bool holds(size_t byte_count, size_t piece_bytes, bool vague)
{
	struct cut cut = {
	        .source = {.next = next,
	                   .rewind = rewind_all,
	                   .min_bytes = vague ? byte_count / 3 : byte_count,
	                   .max_bytes = vague ? 3 * byte_count : byte_count},
	        .byte_count = byte_count,
	        .piece_bytes = piece_bytes};
	int lowest = dup(STDOUT_FILENO);

	must(lowest >= 0 && close(lowest) == 0, "dup");
	bool result = f2_holds(path, &cut.source);
	int now = dup(STDOUT_FILENO);
	must(now >= 0 && close(now) == 0, "dup");
	tally_check(now == lowest, "a descriptor is left");
	tally_check(cut.offset == 0, "the source is not at its begin");
	return result;
}

static void put(const uint8_t *bytes, size_t byte_count)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	must(fd >= 0, path);
	while (byte_count > 0) {
		ssize_t taken = write(fd, bytes, byte_count);
		must(taken > 0, path);
		bytes += taken;
		byte_count -= (size_t)taken;
	}
	must(close(fd) == 0, path);
}

static void change(size_t offset)
{
	int fd = open(path, O_WRONLY);
	uint8_t other = content[offset] ^ 1;

	must(fd >= 0 && pwrite(fd, &other, 1, (off_t)offset) == 1 &&
	             close(fd) == 0,
	     path);
}

static void check_size(size_t byte_count, size_t piece_bytes, bool vague)
{
	tally_case("%zu bytes in pieces of %zu%s", byte_count, piece_bytes,
	           vague ? ", vague" : "");
	put(content, byte_count);
	tally_check(holds(byte_count, piece_bytes, vague), "it is the same");
	plan.times = 3;
	plan.error = EINTR;
	tally_check(holds(byte_count, piece_bytes, vague), "interrupted");
	plan.times = 0;
	must(truncate(path, (off_t)byte_count + 1) == 0, path);
	tally_check(!holds(byte_count, piece_bytes, vague), "one byte more");
	if (byte_count == 0)
		return;
	must(truncate(path, (off_t)byte_count - 1) == 0, path);
	tally_check(!holds(byte_count, piece_bytes, vague), "one byte less");
	size_t offsets[] = {0, byte_count - 1, byte_count / 2,
	                    random_below(byte_count)};
	for (size_t i = 0; i < sizeof offsets / sizeof offsets[0]; i++) {
		put(content, byte_count);
		change(offsets[i]);
		tally_check(!holds(byte_count, piece_bytes, vague),
		            "byte %zu differs", offsets[i]);
	}
	put(content, byte_count);
	grows = true;
	tally_check(!holds(byte_count, piece_bytes, vague), "it grows");
	put(content, byte_count);
	for (int error = 0; error <= EIO; error += EIO) {
		plan.times = 1;
		plan.error = error;
		tally_check(!holds(byte_count, piece_bytes, vague),
		            "a read fails with %d", error);
		plan.times = 0;
	}
}

static void check_sizes(void)
{
	static const size_t sizes[] = {0,
	                               1,
	                               100,
	                               SMALL_BLOCK_BYTES - 1,
	                               SMALL_BLOCK_BYTES,
	                               SMALL_BLOCK_BYTES + 1,
	                               LARGE_BLOCK_BYTES - 1,
	                               LARGE_BLOCK_BYTES,
	                               LARGE_BLOCK_BYTES + 1,
	                               MOST_BYTES};
	static const size_t pieces[] = {7000, SMALL_BLOCK_BYTES,
	                                LARGE_BLOCK_BYTES,
	                                LARGE_BLOCK_BYTES + 1, MOST_BYTES};

	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
		for (size_t j = 0; j < sizeof pieces / sizeof pieces[0]; j++) {
			check_size(sizes[i], pieces[j], false);
			check_size(sizes[i], pieces[j], true);
		}
}

static void check_odd_targets(void)
{
	tally_case("nothing there");
	must(unlink(path) == 0, path);
	tally_check(!holds(0, 1, false), "it holds nothing");
	tally_case("a pipe without a writer");
	must(mkfifo(path, 0644) == 0, path);
	opens = 0;
	tally_check(!holds(0, 1, false), "a pipe is no file");
	tally_check(opens == 0, "a pipe is opened, which its writers notice");
	must(unlink(path) == 0, path);
	tally_case("a folder");
	must(mkdir(path, 0755) == 0, path);
	tally_check(!holds(0, 1, false), "a folder is no file");
	must(rmdir(path) == 0, path);
	tally_case("a link to itself");
	must(symlink("file", path) == 0, path);
	tally_check(!holds(0, 1, false), "a loop is no file");
	must(unlink(path) == 0, path);
	tally_case("/dev/zero");
	must(symlink("/dev/zero", path) == 0, path);
	opens = 0;
	tally_check(!holds(0, 1, false), "a device is no file");
	tally_check(opens == 0, "a device is opened, which may do something");
	must(unlink(path) == 0, path);
}

static void check_what_fails_before(void)
{
	put(content, 100);
	tally_case("an open that is interrupted");
	before.open_times = 3;
	before.open_error = EINTR;
	tally_check(holds(100, 70, false), "it is the same");
	tally_case("an open that fails");
	before.open_times = 1;
	before.open_error = EACCES;
	tally_check(!holds(100, 70, false), "what can't be read is written");
	tally_case("a file that can't be looked at");
	before.look_error = EIO;
	tally_check(!holds(100, 70, false), "what is unknown is written");
	put(content, MOST_BYTES);
	tally_case("no memory for a large block");
	out_of_memory = true;
	tally_check(holds(MOST_BYTES, MOST_BYTES, false), "it is the same");
	tally_check(!out_of_memory, "none was asked for");
	put(content, 100);
	/* The write says so. */
	tally_case("no memory for the second piece");
	struct cut cut = {.source = {.next = next,
	                             .rewind = rewind_all,
	                             .max_bytes = 1000},
	                  .byte_count = 100,
	                  .piece_bytes = 100,
	                  .fails_at = 100};
	tally_check(!f2_holds(path, &cut.source), "it is not known");
	tally_check(cut.rewound == 1 && cut.offset == 0, "not rewound");
}

/* Ready bytes, which are written after all where they are others. */
static void check_ready_bytes(void)
{
	struct f2_rules rules = {.open_flags = O_WRONLY | O_CREAT | O_TRUNC,
	                         .mode = 0644};
	struct f2_ready ready;

	put(content, 5000);
	change(4999);
	tally_case("ready bytes");
	f2_ready_init(&ready, content, 5000);
	tally_check(ready.source.count(&ready.source) == 5000, "the count");
	tally_check(!f2_holds(path, &ready.source), "they are others");
	tally_check(f2_write_path(path, &rules, &ready.source) == 5000,
	            "they are not written");
	f2_ready_init(&ready, content, 5000);
	tally_check(f2_holds(path, &ready.source), "they are the same");
}

int main(int argc, char **argv)
{
	must(argc == 2, "usage: compare_test FOLDER");
	snprintf(folder, sizeof folder, "%s/compare-XXXXXX", argv[1]);
	must(mkdtemp(folder) != NULL, folder);
	snprintf(path, sizeof path, "%s/file", folder);
	tally_begin();
	for (size_t i = 0; i < MOST_BYTES; i++)
		content[i] = (uint8_t)random_below(256);
	check_sizes();
	check_what_fails_before();
	check_ready_bytes();
	check_odd_targets();
	must(rmdir(folder) == 0, folder);
	return tally_end();
}
