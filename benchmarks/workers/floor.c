/*
 * The worker that makes the system calls and nothing else, of bytes that lie
 * ready; CompareWorker.java tells what a worker does.
 *
 *   floor FOLDER
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

enum { MOST_BYTES = 32 * 1024 * 1024, PATH_BYTES = 1000, MOST_THREADS = 8 };

struct thread {
	pthread_t id;
	char file[PATH_BYTES + 40];
	long count;
	int fd;
};

static const char *folder;
static struct thread threads[MOST_THREADS];
static unsigned thread_count;
static uint8_t *bytes;
static size_t byte_count;
static uint8_t block[64 * 1024];
static void (*work)(struct thread *thread, long i);
static bool grows;

static void must(bool ok, const char *what)
{
	if (!ok) {
		perror(what);
		exit(1);
	}
}

static void write_all(int fd)
{
	size_t done = 0;

	while (done < byte_count) {
		ssize_t taken = write(fd, bytes + done, byte_count - done);
		must(taken > 0, "write");
		done += (size_t)taken;
	}
}

/* In place, as the native lanes do: what is too long would be cut. */
static void write_in_place(const struct thread *thread, bool syncs)
{
	struct stat old;
	int fd = open(thread->file, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);

	must(fd >= 0 && fstat(fd, &old) == 0, thread->file);
	write_all(fd);
	if (old.st_size > (off_t)byte_count)
		must(ftruncate(fd, (off_t)byte_count) == 0, "ftruncate");
	if (syncs)
		must(fsync(fd) == 0, "fsync");
	must(close(fd) == 0, "close");
}

static void overwrite(struct thread *thread, long i)
{
	(void)i;
	write_in_place(thread, false);
}

static void flush(struct thread *thread, long i)
{
	(void)i;
	write_in_place(thread, true);
}

static void create(struct thread *thread, long i)
{
	char path[PATH_BYTES + 60];
	struct stat old;

	snprintf(path, sizeof path, "%s-new%ld", thread->file, i);
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	must(fd >= 0 && fstat(fd, &old) == 0, path);
	write_all(fd);
	must(close(fd) == 0, "close");
}

static void append(struct thread *thread, long i)
{
	(void)i;
	int fd = open(thread->file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC,
	              0666);
	must(fd >= 0, thread->file);
	write_all(fd);
	must(close(fd) == 0, "close");
}

static void descriptor(struct thread *thread, long i)
{
	(void)i;
	write_all(thread->fd);
}

/* The calls that keep an old file's owner, mode and attributes, and a lock that
 * tells a live writer: AtomicTraceTest has the same list. */
static void replace(struct thread *thread, long i, bool durable)
{
	char temp[PATH_BYTES + 60];
	char names[256];
	struct stat old;

	snprintf(temp, sizeof temp, "%s/.temp-%ld", folder, i);
	int parent = -1;
	if (durable) {
		parent = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		must(parent >= 0, folder);
	}
	must(stat(thread->file, &old) == 0, thread->file);
	int fd = open(temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	must(fd >= 0 && flock(fd, LOCK_EX) == 0, temp);
	write_all(fd);
	must(fchown(fd, old.st_uid, old.st_gid) == 0, "fchown");
	must(listxattr(thread->file, names, sizeof names) >= 0 &&
	             flistxattr(fd, names, sizeof names) >= 0,
	     "listxattr");
	must(fchmod(fd, old.st_mode & 07777) == 0, "fchmod");
	if (durable)
		must(fsync(fd) == 0, "fsync");
	must(rename(temp, thread->file) == 0 && close(fd) == 0, "rename");
	if (durable)
		must(fsync(parent) == 0 && close(parent) == 0,
		     "fsync of the folder");
}

static void atomic(struct thread *thread, long i)
{
	replace(thread, i, false);
}

static void atomic_durable(struct thread *thread, long i)
{
	replace(thread, i, true);
}

static void unchanged(struct thread *thread, long i)
{
	struct stat old;
	size_t done = 0;
	(void)i;
	int fd = open(thread->file, O_RDONLY | O_CLOEXEC);

	must(fd >= 0 && fstat(fd, &old) == 0 &&
	             old.st_size == (off_t)byte_count,
	     thread->file);
	while (done < byte_count) {
		ssize_t count = read(fd, block, sizeof block);
		must(count > 0 &&
		             memcmp(block, bytes + done, (size_t)count) == 0,
		     "read");
		done += (size_t)count;
	}
	must(close(fd) == 0, "close");
}

static const struct {
	const char *name;
	void (*work)(struct thread *thread, long i);
} works[] = {{"overwrite", overwrite}, {"create", create},
             {"append", append},       {"descriptor", descriptor},
             {"base64", overwrite},    {"flush", flush},
             {"atomic", atomic},       {"atomic-durable", atomic_durable},
             {"unchanged", unchanged}};

static void copy_to(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);

	must(fd >= 0, path);
	write_all(fd);
	must(close(fd) == 0, path);
}

static void load(const char *path)
{
	struct stat found;
	int fd = open(path, O_RDONLY);

	must(fd >= 0 && fstat(fd, &found) == 0, path);
	byte_count = (size_t)found.st_size;
	free(bytes);
	bytes = malloc(byte_count + 1);
	must(bytes != NULL, "malloc");
	for (size_t done = 0; done < byte_count;) {
		ssize_t count = read(fd, bytes + done, byte_count - done);
		must(count > 0, path);
		done += (size_t)count;
	}
	must(close(fd) == 0, path);
}

static const char *begin(const char *name, const char *text_file, long count)
{
	char path[PATH_BYTES + 60];

	work = NULL;
	for (size_t i = 0; i < sizeof works / sizeof works[0]; i++)
		if (strcmp(works[i].name, name) == 0)
			work = works[i].work;
	if (work == NULL)
		return "no way to do this";
	grows = work == append || work == descriptor;
	snprintf(path, sizeof path, "%s.bytes", text_file);
	load(path);
	thread_count = (unsigned)count;
	for (unsigned t = 0; t < thread_count; t++) {
		snprintf(threads[t].file, sizeof threads[t].file, "%s/file%.0u",
		         folder, t);
		copy_to(threads[t].file);
		threads[t].fd = -1;
		if (work != descriptor)
			continue;
		threads[t].fd = open(threads[t].file, O_WRONLY | O_APPEND);
		must(threads[t].fd >= 0, threads[t].file);
	}
	return "ok";
}

static uint64_t nanos(void)
{
	struct timespec now;

	must(clock_gettime(CLOCK_MONOTONIC, &now) == 0, "clock");
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void *run_thread(void *argument)
{
	struct thread *thread = argument;

	for (long i = 0; i < thread->count; i++)
		work(thread, i);
	return NULL;
}

static uint64_t run(long count)
{
	char path[PATH_BYTES + 60];

	for (unsigned t = 0; t < thread_count; t++) {
		struct stat found;
		threads[t].count = count;
		must(stat(threads[t].file, &found) == 0, threads[t].file);
		if (grows &&
		    (size_t)found.st_size + (size_t)count * byte_count >
		            MOST_BYTES)
			must(truncate(threads[t].file, 0) == 0,
			     threads[t].file);
	}
	uint64_t start = nanos();
	for (unsigned t = 1; t < thread_count; t++)
		must(pthread_create(&threads[t].id, NULL, run_thread,
		                    &threads[t]) == 0,
		     "thread");
	run_thread(&threads[0]);
	for (unsigned t = 1; t < thread_count; t++)
		must(pthread_join(threads[t].id, NULL) == 0, "thread");
	uint64_t taken = nanos() - start;
	for (unsigned t = 0; t < thread_count && work == create; t++) {
		for (long i = 0; i < count; i++) {
			snprintf(path, sizeof path, "%s-new%ld",
			         threads[t].file, i);
			must(i == 0 ? rename(path, threads[t].file) == 0
			            : unlink(path) == 0,
			     path);
		}
	}
	return taken;
}

static const char *end(void)
{
	for (unsigned t = 0; t < thread_count; t++)
		if (threads[t].fd >= 0)
			must(close(threads[t].fd) == 0, "close");
	return "ok";
}

int main(int argc, char **argv)
{
	static char line[2 * PATH_BYTES];
	char name[40];
	char text_file[PATH_BYTES];
	long number;
	long count;

	if (argc != 2 || strlen(argv[1]) >= PATH_BYTES - 60) {
		fprintf(stderr, "usage: floor FOLDER\n");
		return 2;
	}
	folder = argv[1];
	while (fgets(line, sizeof line, stdin) != NULL) {
		if (sscanf(line, "begin\t%39s\t%999s\t%ld\t%ld", name,
		           text_file, &number, &count) == 4)
			puts(begin(name, text_file, count));
		else if (sscanf(line, "run\t%ld", &number) == 1)
			printf("%llu\n", (unsigned long long)run(number));
		else
			puts(end());
		fflush(stdout);
	}
	return 0;
}
