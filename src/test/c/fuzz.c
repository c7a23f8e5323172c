#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct guarded fuzz_source;
struct guarded fuzz_target;

const struct f2_kernels *fuzz_variant(size_t index)
{
	static const char *const names[] = {"scalar", "avx2", "avx512"};

	if (fuzz_source.start == NULL) {
		fuzz_source = guarded_map(FUZZ_MAX_BYTES);
		fuzz_target = guarded_map(3 * FUZZ_MAX_BYTES + F2_SLACK);
	}
	/* Each variant's processor runs those before it as well. */
	if (index >= sizeof names / sizeof names[0])
		return NULL;
	return f2_kernels_pick(names[index]);
}

void fuzz_require(bool claim, const struct f2_kernels *kernels,
                  const char *message)
{
	if (claim)
		return;
	fprintf(stderr, "%s: %s\n", kernels->name, message);
	abort();
}

void fuzz_same(const uint8_t *expected, size_t expected_n,
               const uint8_t *actual, size_t actual_n,
               const struct f2_kernels *kernels, const char *message)
{
	fuzz_require(expected_n == actual_n &&
	                     memcmp(expected, actual, actual_n) == 0,
	             kernels, message);
}
