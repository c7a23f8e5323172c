/* What the tests of the write path share. */
#ifndef WRITE_TEST_H
#define WRITE_TEST_H

#include "../../main/c/files2.h"

enum { TEST_PATH_BYTES = 256 };

/* What Java gives as a chunk. */
enum { CHUNK_BYTES = 128 * 1024 };

/* The file that a test writes; it need not be there. */
extern char test_path[TEST_PATH_BYTES];

/* A result of files2.h: a count, or a fault where operation is not 0. */
struct result {
	int operation;
	int error;
	uint64_t count;
	int truncate_error;
	int close_error;
};

struct result unpack(int64_t packed);

/* How many descriptors this process has. */
size_t open_descriptors(void);

/* Bytes as a source that hands them out piece by piece. */
struct pieces {
	struct f2_source source;
	const uint8_t *bytes;
	size_t byte_count;
	size_t offset;
	size_t piece_bytes;
	unsigned handed;
	unsigned fails_at; /* the number of the piece that fails, from 1 */
	bool join_fails;
};

/* vague: the source knows only bounds, beyond a chunk, before it counts. */
void pieces_init(struct pieces *pieces, const uint8_t *bytes, size_t byte_count,
                 size_t piece_bytes, bool vague);

/* Cases that need no table: special files, real limits, odd sources. */
void run_single_cases(void);

/* The case that has to come before any other. */
void run_overlay_case(void);

#endif
