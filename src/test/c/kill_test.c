/*
 * Atomic writers killed by SIGKILL at any moment: a reader beside them sees one
 * whole version at any time, what was written stays, and nothing is left but
 * temporary files of the known name. A fork costs so little that hundreds of
 * kills take seconds; the Java tests do the same with JVMs.
 *
 *   kill_test FOLDER   works in a folder of its own there
 */
#include "../../main/c/files2.h"
#include "tally.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	KILLS = 500,
	MOST_MICROS = 4000,
	MOST_PATIENCE_MICROS = 10 * 1000 * 1000,
	PATH_BYTES = 300,
	LINE_BYTES = 17,
	/* More than a chunk. */
	MOST_LINES = 10000,
	MOST_BYTES = LINE_BYTES * MOST_LINES
};

static char folder[PATH_BYTES - 20];
static char path[PATH_BYTES];
static char expected[MOST_BYTES + 1];
static char found[MOST_BYTES + 1];

/* The last version whose write has returned; shared with the writer. */
static _Atomic unsigned *written;

static void must(bool ok, const char *what)
{
	if (!ok) {
		perror(what);
		exit(2);
	}
}

/* Makes the content of a version: lines with its number. Returns its bytes. */
static size_t make(unsigned version, char *content)
{
	static const size_t lines[] = {1, 3, 300, 4000, MOST_LINES};
	size_t count = lines[version % (sizeof lines / sizeof lines[0])];

	for (size_t i = 0; i < count; i++)
		snprintf(content + i * LINE_BYTES, LINE_BYTES + 1,
		         "version %08u\n", version);
	return count * LINE_BYTES;
}

/* seed: of the names of temporary files, as what a kill has left has some. */
static void write_versions(unsigned first, uint64_t seed)
{
	for (unsigned version = first;; version++) {
		struct f2_ready ready;
		struct f2_rules rules = {.open_flags =
		                                 O_WRONLY | O_CREAT | O_TRUNC,
		                         .mode = 0644,
		                         .flush = F2_FLUSH_FULL,
		                         .nonce = seed + version};
		size_t count = make(version, expected);

		f2_ready_init(&ready, (const uint8_t *)expected, count);
		int64_t result =
		        f2_write_atomically(path, &rules, &ready.source);
		if (result != (int64_t)count)
			_exit(3);
		atomic_store(written, version);
	}
}

/* Returns which version is there; fails the case if it is no whole one. */
static unsigned read_version(void)
{
	unsigned version = 0;
	size_t count = 0;
	ssize_t taken;
	int fd = open(path, O_RDONLY);

	must(fd >= 0, path);
	while ((taken = read(fd, found + count, sizeof found - count)) > 0)
		count += (size_t)taken;
	must(taken == 0 && close(fd) == 0, path);
	bool whole = count > 0 && sscanf(found, "version %8u", &version) == 1 &&
	             make(version, expected) == count &&
	             memcmp(found, expected, count) == 0;
	tally_check(whole, "%zu bytes of version %u", count, version);
	return version;
}

static uint64_t micros(void)
{
	struct timespec now;

	must(clock_gettime(CLOCK_MONOTONIC, &now) == 0, "clock");
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

/* Lets a process write from a version on, kills it and returns the last one. */
static unsigned kill_one(unsigned last)
{
	int status;
	unsigned seen = last;
	uint64_t seed = random_below(SIZE_MAX);
	atomic_store(written, last);
	pid_t writer = fork();

	must(writer >= 0, "fork");
	if (writer == 0)
		write_versions(last + 1, seed);
	/* On a busy machine a new process waits longer than it then lives. */
	uint64_t patience = micros() + MOST_PATIENCE_MICROS;
	while (atomic_load(written) == last && micros() < patience)
		sched_yield();
	uint64_t end = micros() + random_below(MOST_MICROS);
	while (micros() < end) {
		unsigned version = read_version();
		tally_check(version >= seen, "%u after %u", version, seen);
		seen = version;
	}
	must(kill(writer, SIGKILL) == 0, "kill");
	must(waitpid(writer, &status, 0) == writer, "waitpid");
	tally_check(WIFSIGNALED(status), "the writer ended with %x", status);
	unsigned version = read_version();
	unsigned told = atomic_load(written);
	tally_check(version == told || version == told + 1,
	            "%u is there, %u was written", version, told);
	return version;
}

static bool is_temp_name(const char *name)
{
	size_t prefix = sizeof F2_TEMP_PREFIX - 1;

	return strncmp(name, F2_TEMP_PREFIX, prefix) == 0 &&
	       strspn(name + prefix, "0123456789abcdef") == 16 &&
	       strcmp(name + prefix + 16, F2_TEMP_SUFFIX) == 0;
}

/* Removes what the killed ones have left. Returns how many files that are. */
static unsigned remove_leftovers(void)
{
	unsigned count = 0;
	DIR *directory = opendir(folder);

	must(directory != NULL, folder);
	for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
		if (entry->d_type != DT_REG ||
		    strcmp(entry->d_name, "file") == 0)
			continue;
		tally_check(is_temp_name(entry->d_name), "%s is left",
		            entry->d_name);
		must(unlinkat(dirfd(directory), entry->d_name, 0) == 0,
		     entry->d_name);
		count++;
	}
	must(closedir(directory) == 0, folder);
	return count;
}

int main(int argc, char **argv)
{
	must(argc == 2, "usage: kill_test FOLDER");
	snprintf(folder, sizeof folder, "%s/kill-test-XXXXXX", argv[1]);
	must(mkdtemp(folder) != NULL, folder);
	snprintf(path, sizeof path, "%s/file", folder);
	written = mmap(NULL, sizeof *written, PROT_READ | PROT_WRITE,
	               MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	must(written != MAP_FAILED, "mmap");
	tally_begin();

	size_t count = make(0, expected);
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0644);
	must(fd >= 0 && write(fd, expected, count) == (ssize_t)count &&
	             close(fd) == 0,
	     path);
	unsigned last = 0;
	for (unsigned i = 0; i < KILLS; i++) {
		tally_case("kill %u", i);
		last = kill_one(last);
	}
	tally_case("leftovers");
	tally_check(remove_leftovers() > 0, "no kill came within a write");
	must(unlink(path) == 0 && rmdir(folder) == 0, folder);
	return tally_end();
}
