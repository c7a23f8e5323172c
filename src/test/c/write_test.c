/*
 * The write path against failing system calls: every call of every scenario
 * fails once, or from then on, with every error; the result, the file and the
 * descriptors are compared with what files2.h promises.
 *
 *   write_test FOLDER   works in a folder of its own there
 */
#include "write_test.h"
#include "faults.h"
#include "tally.h"

#include "../../main/c/files2.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char test_path[TEST_PATH_BYTES];
static char folder[TEST_PATH_BYTES - 8];

enum { MAX_CONTENT = 64 * 1024 };

static uint8_t new_bytes[MAX_CONTENT];
static uint8_t old_bytes[MAX_CONTENT];

/* --- Results ----------------------------------------------------------- */

struct result unpack(int64_t packed)
{
	/* Written anew from the layout in fault.c, as Java does. */
	struct result result = {.count = (uint64_t)packed};
	if (packed >= 0)
		return result;
	uint64_t bits = (uint64_t)packed & INT64_MAX;
	result.close_error = (int)(bits & 0xff);
	result.truncate_error = (int)(bits >> 8 & 0xff);
	result.error = (int)(bits >> 16 & 0xff);
	result.operation = (int)(bits >> 24 & 0xf);
	result.count = bits >> 28;
	return result;
}

size_t open_descriptors(void)
{
	size_t count = 0;
	DIR *directory = opendir("/proc/self/fd");
	if (directory == NULL) {
		perror("/proc/self/fd");
		exit(2);
	}
	while (readdir(directory) != NULL)
		count++;
	closedir(directory);
	return count;
}

/* The descriptor that the next open would get: another one where one leaks,
 * and told in a fraction of the time. */
static int lowest_free(void)
{
	int fd = dup(STDOUT_FILENO);
	if (fd < 0 || close(fd) != 0) {
		perror("dup");
		exit(2);
	}
	return fd;
}

/* --- A source of several pieces ---------------------------------------- */

static int64_t next_piece(struct f2_source *source, const uint8_t **piece)
{
	struct pieces *pieces = (struct pieces *)source;
	pieces->handed++;
	if (pieces->handed == pieces->fails_at)
		return f2_fault(F2_MEMORY, ENOMEM, 0);
	size_t left = pieces->byte_count - pieces->offset;
	size_t some = left < pieces->piece_bytes ? left : pieces->piece_bytes;
	*piece = pieces->bytes + pieces->offset;
	pieces->offset += some;
	return (int64_t)some;
}

static int64_t join_pieces(struct f2_source *source)
{
	struct pieces *pieces = (struct pieces *)source;
	if (pieces->join_fails)
		return f2_fault(F2_MEMORY, ENOMEM, 0);
	pieces->piece_bytes = SIZE_MAX;
	return 0;
}

static uint64_t count_pieces(struct f2_source *source)
{
	return ((struct pieces *)source)->byte_count;
}

void pieces_init(struct pieces *pieces, const uint8_t *bytes, size_t byte_count,
                 size_t piece_bytes, bool vague)
{
	*pieces = (struct pieces){
	        .source = {.next = next_piece,
	                   .join = join_pieces,
	                   .count = count_pieces,
	                   .min_bytes = vague ? 0 : byte_count,
	                   .max_bytes = vague ? 3 * byte_count + CHUNK_BYTES
	                                      : byte_count,
	                   .whole = byte_count <= piece_bytes},
	        .bytes = bytes,
	        .byte_count = byte_count,
	        .piece_bytes = piece_bytes,
	};
}

/* --- Scenarios --------------------------------------------------------- */

enum way { TO_PATH, TO_STREAM, TO_FD };

/* What the file holds before. */
enum old {
	OLD_NONE,
	OLD_EMPTY,
	OLD_SHORTER,
	OLD_EQUAL,
	OLD_LONGER,
	OLD_SPARSE
};

/* What the open flags mean for the old content. */
enum mode {
	MODE_REPLACE,
	MODE_FIRST,
	MODE_SYNC,
	MODE_APPEND,
	MODE_KEEP,
	MODE_NEW
};

/* What the file system promises: all, no reservation, nothing. */
enum kind { LOCAL, COPY_ON_WRITE, UNKNOWN };

struct scenario {
	enum way way;
	enum old old;
	enum mode mode;
	enum kind kind;
	enum f2_flush flush;
	size_t byte_count;
	size_t piece_bytes;
	bool vague;
	bool has_mount;
};

static const char *const ways[] = {"path", "stream", "fd"};
static const char *const olds[] = {"none",  "empty",  "shorter",
                                   "equal", "longer", "sparse"};
static const char *const modes[] = {"w", "truncate_first", "ws", "a", "r+",
                                    "wx"};
static const char *const kinds[] = {"local", "copy-on-write", "unknown"};

static const char *name_of(const struct scenario *s)
{
	static char name[200];
	snprintf(name, sizeof name,
	         "%s %s over %s, %s%s, flush %d, %zu bytes by %zu%s",
	         ways[s->way], modes[s->mode], olds[s->old], kinds[s->kind],
	         s->has_mount ? " with mount" : "", (int)s->flush,
	         s->byte_count, s->piece_bytes, s->vague ? ", vague" : "");
	return name;
}

static size_t old_count(const struct scenario *s)
{
	switch (s->old) {
	case OLD_SHORTER:
		return s->byte_count / 3 + 1;
	case OLD_EQUAL:
		return s->byte_count;
	case OLD_LONGER:
		return s->byte_count + 2000;
	case OLD_SPARSE:
		return 3 * 4096 + 10;
	case OLD_NONE:
	case OLD_EMPTY:
	default:
		return 0;
	}
}

static int flags_of(const struct scenario *s)
{
	switch (s->mode) {
	case MODE_SYNC:
		return O_WRONLY | O_CREAT | O_TRUNC | O_SYNC;
	case MODE_APPEND:
		return O_WRONLY | O_CREAT | O_APPEND;
	case MODE_KEEP:
		return O_RDWR | O_CREAT;
	case MODE_NEW:
		return O_WRONLY | O_CREAT | O_EXCL | O_TRUNC;
	case MODE_REPLACE:
	case MODE_FIRST:
	default:
		return O_WRONLY | O_CREAT | O_TRUNC;
	}
}

/* Makes the old file; its blocks go to *blocks. */
static void prepare(const struct scenario *s, uint64_t *blocks)
{
	*blocks = 0;
	if (unlink(test_path) != 0 && errno != ENOENT)
		exit(2);
	if (s->old == OLD_NONE)
		return;
	int fd = open(test_path, O_WRONLY | O_CREAT | O_EXCL, 0600);
	size_t count = old_count(s);
	struct stat st;
	bool ok = fd >= 0;
	if (s->old == OLD_SPARSE)
		ok = ok && ftruncate(fd, (off_t)count) == 0 &&
		     pwrite(fd, old_bytes, 100, 0) == 100;
	else
		ok = ok && pwrite(fd, old_bytes, count, 0) == (ssize_t)count;
	if (!ok || fstat(fd, &st) != 0 || close(fd) != 0) {
		perror(test_path);
		exit(2);
	}
	*blocks = (uint64_t)st.st_blocks;
}

/* --- What must come out ------------------------------------------------ */

/* Whether the content of the old file is there while the new one is written. */
static bool in_place(const struct scenario *s)
{
	return s->mode == MODE_REPLACE && s->kind != UNKNOWN &&
	       s->byte_count > 0;
}

/* The fault that the first failure among events makes, with what failed after
 * it, as files2.h promises; operation 0 for none. */
static struct result expected_fault(const struct scenario *s, size_t from,
                                    size_t to, uint64_t written)
{
	struct result expected = {0};
	bool has_written = false;
	bool syncs = false;
	for (size_t i = from; i < to; i++) {
		const struct event *event = &faults.events[i];
		int error = event->error;
		int operation = 0;
		uint64_t count = 0;
		if (event->call == CALL_WRITE || event->call == CALL_POLL)
			has_written = true;
		if (event->call == CALL_FSYNC || event->call == CALL_FDATASYNC)
			syncs = true;
		bool is_zero = event->call == CALL_WRITE && event->injected &&
		               error == 0;
		if ((error == 0 && !is_zero) || error == EINTR)
			continue;
		bool is_first = expected.operation == 0;
		switch (event->call) {
		case CALL_OPEN:
			operation = F2_OPEN;
			break;
		case CALL_STATX:
			/* What was written ends there, whatever it was. */
			if (syncs || (s->way == TO_STREAM && from > 0) ||
			    (has_written && written > 0))
				break;
			operation = s->way == TO_FD ? F2_WRITE : F2_STAT;
			count = has_written ? written : 0;
			if (!is_first)
				expected.truncate_error = error;
			break;
		case CALL_FCNTL:
			operation = F2_WRITE;
			break;
		case CALL_FALLOCATE:
			if (error == ENOSPC || error == EDQUOT ||
			    error == EFBIG)
				operation = F2_RESERVE;
			break;
		case CALL_WRITE:
			if (error != EAGAIN)
				operation = F2_WRITE;
			count = written;
			break;
		case CALL_POLL:
			operation = F2_WRITE;
			count = written;
			break;
		case CALL_FTRUNCATE:
			operation = F2_TRUNCATE;
			count = has_written ? written : 0;
			if (!is_first)
				expected.truncate_error = error;
			break;
		case CALL_FSYNC:
		case CALL_FDATASYNC:
			operation = F2_SYNC;
			count = written;
			break;
		case CALL_CLOSE:
			operation = F2_CLOSE;
			count = has_written ? written : 0;
			if (!is_first)
				expected.close_error = error;
			break;
		case CALL_FSTATFS: /* not known: the careful way */
		case CALL_COUNT:
		default:
			break;
		}
		if (is_first && operation != 0) {
			expected.operation = operation;
			expected.error = error;
			expected.count = count;
		}
	}
	return expected;
}

static bool same_result(const char *what, struct result expected,
                        struct result actual)
{
	return tally_check(
	        expected.operation == actual.operation &&
	                expected.error == actual.error &&
	                expected.count == actual.count &&
	                expected.truncate_error == actual.truncate_error &&
	                expected.close_error == actual.close_error,
	        "%s: operation %d errno %d count %llu (truncate %d, close %d), "
	        "not %d %d %llu (%d, %d)",
	        what, actual.operation, actual.error,
	        (unsigned long long)actual.count, actual.truncate_error,
	        actual.close_error, expected.operation, expected.error,
	        (unsigned long long)expected.count, expected.truncate_error,
	        expected.close_error);
}

/* Whether call succeeded at least once, cutting to size. */
static bool has_cut(uint64_t size)
{
	for (size_t i = 0; i < faults.event_count; i++) {
		const struct event *event = &faults.events[i];
		if (event->call == CALL_FTRUNCATE && event->error == 0 &&
		    (uint64_t)event->detail == size)
			return true;
	}
	return false;
}

static bool was_opened(void)
{
	for (size_t i = 0; i < faults.event_count; i++)
		if (faults.events[i].call == CALL_OPEN &&
		    faults.events[i].error == 0)
			return true;
	return false;
}

/* The bytes the file must hold; returns how many. */
static size_t expected_content(const struct scenario *s, uint8_t *bytes,
                               size_t written)
{
	size_t before = old_count(s);
	size_t start = s->mode == MODE_APPEND ? before : 0;
	bool keeps_old = s->mode == MODE_APPEND || s->mode == MODE_KEEP ||
	                 s->way == TO_FD;
	bool went_in_place = false;
	if (!keeps_old && s->mode == MODE_REPLACE &&
	    (s->byte_count > 0 || s->way == TO_STREAM)) {
		/* The old content is there unless cut before all writing. */
		went_in_place = !has_cut(0);
	}
	if (!was_opened() && s->way != TO_FD)
		keeps_old = true;
	if (went_in_place && (written == 0 || !has_cut(written)) &&
	    before > written)
		keeps_old = true;
	size_t count = start + written;
	if (keeps_old && before > count)
		count = before;
	if (keeps_old) {
		memcpy(bytes, old_bytes, before);
		if (s->old == OLD_SPARSE)
			memset(bytes + 100, 0, before - 100);
	}
	memcpy(bytes + start, new_bytes, written);
	return count;
}

/* Compares the file with what has to be in it. */
static void check_content(const struct scenario *s, size_t written,
                          uint64_t old_blocks, struct result result)
{
	static uint8_t expected[3 * MAX_CONTENT];
	static uint8_t actual[3 * MAX_CONTENT];
	size_t expected_count = expected_content(s, expected, written);
	int fd = open(test_path, O_RDONLY);
	if (fd < 0) {
		tally_check(errno == ENOENT && s->old == OLD_NONE &&
		                    !was_opened(),
		            "the file is gone");
		return;
	}
	ssize_t count = read(fd, actual, sizeof actual);
	struct stat st;
	if (count < 0 || fstat(fd, &st) != 0 || close(fd) != 0)
		exit(2);
	tally_check((size_t)count == expected_count, "%zd bytes, not %zu",
	            count, expected_count);
	if (memcmp(actual, expected, expected_count) != 0) {
		size_t i = 0;
		while (actual[i] == expected[i])
			i++;
		tally_check(false, "byte %zu differs", i);
	}
	if (result.operation == F2_RESERVE && result.truncate_error == 0 &&
	    s->old != OLD_SPARSE)
		tally_check((uint64_t)st.st_blocks <= old_blocks,
		            "%llu blocks kept, %llu before",
		            (unsigned long long)st.st_blocks,
		            (unsigned long long)old_blocks);
}

/* Syncs come last, once, as asked, and only where all went well before; what
 * must not be cut is not; appended text is one write. */
static void check_order(const struct scenario *s, struct result result)
{
	unsigned data = 0;
	unsigned full = 0;
	for (size_t i = 0; i < faults.event_count; i++) {
		const struct event *event = &faults.events[i];
		data += event->call == CALL_FDATASYNC && event->error != EINTR;
		full += event->call == CALL_FSYNC && event->error != EINTR;
		if (data + full > 0)
			tally_check(event->call != CALL_WRITE &&
			                    event->call != CALL_FTRUNCATE,
			            "%s after the sync",
			            call_names[event->call]);
		if (event->call == CALL_OPEN)
			tally_check((event->detail & O_CLOEXEC) != 0,
			            "no O_CLOEXEC");
	}
	bool due = result.operation == 0 || result.operation == F2_SYNC ||
	           result.operation == F2_CLOSE;
	if (due || data + full > 0) {
		tally_check(due, "synced after operation %d failed",
		            result.operation);
		tally_check(data == (s->flush == F2_FLUSH_DATA) &&
		                    full == (s->flush == F2_FLUSH_FULL),
		            "%u fdatasync, %u fsync", data, full);
	}
	if (s->mode != MODE_REPLACE || s->way == TO_FD)
		tally_check(faults.calls[CALL_FTRUNCATE] == 0, "it is cut");
	if (faults.fired == 0 && s->byte_count > 0 && s->way != TO_STREAM &&
	    s->mode == MODE_APPEND)
		tally_check(faults.calls[CALL_WRITE] == 1,
		            "an append of %u writes", faults.calls[CALL_WRITE]);
	if (faults.fired == 0 && s->way == TO_PATH)
		for (size_t i = 0; i < faults.event_count; i++)
			if (faults.events[i].call == CALL_OPEN)
				tally_check(
				        ((faults.events[i].detail & O_TRUNC) !=
				         0) == (s->mode == MODE_FIRST ||
				                s->mode == MODE_SYNC ||
				                s->mode == MODE_NEW ||
				                (s->mode == MODE_REPLACE &&
				                 s->byte_count == 0)),
				        "O_TRUNC where it should not be, or "
				        "not where it should");
	if (faults.fired == 0 && in_place(s))
		tally_check(faults.calls[CALL_FTRUNCATE] <=
		                    (old_count(s) > s->byte_count),
		            "cut for nothing");
}

/* --- Running ----------------------------------------------------------- */

/* Opens, writes and finishes as Java does. */
static struct result run_stream(const struct f2_rules *rules,
                                struct pieces *pieces, size_t *finish_from,
                                struct result *write_result)
{
	*write_result = (struct result){0};
	int64_t stream = f2_open_stream(test_path, rules);
	*finish_from = faults.event_count;
	if (stream < 0)
		return unpack(stream);
	uint64_t written = 0;
	const uint8_t *piece;
	int64_t some;
	while (write_result->operation == 0 &&
	       (some = next_piece(&pieces->source, &piece)) > 0) {
		struct f2_ready ready;
		struct f2_target target = {.fd = (int)(stream & INT32_MAX)};
		f2_ready_init(&ready, piece, (size_t)some);
		struct result one = unpack(
		        f2_write_fd(&target, F2_FLUSH_NONE, &ready.source));
		written += one.count;
		if (one.operation != 0) {
			*write_result = one;
			write_result->count = written;
		}
	}
	*finish_from = faults.event_count;
	struct result result = unpack(f2_finish(stream, written, rules->flush,
	                                        write_result->operation != 0));
	if (result.operation == 0)
		result.count = written;
	return result;
}

static void run(const struct scenario *s)
{
	uint64_t old_blocks;
	struct pieces pieces;
	struct f2_rules rules = {.open_flags = flags_of(s),
	                         .mode = 0600,
	                         .flush = s->flush,
	                         .truncate_first = s->mode == MODE_FIRST};
	struct f2_target target = {.fd = -1};
	struct result result;
	struct result write_result = {0};
	size_t finish_from = 0;

	static const uint32_t magics[] = {0xef53, 0x9123683e, 0x6969};
	faults.magic = magics[s->kind];
	faults.mount =
	        s->has_mount ? UINT64_C(0x80000000) + (unsigned)s->kind : 0;
	prepare(s, &old_blocks);
	pieces_init(&pieces, new_bytes, s->byte_count, s->piece_bytes,
	            s->vague);
	if (s->way == TO_FD) {
		target.fd = open(test_path, rules.open_flags, 0600);
		if (target.fd < 0)
			exit(2);
	}
	int lowest = lowest_free();
	faults_arm();
	if (s->way == TO_PATH)
		result = unpack(
		        f2_write_path(test_path, &rules, &pieces.source));
	else if (s->way == TO_FD)
		result = unpack(f2_write_fd(&target, s->flush, &pieces.source));
	else
		result = run_stream(&rules, &pieces, &finish_from,
		                    &write_result);
	faults_disarm();
	tally_check(lowest_free() == lowest,
	            "a descriptor is left, or another was closed");
	if (target.fd >= 0 && close(target.fd) != 0)
		exit(2);

	size_t written = faults.bytes_taken;
	bool failed = write_result.operation != 0;
	struct result expected;
	if (s->way == TO_STREAM && was_opened()) {
		struct result first =
		        expected_fault(s, 0, finish_from, written);
		if (first.operation == F2_WRITE || failed)
			same_result("write", first, write_result);
		if (first.operation != 0 && !failed) {
			expected = first; /* of the open */
		} else {
			expected = expected_fault(s, finish_from,
			                          faults.event_count, written);
			if (expected.operation != 0)
				expected.count = written;
		}
	} else {
		expected = expected_fault(s, 0, faults.event_count, written);
	}
	if (expected.operation == 0) {
		if (!failed)
			tally_check(written == s->byte_count,
			            "%zu of %zu bytes written", written,
			            s->byte_count);
		expected.count = written;
	}
	same_result("result", expected, result);
	check_content(s, written, old_blocks, result);
	if (!failed)
		check_order(s, result);
}

/* --- The table --------------------------------------------------------- */

static const int errors[] = {EINTR, EAGAIN, ENOSPC, EDQUOT,
                             EIO,   EFBIG,  EROFS,  EMFILE};

static void run_case(const struct scenario *s, struct fault fault)
{
	memset(faults.plan, 0, sizeof faults.plan);
	faults.plan[0] = fault;
	tally_case("%s; %s %u fails %u times with %d", name_of(s),
	           call_names[fault.call], fault.first, fault.times,
	           fault.error);
	run(s);
}

/* Whether call can be refused like this at all. */
static bool can_fail(enum call call, int error)
{
	if (call == CALL_FCNTL && (error == EINTR || error == EAGAIN))
		return false;
	return (error == EMFILE) <= (call == CALL_OPEN);
}

/* Fails the call at its nth occurrence, for n = 1, 2 ... until a run does not
 * get there. */
static void fail_each(const struct scenario *s, enum call call, int error)
{
	bool is_retried = error == EINTR || error == FAULT_SHORT ||
	                  (error == EAGAIN && call == CALL_WRITE);
	/* Other failures of these end the run: there is no second call. */
	bool is_single = call == CALL_OPEN || call == CALL_CLOSE ||
	                 call == CALL_FSYNC || call == CALL_FDATASYNC ||
	                 call == CALL_FCNTL;
	if (is_single && !is_retried) {
		run_case(s, (struct fault){call, 1, 1, error});
		return;
	}
	unsigned persistently = is_retried ? 5 : 1000;
	for (unsigned times = 1; times <= persistently;
	     times += persistently - 1) {
		unsigned first = 1;
		do {
			run_case(s, (struct fault){call, first, times, error});
			first++;
		} while (faults.fired > 0);
	}
}

/* A first failure and what goes wrong in its clean-up. */
static void fail_in_pairs(const struct scenario *s)
{
	static const enum call firsts[] = {CALL_STATX, CALL_FALLOCATE,
	                                   CALL_WRITE, CALL_FTRUNCATE,
	                                   CALL_FSYNC};
	static const enum call seconds[] = {CALL_STATX, CALL_FTRUNCATE,
	                                    CALL_CLOSE};
	for (size_t f = 0; f < sizeof firsts / sizeof firsts[0]; f++)
		for (unsigned first = 1; first <= 2; first++)
			for (size_t k = 0;
			     k < sizeof seconds / sizeof seconds[0]; k++) {
				tally_case("%s; %s %u fails, then %s",
				           name_of(s), call_names[firsts[f]],
				           first, call_names[seconds[k]]);
				faults.plan[0] = (struct fault){
				        firsts[f], first, 1, ENOSPC};
				faults.plan[1] = (struct fault){
				        seconds[k],
				        seconds[k] == CALL_STATX ? 2 : 1, 1000,
				        EIO};
				faults.plan[2] = (struct fault){CALL_CLOSE, 1,
				                                1, EDQUOT};
				run(s);
			}
}

static void run_scenario(const struct scenario *s)
{
	size_t descriptors = open_descriptors();
	memset(faults.plan, 0, sizeof faults.plan);
	tally_case("%s", name_of(s));
	run(s);
	unsigned calls[CALL_COUNT];
	memcpy(calls, faults.calls, sizeof calls);
	for (int call = 0; call < CALL_COUNT; call++) {
		if (calls[call] == 0)
			continue; /* it is not made */
		for (size_t e = 0; e < sizeof errors / sizeof errors[0]; e++)
			if (can_fail((enum call)call, errors[e]))
				fail_each(s, (enum call)call, errors[e]);
	}
	if (calls[CALL_WRITE] == 0)
		return;
	fail_each(s, CALL_WRITE, FAULT_SHORT);
	fail_each(s, CALL_WRITE, FAULT_ZERO);
	/* poll is called only after EAGAIN. */
	for (int error = 0; error <= ENOMEM; error += ENOMEM) {
		tally_case("%s; EAGAIN, then poll fails with %d", name_of(s),
		           error == 0 ? EINTR : error);
		faults.plan[0] = (struct fault){CALL_WRITE, 1, 1, EAGAIN};
		faults.plan[1] = (struct fault){CALL_POLL, 1, 1,
		                                error == 0 ? EINTR : error};
		run(s);
	}
	fail_in_pairs(s);
	tally_case("%s; descriptors", name_of(s));
	tally_check(open_descriptors() == descriptors, "some are left");
}

/* Scenarios that make sense; the table is thinned where a column can't
 * matter. */
static bool is_sensible(const struct scenario *s)
{
	bool replaces = s->mode == MODE_REPLACE;
	if (s->mode == MODE_NEW && s->old != OLD_NONE)
		return false;
	if (s->way == TO_FD && s->mode != MODE_APPEND && s->mode != MODE_KEEP)
		return false;
	if (!replaces && s->kind != LOCAL)
		return false;
	if (s->has_mount && (s->kind != LOCAL || s->old != OLD_SHORTER))
		return false;
	if (s->kind != LOCAL && s->old != OLD_EMPTY && s->old != OLD_SHORTER &&
	    s->old != OLD_LONGER)
		return false;
	if (s->vague && s->flush != F2_FLUSH_NONE)
		return false;
	if (s->flush != F2_FLUSH_NONE && s->old != OLD_NONE &&
	    s->old != OLD_LONGER)
		return false;
	if (s->byte_count == 0 && (s->vague || s->old == OLD_EQUAL))
		return false;
	return true;
}

/* Takes one of count values out of *number, as a mixed-radix digit. */
static unsigned digit(unsigned *number, unsigned count)
{
	unsigned value = *number % count;
	*number /= count;
	return value;
}

enum { SCENARIOS = 3 * 6 * 6 * 3 * 3 * 3 * 2 * 2 };

static struct scenario scenario_of(unsigned number)
{
	static const size_t byte_counts[] = {0, 700, 3000};
	static const size_t piece_bytes[] = {1, 700, 1300};
	struct scenario s;
	unsigned size = digit(&number, 3);
	s.byte_count = byte_counts[size];
	s.piece_bytes = piece_bytes[size];
	s.way = (enum way)digit(&number, 3);
	s.old = (enum old)digit(&number, 6);
	s.mode = (enum mode)digit(&number, 6);
	s.kind = (enum kind)digit(&number, 3);
	s.flush = (enum f2_flush)digit(&number, 3);
	s.vague = digit(&number, 2) != 0;
	s.has_mount = digit(&number, 2) != 0;
	return s;
}

static void run_table(void)
{
	for (unsigned number = 0; number < SCENARIOS; number++) {
		struct scenario s = scenario_of(number);
		if (is_sensible(&s))
			run_scenario(&s);
	}
}

/* Any calls fail, with any of their errors. */
static void run_at_random(void)
{
	enum { ROUNDS = 20000 };
	memset(faults.plan, 0, sizeof faults.plan);
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct scenario s =
		        scenario_of((unsigned)random_below(SCENARIOS));
		if (!is_sensible(&s))
			continue;
		faults.random_one_in = 2 + (unsigned)random_below(6);
		tally_case("round %u: %s", round, name_of(&s));
		run(&s);
	}
	faults.random_one_in = 0;
}

/* --- The folder -------------------------------------------------------- */

static void make_folder(const char *parent)
{
	int length = snprintf(folder, sizeof folder, "%s/write-XXXXXX", parent);
	if (length < 0 || (size_t)length >= sizeof folder ||
	    mkdtemp(folder) == NULL) {
		perror(parent);
		exit(2);
	}
	snprintf(test_path, sizeof test_path, "%s/file", folder);
}

static void remove_folder(void)
{
	if ((unlink(test_path) != 0 && errno != ENOENT) || rmdir(folder) != 0)
		perror(folder);
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: write_test FOLDER\n");
		return 2;
	}
	signal(SIGPIPE, SIG_IGN); /* as the JVM does */
	signal(SIGXFSZ, SIG_IGN);
	tally_begin();
	make_folder(argv[1]);
	for (size_t i = 0; i < MAX_CONTENT; i++) {
		new_bytes[i] = (uint8_t)(i * 7 + i / 251 + 1);
		old_bytes[i] = (uint8_t)~new_bytes[i];
	}
	run_overlay_case();
	/* Not an overlay, wherever this runs; asked once. */
	faults.root_magic = 0xef53;
	run_table();
	run_at_random();
	run_single_cases();
	remove_folder();
	return tally_end();
}
