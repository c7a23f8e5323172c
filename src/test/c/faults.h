/*
 * Failing system calls: the linker sends the calls of the product and of the
 * tests here (--wrap), and a plan tells which of them fail. While faults are
 * not armed, calls go straight through.
 */
#ifndef FAULTS_H
#define FAULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum call {
	CALL_OPEN,
	CALL_STATX, /* newfstatat, too, where there is no statx */
	CALL_FSTATFS,
	CALL_FALLOCATE,
	CALL_WRITE,
	CALL_POLL,
	CALL_FTRUNCATE,
	CALL_FSYNC,
	CALL_FDATASYNC,
	CALL_CLOSE,
	CALL_FCNTL,
	CALL_COUNT
};

extern const char *const call_names[CALL_COUNT];

/* What a write does instead of failing; any other number is an errno. */
enum { FAULT_SHORT = -1, FAULT_ZERO = -2 };

/* calls number first, first + 1 ... of one kind, times of them, counted from
 * 1. */
struct fault {
	enum call call;
	unsigned first;
	unsigned times; /* 0: none */
	int error;      /* or FAULT_SHORT, FAULT_ZERO */
};

/* One call that was made. */
struct event {
	enum call call;
	int error;      /* errno of its failure, 0 for success */
	bool injected;  /* a fault of the plan */
	int64_t detail; /* open flags; bytes taken; new size; bytes reserved */
};

enum { MAX_FAULTS = 3, MAX_EVENTS = 256 };

struct faults {
	struct fault plan[MAX_FAULTS];
	/* The file system that fstatfs tells, or 0 for the real one, and its
	 * mount, or 0 for none that the kernel would name. */
	uint32_t magic;
	uint64_t mount;
	/* What statfs tells of any path, or 0 for the real one. */
	uint32_t root_magic;
	/* What a kernel without statx answers to it, or a filter; else 0. */
	int no_statx;
	/* The block size that fstatfs tells, or 0 for the real one. */
	long block_bytes;
	/* Besides the plan, one call in so many fails at random, 0 for none. */
	unsigned random_one_in;
	bool armed;

	/* What happened since faults_arm. */
	unsigned calls[CALL_COUNT];
	struct event events[MAX_EVENTS];
	size_t event_count;
	uint64_t bytes_taken;
	unsigned fired; /* faults of the plan */
};

extern struct faults faults;

/* Counts and fails from now on. */
void faults_arm(void);

/* The rest goes through; what happened stays. */
void faults_disarm(void);

#endif
