/* Any bytes as Latin-1: UTF-8, its length, the prefix, UTF-16. */
#include "fuzz.h"
#include "naive.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t expected[2 * FUZZ_MAX_BYTES];
	const struct f2_kernels *kernels;

	if (size > FUZZ_MAX_BYTES)
		return 0;
	for (size_t v = 0; (kernels = fuzz_variant(v)) != NULL; v++) {
		const uint8_t *src = guarded_copy(&fuzz_source, data, size);
		uint8_t *dst = guarded_tail(&fuzz_target, 2 * size + F2_SLACK);
		size_t expected_n = naive_latin1_to_utf8(expected, src, size);
		size_t ascii = 0;

		size_t made = kernels->latin1_to_utf8(dst, src, size);
		fuzz_same(expected, expected_n, dst, made, kernels, "utf8");
		made = kernels->latin1_utf8_length(src, size);
		fuzz_require(made == expected_n, kernels, "length");
		while (ascii < size && src[ascii] < 0x80)
			ascii++;
		fuzz_require(kernels->latin1_ascii_prefix(src, size) == ascii,
		             kernels, "prefix");

		for (size_t i = 0; i < size; i++) {
			expected[2 * i] = src[i];
			expected[2 * i + 1] = 0;
		}
		dst = guarded_tail(&fuzz_target, 2 * size);
		kernels->latin1_to_utf16(dst, src, size);
		fuzz_same(expected, 2 * size, dst, 2 * size, kernels, "utf16");
	}
	return 0;
}
