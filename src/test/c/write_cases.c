/* Single cases of the write path: special files, real limits, odd sources. */
#include "faults.h"
#include "tally.h"
#include "write_test.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CONTENT_BYTES = 1100 * 1024 };

static uint8_t content[CONTENT_BYTES];
static uint8_t back[CONTENT_BYTES];

static const struct f2_rules replace = {
        .open_flags = O_WRONLY | O_CREAT | O_TRUNC, .mode = 0600};

static void check(struct result actual, int operation, int error,
                  uint64_t count)
{
	tally_check(actual.operation == operation && actual.error == error &&
	                    actual.count == count,
	            "operation %d errno %d count %llu", actual.operation,
	            actual.error, (unsigned long long)actual.count);
	tally_check(actual.truncate_error == 0 && actual.close_error == 0,
	            "truncate errno %d, close errno %d", actual.truncate_error,
	            actual.close_error);
}

static void must(bool ok, const char *what)
{
	if (ok)
		return;
	perror(what);
	exit(2);
}

static void make_file(size_t byte_count)
{
	must(unlink(test_path) == 0 || errno == ENOENT, "unlink");
	int fd = open(test_path, O_WRONLY | O_CREAT, 0600);
	must(fd >= 0 && write(fd, content, byte_count) == (ssize_t)byte_count &&
	             close(fd) == 0,
	     test_path);
}

static off_t file_size(void)
{
	struct stat st;
	return stat(test_path, &st) == 0 ? st.st_size : -1;
}

/* --- Special files ----------------------------------------------------- */

/* Text of several pieces, which goes out in one write(2) up to 1 MiB. */
static void fifo_severalPieces_oneWrite(size_t byte_count, bool vague)
{
	struct pieces pieces;
	tally_case("a FIFO gets %zu bytes%s in one write", byte_count,
	           vague ? ", vague" : "");
	must(unlink(test_path) == 0 || errno == ENOENT, "unlink");
	must(mkfifo(test_path, 0600) == 0, "mkfifo");
	int reader = open(test_path, O_RDONLY | O_NONBLOCK);
	must(reader >= 0, "open");
	must(fcntl(reader, F_SETPIPE_SZ, 1024 * 1024) >= 1024 * 1024,
	     "F_SETPIPE_SZ");
	pieces_init(&pieces, content, byte_count, 7000, vague);
	size_t descriptors = open_descriptors();
	faults_arm();
	int64_t result = f2_write_path(test_path, &replace, &pieces.source);
	faults_disarm();
	check(unpack(result), 0, 0, byte_count);
	tally_check(faults.calls[CALL_WRITE] == 1, "%u writes",
	            faults.calls[CALL_WRITE]);
	tally_check(faults.calls[CALL_FTRUNCATE] == 0, "a FIFO is cut");
	tally_check(open_descriptors() == descriptors, "a descriptor leaks");
	ssize_t count = read(reader, back, sizeof back);
	tally_check(count == (ssize_t)byte_count &&
	                    memcmp(back, content, byte_count) == 0,
	            "%zd bytes came through", count);
	must(close(reader) == 0, "close");
}

static void pipe_severalPieces_oneWrite(size_t byte_count, bool vague)
{
	int ends[2];
	struct pieces pieces;
	tally_case("a pipe gets %zu bytes%s in one write", byte_count,
	           vague ? ", vague" : "");
	must(pipe(ends) == 0, "pipe");
	must(fcntl(ends[1], F_SETPIPE_SZ, 1024 * 1024) >= 1024 * 1024,
	     "F_SETPIPE_SZ");
	struct f2_target target = {.fd = ends[1]};
	pieces_init(&pieces, content, byte_count, 7000, vague);
	faults_arm();
	int64_t result = f2_write_fd(&target, F2_FLUSH_FULL, &pieces.source);
	faults_disarm();
	check(unpack(result), 0, 0, byte_count);
	tally_check(faults.calls[CALL_WRITE] == 1, "%u writes",
	            faults.calls[CALL_WRITE]);
	must(close(ends[0]) == 0 && close(ends[1]) == 0, "close");
}

static void device_full_tellsNothingWritten(enum f2_flush flush)
{
	struct pieces pieces;
	struct f2_rules rules = replace;
	tally_case("/dev/full, flush %d", (int)flush);
	rules.flush = flush;
	pieces_init(&pieces, content, 9000, 4000, false);
	faults_arm();
	int64_t result = f2_write_path("/dev/full", &rules, &pieces.source);
	faults_disarm();
	check(unpack(result), F2_WRITE, ENOSPC, 0);
	tally_check(faults.calls[CALL_FTRUNCATE] == 0, "a device is cut");
}

static void device_null_cantBeSynced(enum f2_flush flush)
{
	struct pieces pieces;
	struct f2_rules rules = replace;
	tally_case("/dev/null, flush %d", (int)flush);
	rules.flush = flush;
	pieces_init(&pieces, content, 9000, 4000, false);
	check(unpack(f2_write_path("/dev/null", &rules, &pieces.source)), 0, 0,
	      9000);
}

static void join_failing_writesNothing(void)
{
	struct pieces pieces;
	struct f2_rules append = {.open_flags = O_WRONLY | O_APPEND};
	tally_case("an append whose text can't be joined");
	make_file(100);
	pieces_init(&pieces, content, 9000, 4000, false);
	pieces.join_fails = true;
	check(unpack(f2_write_path(test_path, &append, &pieces.source)),
	      F2_MEMORY, ENOMEM, 0);
	tally_check(file_size() == 100, "it is written all the same");
}

static void append_aboveOneMiB_isNotJoined(void)
{
	struct pieces pieces;
	struct f2_rules append = {.open_flags = O_WRONLY | O_APPEND};
	for (int vague = 0; vague <= 1; vague++) {
		tally_case("an append above 1 MiB, vague %d", vague);
		make_file(100);
		pieces_init(&pieces, content, F2_SINGLE_WRITE_BYTES + 1,
		            128 * 1024, vague != 0);
		pieces.join_fails = true; /* memory that is not to be asked */
		check(unpack(f2_write_path(test_path, &append, &pieces.source)),
		      0, 0, F2_SINGLE_WRITE_BYTES + 1);
	}
	tally_case("an append of 1 MiB");
	make_file(100);
	pieces_init(&pieces, content, F2_SINGLE_WRITE_BYTES, 128 * 1024, true);
	faults_arm();
	int64_t result = f2_write_path(test_path, &append, &pieces.source);
	faults_disarm();
	check(unpack(result), 0, 0, F2_SINGLE_WRITE_BYTES);
	tally_check(faults.calls[CALL_WRITE] == 1, "%u writes",
	            faults.calls[CALL_WRITE]);
}

/* What is to go out in one write(2), or not at all. */
static void special_joinFailing_writesNothing(void)
{
	struct pieces pieces;
	tally_case("a FIFO whose text can't be joined");
	must(unlink(test_path) == 0 || errno == ENOENT, "unlink");
	must(mkfifo(test_path, 0600) == 0, "mkfifo");
	int reader = open(test_path, O_RDONLY | O_NONBLOCK);
	must(reader >= 0, "open");
	size_t descriptors = open_descriptors();
	pieces_init(&pieces, content, 9000, 4000, false);
	pieces.join_fails = true;
	check(unpack(f2_write_path(test_path, &replace, &pieces.source)),
	      F2_MEMORY, ENOMEM, 0);
	tally_check(open_descriptors() == descriptors, "a descriptor leaks");
	tally_check(read(reader, back, sizeof back) == 0, "something came");
	must(close(reader) == 0, "close");

	int ends[2];
	tally_case("a pipe whose text can't be joined");
	must(pipe2(ends, O_NONBLOCK) == 0, "pipe2");
	struct f2_target target = {.fd = ends[1]};
	pieces_init(&pieces, content, 9000, 4000, false);
	pieces.join_fails = true;
	check(unpack(f2_write_fd(&target, F2_FLUSH_FULL, &pieces.source)),
	      F2_MEMORY, ENOMEM, 0);
	tally_check(read(ends[0], back, sizeof back) < 0, "something came");
	must(close(ends[0]) == 0 && close(ends[1]) == 0, "close");
}

/* --- Sources that fail ------------------------------------------------- */

static void source_failing_cutsToWritten(unsigned fails_at)
{
	struct pieces pieces;
	size_t written = (fails_at - 1) * 1000;
	tally_case("a source fails at piece %u", fails_at);
	make_file(5000);
	pieces_init(&pieces, content, 9000, 1000, false);
	pieces.fails_at = fails_at;
	check(unpack(f2_write_path(test_path, &replace, &pieces.source)),
	      F2_MEMORY, ENOMEM, written);
	off_t size = file_size();
	tally_check(size == (written > 0 ? (off_t)written : 5000),
	            "%lld bytes remain", (long long)size);
}

/* --- Descriptors ------------------------------------------------------- */

struct reader {
	int fd;
	size_t count;
	bool same;
};

static void *read_slowly(void *argument)
{
	struct reader *reader = argument;
	static uint8_t some[10000];
	ssize_t count;
	reader->same = true;
	usleep(20000); /* the pipe is full by then */
	while ((count = read(reader->fd, some, sizeof some)) > 0) {
		reader->same =
		        reader->same && memcmp(some, content + reader->count,
		                               (size_t)count) == 0;
		reader->count += (size_t)count;
	}
	return NULL;
}

static void nonBlocking_fullPipe_waits(void)
{
	int ends[2];
	pthread_t thread;
	struct f2_ready ready;
	tally_case("a non-blocking pipe that is full");
	must(pipe2(ends, O_NONBLOCK) == 0, "pipe2");
	must(fcntl(ends[0], F_SETFL, 0) == 0, "F_SETFL");
	struct reader reader = {.fd = ends[0]};
	must(pthread_create(&thread, NULL, read_slowly, &reader) == 0,
	     "pthread_create");
	struct f2_target target = {.fd = ends[1]};
	f2_ready_init(&ready, content, CONTENT_BYTES);
	check(unpack(f2_write_fd(&target, F2_FLUSH_NONE, &ready.source)), 0, 0,
	      CONTENT_BYTES);
	must(close(ends[1]) == 0, "close");
	pthread_join(thread, NULL);
	must(close(ends[0]) == 0, "close");
	tally_check(reader.same && reader.count == CONTENT_BYTES,
	            "%zu bytes came through", reader.count);
}

static void pipe_withoutReader_tellsEpipe(void)
{
	int ends[2];
	struct f2_ready ready;
	tally_case("a pipe without a reader");
	must(pipe(ends) == 0 && close(ends[0]) == 0, "pipe");
	struct f2_target target = {.fd = ends[1]};
	f2_ready_init(&ready, content, 10);
	check(unpack(f2_write_fd(&target, F2_FLUSH_NONE, &ready.source)),
	      F2_WRITE, EPIPE, 0);
	must(close(ends[1]) == 0, "close");
}

struct closing_target {
	struct f2_target target;
	unsigned asked;
	unsigned closed_at;
};

static int current_fd(struct f2_target *target)
{
	struct closing_target *closing = (struct closing_target *)target;
	return ++closing->asked >= closing->closed_at ? -1 : target->fd;
}

static void descriptor_closedMeanwhile_tellsHowFar(unsigned closed_at,
                                                   uint64_t count)
{
	struct pieces pieces;
	tally_case("a descriptor that is closed when asked for time %u",
	           closed_at);
	make_file(0);
	struct closing_target closing = {.target = {.current = current_fd},
	                                 .closed_at = closed_at};
	closing.target.fd = open(test_path, O_WRONLY);
	must(closing.target.fd >= 0, "open");
	pieces_init(&pieces, content, 3000, 1000, false);
	check(unpack(f2_write_fd(&closing.target, F2_FLUSH_FULL,
	                         &pieces.source)),
	      count < 3000 ? F2_WRITE : F2_SYNC, EBADF, count);
	tally_check(file_size() == (off_t)count, "%lld bytes are there",
	            (long long)file_size());
	must(close(closing.target.fd) == 0, "close");
}

/* What a file system without fsync(2) answers is no fault of a device, but one
 * of a file. */
static void sync_refused_isAFaultOfFilesOnly(int error)
{
	struct f2_ready ready;
	struct f2_rules rules = replace;
	rules.flush = F2_FLUSH_FULL;
	tally_case("fsync fails with %d", error);
	make_file(0);
	memset(faults.plan, 0, sizeof faults.plan);
	faults.plan[0] = (struct fault){CALL_FSYNC, 1, 1, error};
	f2_ready_init(&ready, content, 10);
	faults_arm();
	int64_t of_device = f2_write_path("/dev/null", &rules, &ready.source);
	faults_disarm();
	check(unpack(of_device), 0, 0, 10);
	faults.plan[1] = (struct fault){CALL_STATX, 2, 1, EIO};
	f2_ready_init(&ready, content, 10);
	faults_arm();
	int64_t of_unknown = f2_write_path("/dev/null", &rules, &ready.source);
	faults_disarm();
	check(unpack(of_unknown), F2_SYNC, error, 10);
	faults.plan[1].times = 0;
	f2_ready_init(&ready, content, 10);
	faults_arm();
	int64_t of_file = f2_write_path(test_path, &rules, &ready.source);
	faults_disarm();
	check(unpack(of_file), F2_SYNC, error, 10);
	memset(faults.plan, 0, sizeof faults.plan);
}

static void descriptor_sizeAndClose_tellErrno(void)
{
	tally_case("size and close of a descriptor");
	make_file(321);
	int64_t fd = f2_open(test_path, O_RDWR, 0);
	must(fd >= 0, "open");
	check(unpack(f2_size((int)fd)), 0, 0, 321);
	check(unpack(f2_close((int)fd)), 0, 0, 0);
	check(unpack(f2_size((int)fd)), F2_STAT, EBADF, 0);
	check(unpack(f2_close((int)fd)), F2_CLOSE, EBADF, 0);
}

/* --- Real limits ------------------------------------------------------- */

/* reserves: on a file system where the old file survives that. */
static void file_overTheLimit(bool reserves)
{
	struct rlimit before;
	struct pieces pieces;
	tally_case("a file that grows over RLIMIT_FSIZE, reserves %d",
	           reserves);
	make_file(3000);
	faults.mount = UINT64_C(0x80001000) + reserves;
	faults.magic = reserves ? 0xef53 : 0x9123683e;
	pieces_init(&pieces, content, 9000, 9000, false);
	must(getrlimit(RLIMIT_FSIZE, &before) == 0, "getrlimit");
	struct rlimit limit = {.rlim_cur = 4096, .rlim_max = before.rlim_max};
	must(setrlimit(RLIMIT_FSIZE, &limit) == 0, "setrlimit");
	faults_arm();
	int64_t result = f2_write_path(test_path, &replace, &pieces.source);
	faults_disarm();
	must(setrlimit(RLIMIT_FSIZE, &before) == 0, "setrlimit");
	faults.mount = 0;
	faults.magic = 0;
	if (reserves)
		check(unpack(result), F2_RESERVE, EFBIG, 0);
	else
		check(unpack(result), F2_WRITE, EFBIG, 4096);
	tally_check(file_size() == (reserves ? 3000 : 4096),
	            "%lld bytes remain", (long long)file_size());
}

static void file_belowTheLimit_isWritten(void)
{
	struct rlimit before;
	struct pieces pieces;
	tally_case("a file that grows, but not over RLIMIT_FSIZE");
	make_file(3000);
	faults.magic = 0xef53;
	pieces_init(&pieces, content, 9000, 9000, false);
	must(getrlimit(RLIMIT_FSIZE, &before) == 0, "getrlimit");
	struct rlimit limit = {.rlim_cur = 9000, .rlim_max = before.rlim_max};
	must(setrlimit(RLIMIT_FSIZE, &limit) == 0, "setrlimit");
	faults_arm();
	int64_t result = f2_write_path(test_path, &replace, &pieces.source);
	faults_disarm();
	must(setrlimit(RLIMIT_FSIZE, &before) == 0, "setrlimit");
	faults.magic = 0;
	check(unpack(result), 0, 0, 9000);
	tally_check(faults.calls[CALL_FALLOCATE] == 1, "%u reservations",
	            faults.calls[CALL_FALLOCATE]);
}

/* Counts, and meanwhile another process appends. */
static uint64_t count_while_growing(struct f2_source *source)
{
	int fd = open(test_path, O_WRONLY | O_APPEND);
	must(fd >= 0 && write(fd, "other", 5) == 5 && close(fd) == 0,
	     test_path);
	return ((struct pieces *)source)->byte_count;
}

static void reservation_failingForAGrownFile_keepsWhatCame(void)
{
	struct pieces pieces;
	tally_case("a full disk, and another one who appends");
	make_file(3000);
	faults.magic = 0xef53;
	memset(faults.plan, 0, sizeof faults.plan);
	faults.plan[0] = (struct fault){CALL_FALLOCATE, 1, 1, ENOSPC};
	pieces_init(&pieces, content, 90000, 90000, true);
	pieces.source.count = count_while_growing;
	faults_arm();
	int64_t result = f2_write_path(test_path, &replace, &pieces.source);
	faults_disarm();
	memset(faults.plan, 0, sizeof faults.plan);
	faults.magic = 0;
	check(unpack(result), F2_RESERVE, ENOSPC, 0);
	tally_check(file_size() == 3005, "%lld bytes remain",
	            (long long)file_size());
}

static void open_failing_tellsErrno(void)
{
	struct f2_ready ready;
	struct f2_rules exclusive = {.open_flags = O_WRONLY | O_CREAT | O_EXCL};
	f2_ready_init(&ready, content, 10);
	tally_case("a file that must not be there");
	make_file(20);
	check(unpack(f2_write_path(test_path, &exclusive, &ready.source)),
	      F2_OPEN, EEXIST, 0);
	tally_check(file_size() == 20, "it is written all the same");
	tally_case("a folder");
	check(unpack(f2_write_path("/", &replace, &ready.source)), F2_OPEN,
	      EISDIR, 0);
	tally_case("a file as folder");
	char below[TEST_PATH_BYTES + 8];
	snprintf(below, sizeof below, "%s/x", test_path);
	check(unpack(f2_write_path(below, &replace, &ready.source)), F2_OPEN,
	      ENOTDIR, 0);
}

/* Truncating moves the mtime, so writing nothing has to do it too. */
static void nothing_overEmpty_movesTheTime(bool streams)
{
	struct timespec past[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
	struct pieces pieces;
	struct stat st;
	tally_case("nothing over an empty file, stream %d", streams);
	make_file(0);
	must(utimensat(AT_FDCWD, test_path, past, 0) == 0, "utimensat");
	if (streams) {
		int64_t stream = f2_open_stream(test_path, &replace);
		check(unpack(f2_finish(stream, 0, F2_FLUSH_NONE, false)), 0, 0,
		      0);
	} else {
		/* Its bounds promise more: all of it is skipped. */
		pieces_init(&pieces, content, 0, 10, true);
		check(unpack(f2_write_path(test_path, &replace,
		                           &pieces.source)),
		      0, 0, 0);
	}
	must(stat(test_path, &st) == 0, "stat");
	tally_check(st.st_mtime != 1000, "the time stays");
}

/* --- Rules that meet --------------------------------------------------- */

static void replaceAndAppend_longerOld_isReplaced(void)
{
	struct f2_ready ready;
	struct f2_rules both = replace;
	both.open_flags |= O_APPEND;
	tally_case("O_TRUNC with O_APPEND");
	make_file(500);
	f2_ready_init(&ready, content + 1000, 100);
	check(unpack(f2_write_path(test_path, &both, &ready.source)), 0, 0,
	      100);
	int fd = open(test_path, O_RDONLY);
	tally_check(read(fd, back, sizeof back) == 100 &&
	                    memcmp(back, content + 1000, 100) == 0,
	            "it is not the new content");
	must(close(fd) == 0, "close");
}

/* An old kernel: no statx, no mount ids. Or a filter that knows neither. */
static void statx_missing_worksAsWell(int answer)
{
	struct pieces pieces;
	tally_case("a kernel that answers %d to statx", answer);
	make_file(20000);
	pieces_init(&pieces, content + 7, 9000, 4000, false);
	faults.no_statx = answer;
	faults.magic = 0xef53;
	memset(faults.plan, 0, sizeof faults.plan);
	faults.plan[0] = (struct fault){CALL_STATX, 1, 3, EINTR};
	faults_arm();
	int64_t result = f2_write_path(test_path, &replace, &pieces.source);
	faults_disarm();
	check(unpack(result), 0, 0, 9000);
	tally_check(faults.calls[CALL_FSTATFS] == 1, "%u fstatfs",
	            faults.calls[CALL_FSTATFS]);
	tally_check(faults.calls[CALL_FTRUNCATE] == 1 && file_size() == 9000,
	            "%u cuts, %lld bytes", faults.calls[CALL_FTRUNCATE],
	            (long long)file_size());

	tally_case("no statx, and newfstatat fails");
	faults.plan[0] = (struct fault){CALL_STATX, 1, 1, EIO};
	pieces_init(&pieces, content + 7, 100, 40, false);
	faults_arm();
	result = f2_write_path(test_path, &replace, &pieces.source);
	faults_disarm();
	check(unpack(result), F2_STAT, EIO, 0);
	tally_check(file_size() == 9000, "the old file is gone");
	memset(faults.plan, 0, sizeof faults.plan);
	faults.no_statx = 0;
	faults.magic = 0;
}

/* What is known of each file system, and that the block size comes back. */
static void place_anyFileSystem_isJudged(void)
{
	static const unsigned reserving =
	        F2_PLACE_KNOWN | F2_PLACE_FRESH | F2_PLACE_RESERVES;
	static const unsigned copying =
	        F2_PLACE_KNOWN | F2_PLACE_FRESH | F2_PLACE_COPIES;
	static const struct {
		uint32_t magic;
		long block_bytes;
		unsigned place;
	} places[] = {
	        {0xef53, 4096, reserving | 12 << F2_PLACE_BLOCK_SHIFT},
	        {0xef53, 65536, reserving | 16 << F2_PLACE_BLOCK_SHIFT},
	        {0xef53, 131072, reserving},
	        {0xef53, 3000, reserving},
	        {0x58465342, 512, reserving | 9 << F2_PLACE_BLOCK_SHIFT},
	        {0x01021994, 4096, reserving | 12 << F2_PLACE_BLOCK_SHIFT},
	        {0xf2f52010, 4096, reserving | 12 << F2_PLACE_BLOCK_SHIFT},
	        {0x794c7630, 4096,
	         reserving | F2_PLACE_OVERLAY | 12 << F2_PLACE_BLOCK_SHIFT},
	        {0x9123683e, 4096, copying},
	        {0x2fc12fc1, 4096, copying},
	        {0x6969, 4096, F2_PLACE_KNOWN}};
	make_file(1);
	int fd = open(test_path, O_RDONLY);
	must(fd >= 0, test_path);
	for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
		tally_case("file system %x with blocks of %ld", places[i].magic,
		           places[i].block_bytes);
		faults.magic = places[i].magic;
		faults.block_bytes = places[i].block_bytes;
		struct f2_stat found = {.mount = UINT64_C(0x80002000) + i};
		faults_arm();
		for (int time = 1; time <= 2; time++) {
			unsigned place = f2_place(fd, NULL, &found);
			tally_check(place == places[i].place, "%x at time %d",
			            place, time);
		}
		faults_disarm();
		tally_check(faults.calls[CALL_FSTATFS] == 1, "%u fstatfs",
		            faults.calls[CALL_FSTATFS]);
	}
	must(close(fd) == 0, "close");
	faults.magic = 0;
	faults.block_bytes = 0;
}

/* A mount id is never reused, so its file system is asked once. */
static void mount_known_isAskedOnce(void)
{
	struct f2_ready ready;
	tally_case("a mount that is known");
	make_file(10);
	faults.mount = UINT64_C(0x80000777);
	faults.magic = 0xef53;
	/* No answer is no verdict. */
	memset(faults.plan, 0, sizeof faults.plan);
	faults.plan[0] = (struct fault){CALL_FSTATFS, 1, 1, EIO};
	f2_ready_init(&ready, content, 10);
	faults_arm();
	int64_t unknown = f2_write_path(test_path, &replace, &ready.source);
	faults_disarm();
	memset(faults.plan, 0, sizeof faults.plan);
	check(unpack(unknown), 0, 0, 10);
	tally_check(faults.calls[CALL_FTRUNCATE] == 1,
	            "what can't be asked is not truncated first");
	for (int i = 0; i < 3; i++) {
		f2_ready_init(&ready, content, 10);
		faults_arm();
		int64_t result =
		        f2_write_path(test_path, &replace, &ready.source);
		faults_disarm();
		check(unpack(result), 0, 0, 10);
		tally_check(faults.calls[CALL_FSTATFS] == (i == 0),
		            "%u fstatfs at time %d", faults.calls[CALL_FSTATFS],
		            i);
	}
	/* Its slot goes to another mount, which is judged for itself. */
	faults.mount += 64;
	faults.magic = 0x6969;
	f2_ready_init(&ready, content, 10);
	faults_arm();
	int64_t result = f2_write_path(test_path, &replace, &ready.source);
	faults_disarm();
	check(unpack(result), 0, 0, 10);
	tally_check(faults.calls[CALL_FTRUNCATE] == 1,
	            "an unknown file system is not truncated first");
	faults.mount = 0;
	faults.magic = 0;
}

/* Returns whether the file at path, if there is one, is opened with O_TRUNC; or
 * -1 where the write goes wrong. */
static int truncates_at_open(const char *path)
{
	struct f2_ready ready;
	f2_ready_init(&ready, content, 10);
	faults_arm();
	int64_t result = f2_write_path(path, &replace, &ready.source);
	faults_disarm();
	for (size_t i = 0; i < faults.event_count; i++)
		if (faults.events[i].call == CALL_OPEN && result == 10)
			return (faults.events[i].detail & O_TRUNC) != 0;
	return -1;
}

/* In a container, where the answer for / is an overlay; that is asked once a
 * process, hence the child. */
static void overlay_largeFile_isTruncatedFirst(void)
{
	enum { COPIED = 64 * 1024 };
	tally_case("files on an overlay");
	fflush(stdout);
	pid_t child = fork();
	must(child >= 0, "fork");
	if (child == 0) {
		int wrong = 0;
		faults.root_magic = 0x794c7630;
		faults.magic = 0x794c7630;
		make_file(COPIED);
		wrong |= truncates_at_open(test_path) != 0 ? 1 : 0;
		make_file(COPIED + 1);
		wrong |= truncates_at_open(test_path) != 1 ? 2 : 0;
		wrong |= file_size() != 10 ? 4 : 0;
		/* What is missing or special there, or mounted on it. */
		must(unlink(test_path) == 0, test_path);
		wrong |= truncates_at_open(test_path) != 0 ? 8 : 0;
		wrong |= truncates_at_open("/dev/null") != 0 ? 16 : 0;
		make_file(COPIED + 1);
		faults.root_magic = 0xef53;
		wrong |= truncates_at_open(test_path) != 0 ? 32 : 0;
		exit(wrong);
	}
	int status = 0;
	must(waitpid(child, &status, 0) == child, "waitpid");
	tally_check(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %x",
	            (unsigned)status);
}

static void fault_anyParts_comeBack(void)
{
	tally_case("faults keep their parts");
	for (unsigned i = 0; i < 10000; i++) {
		int operation = 1 + (int)random_below(10);
		int error = (int)random_below(134);
		uint64_t count =
		        (uint64_t)random_below(1 << 30) << 5 | random_below(32);
		int64_t fault =
		        f2_fault((enum f2_operation)operation, error, count);
		tally_check(fault < 0, "it is not negative");
		check(unpack(fault), operation, error, count);
		struct result both = unpack(f2_add_errors(fault, 133, 122));
		tally_check(both.operation == operation &&
		                    both.error == error &&
		                    both.count == count &&
		                    both.truncate_error == 133 &&
		                    both.close_error == 122,
		            "errors that are added change it");
	}
}

void run_overlay_case(void)
{
	overlay_largeFile_isTruncatedFirst();
}

void run_single_cases(void)
{
	for (size_t i = 0; i < CONTENT_BYTES; i++)
		content[i] = (uint8_t)(i * 31 + i / 997);
	memset(faults.plan, 0, sizeof faults.plan);
	faults.magic = 0;
	faults.mount = 0;
	static const size_t sizes[] = {8000, CHUNK_BYTES - 1, CHUNK_BYTES,
	                               CHUNK_BYTES + 1, F2_SINGLE_WRITE_BYTES};
	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
		for (int vague = 0; vague <= 1; vague++)
			fifo_severalPieces_oneWrite(sizes[i], vague != 0);
	for (int vague = 0; vague <= 1; vague++)
		pipe_severalPieces_oneWrite(60000, vague != 0);
	for (int flush = F2_FLUSH_NONE; flush <= F2_FLUSH_FULL; flush++) {
		device_full_tellsNothingWritten((enum f2_flush)flush);
		device_null_cantBeSynced((enum f2_flush)flush);
	}
	join_failing_writesNothing();
	special_joinFailing_writesNothing();
	sync_refused_isAFaultOfFilesOnly(EINVAL);
	sync_refused_isAFaultOfFilesOnly(EOPNOTSUPP);
	sync_refused_isAFaultOfFilesOnly(EROFS);
	descriptor_sizeAndClose_tellErrno();
	append_aboveOneMiB_isNotJoined();
	source_failing_cutsToWritten(1);
	source_failing_cutsToWritten(2);
	source_failing_cutsToWritten(6);
	nonBlocking_fullPipe_waits();
	pipe_withoutReader_tellsEpipe();
	descriptor_closedMeanwhile_tellsHowFar(2, 0);
	descriptor_closedMeanwhile_tellsHowFar(3, 1000);
	descriptor_closedMeanwhile_tellsHowFar(4, 2000);
	descriptor_closedMeanwhile_tellsHowFar(5, 3000);
	file_overTheLimit(false);
	file_overTheLimit(true);
	file_belowTheLimit_isWritten();
	reservation_failingForAGrownFile_keepsWhatCame();
	open_failing_tellsErrno();
	replaceAndAppend_longerOld_isReplaced();
	nothing_overEmpty_movesTheTime(false);
	nothing_overEmpty_movesTheTime(true);
	statx_missing_worksAsWell(ENOSYS);
	statx_missing_worksAsWell(EPERM);
	place_anyFileSystem_isJudged();
	mount_known_isAskedOnce();
	fault_anyParts_comeBack();
	must(unlink(test_path) == 0 || errno == ENOENT, "unlink");
}
