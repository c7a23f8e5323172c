/* Any units: UTF-8 in both modes, its length, prefixes and low bytes. */
#include "fuzz.h"
#include "naive.h"

#include <string.h>

static size_t naive_prefix(const uint16_t *src, size_t n, uint16_t limit)
{
	size_t i = 0;

	while (i < n && src[i] <= limit)
		i++;
	return i;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t expected[3 * FUZZ_MAX_BYTES];
	static uint16_t units[FUZZ_MAX_BYTES / 2];
	const struct f2_kernels *kernels;
	size_t n = size / 2;
	size_t expected_lone;
	size_t before_lone;

	if (size > FUZZ_MAX_BYTES)
		return 0;
	memcpy(units, data, 2 * n);
	for (size_t v = 0; (kernels = fuzz_variant(v)) != NULL; v++) {
		const uint16_t *src =
		        (const void *)guarded_copy(&fuzz_source, units, 2 * n);
		uint8_t *dst = guarded_tail(&fuzz_target, 3 * n + F2_SLACK);
		size_t expected_n = naive_utf16_to_utf8(
		        expected, src, n, &expected_lone, &before_lone);
		size_t lone = n + 1;

		size_t made = kernels->utf16_to_utf8(dst, src, n, NULL);
		fuzz_same(expected, expected_n, dst, made, kernels, "replace");
		made = kernels->utf16_to_utf8(dst, src, n, &lone);
		fuzz_same(expected, before_lone, dst, made, kernels, "report");
		fuzz_require(lone == expected_lone, kernels, "lone");
		made = kernels->utf16_utf8_length(src, n, &lone);
		fuzz_require(made == expected_n, kernels, "length");
		fuzz_require(lone == expected_lone, kernels, "lone of length");
		fuzz_require(kernels->utf16_prefix(src, n, 0x7f) ==
		                     naive_prefix(src, n, 0x7f),
		             kernels, "ASCII prefix");
		fuzz_require(kernels->utf16_prefix(src, n, 0xff) ==
		                     naive_prefix(src, n, 0xff),
		             kernels, "Latin-1 prefix");

		for (size_t i = 0; i < n; i++)
			expected[i] = (uint8_t)(src[i] & 0xff);
		dst = guarded_tail(&fuzz_target, n);
		kernels->utf16_to_latin1(dst, src, n);
		fuzz_same(expected, n, dst, n, kernels, "low bytes");
	}
	return 0;
}
