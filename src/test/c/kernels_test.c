/*
 * Runs every kernel variant that this processor has through the same tests.
 *
 *   FILES2_TEST_SEED    the seed of the random texts, a number
 *   FILES2_TEST_ROUNDS  per cent of the usual number of random texts
 */
#include "kernels_test.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct guarded source;
struct guarded target;

static uint64_t random_state;
static size_t rounds_percent = 100;

bool fail(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	printf("    ");
	vprintf(format, arguments);
	printf("\n");
	va_end(arguments);
	return false;
}

bool same_bytes(const char *what, const uint8_t *expected, size_t expected_n,
                const uint8_t *actual, size_t actual_n)
{
	size_t shorter = expected_n < actual_n ? expected_n : actual_n;

	if (expected_n == actual_n && memcmp(expected, actual, actual_n) == 0)
		return true;
	for (size_t i = 0; i < shorter; i++) {
		if (expected[i] != actual[i])
			return fail("%s: byte %zu is %02x, not %02x", what, i,
			            (unsigned)actual[i], (unsigned)expected[i]);
	}
	if (expected_n != actual_n)
		return fail("%s: %zu bytes, not %zu", what, actual_n,
		            expected_n);
	return true;
}

size_t random_below(size_t limit)
{
	/* splitmix64 */
	random_state += 0x9e3779b97f4a7c15;
	uint64_t z = random_state;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return (size_t)((z ^ z >> 31) % limit);
}

size_t scaled(size_t rounds)
{
	return rounds * rounds_percent / 100 + 1;
}

/* A number of the environment, or otherwise. */
static uint64_t number_of(const char *variable, uint64_t otherwise)
{
	const char *text = getenv(variable);
	if (text == NULL || *text == '\0')
		return otherwise;
	char *end;
	uint64_t number = strtoull(text, &end, 0);
	if (*end != '\0') {
		fprintf(stderr, "%s: not a number: %s\n", variable, text);
		exit(2);
	}
	return number;
}

static bool pick_findsVariants(void)
{
	const struct f2_kernels *best = f2_kernels_pick(NULL);

	if (best == NULL)
		return fail("no variant at all");
	if (f2_kernels_pick(best->name) != best)
		return fail("%s is not found by its name", best->name);
	if (f2_kernels_pick("scalar") != &f2_kernels_scalar)
		return fail("scalar is not found");
	if (f2_kernels_pick("sse2") != NULL || f2_kernels_pick("") != NULL)
		return fail("an unknown name is found");
	return true;
}

int main(void)
{
	static const char *const variants[] = {"scalar", "avx2", "avx512"};
	static const struct kernel_test *const suites[] = {
	        utf16_tests, latin1_tests, base64_tests, hex_tests};
	uint64_t seed = number_of("FILES2_TEST_SEED",
	                          (uint64_t)time(NULL) * 2654435761);
	size_t passed = 0;
	size_t failed = 0;

	/* What was printed must not be lost when a guard page is hit. */
	setvbuf(stdout, NULL, _IOLBF, 0);
	rounds_percent = (size_t)number_of("FILES2_TEST_ROUNDS", 100);
	printf("FILES2_TEST_SEED=%llu\n", (unsigned long long)seed);
	source = guarded_map(MAX_TEXT);
	target = guarded_map(3 * MAX_TEXT + F2_SLACK);

	if (pick_findsVariants())
		passed++;
	else
		failed++;
	for (size_t v = 0; v < sizeof variants / sizeof variants[0]; v++) {
		const struct f2_kernels *kernels = f2_kernels_pick(variants[v]);
		if (kernels == NULL) {
			printf("%s: skipped, this processor lacks it\n",
			       variants[v]);
			continue;
		}
		if (strcmp(kernels->name, variants[v]) != 0) {
			failed++;
			fail("%s calls itself %s", variants[v], kernels->name);
		}
		for (size_t s = 0; s < sizeof suites / sizeof suites[0]; s++) {
			for (const struct kernel_test *test = suites[s];
			     test->name != NULL; test++) {
				random_state = seed;
				bool ok = test->run(kernels);
				printf("%s: %s %s\n", variants[v], test->name,
				       ok ? "ok" : "FAILED");
				passed += ok;
				failed += !ok;
			}
		}
	}
	printf("%zu passed, %zu failed\n", passed, failed);
	return failed == 0 ? 0 : 1;
}
