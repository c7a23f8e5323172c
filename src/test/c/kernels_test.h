/*
 * The frame of the kernel tests. A test gets one variant, returns whether it
 * behaved, and reports the first case in which it did not.
 */
#ifndef KERNELS_TEST_H
#define KERNELS_TEST_H

#include "../../main/c/kernels.h"
#include "guarded.h"

enum { MAX_TEXT = 1 << 17 }; /* bytes of the longest text of a test */

struct kernel_test {
	const char *name;
	bool (*run)(const struct f2_kernels *kernels);
};

/* Each ends with an entry without a name. */
extern const struct kernel_test utf16_tests[];
extern const struct kernel_test latin1_tests[];
extern const struct kernel_test base64_tests[];
extern const struct kernel_test hex_tests[];

/* MAX_TEXT bytes to read, and the room that the longest result may use. */
extern struct guarded source;
extern struct guarded target;

/* Print why the running test failed; returns false. */
bool fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* fail() with the place of the first difference unless the bytes are equal. */
bool same_bytes(const char *what, const uint8_t *expected, size_t expected_n,
                const uint8_t *actual, size_t actual_n);

/* A number in 0..limit-1, from the seed of this run. */
size_t random_below(size_t limit);

/* How many times a random test repeats: rounds scaled by the environment. */
size_t scaled(size_t rounds);

#endif
