/* Any bytes as hex digits. */
#include "fuzz.h"
#include "naive.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t expected[FUZZ_MAX_BYTES / 2];
	const struct f2_kernels *kernels;

	if (size > FUZZ_MAX_BYTES)
		return 0;
	for (size_t v = 0; (kernels = fuzz_variant(v)) != NULL; v++) {
		const uint8_t *src = guarded_copy(&fuzz_source, data, size);
		uint8_t *dst = guarded_tail(&fuzz_target, size / 2);
		size_t expected_n = naive_hex_decode(expected, src, size);
		size_t made = kernels->hex_decode(dst, src, size);
		fuzz_same(expected, expected_n, dst, made, kernels, "hex");
	}
	return 0;
}
