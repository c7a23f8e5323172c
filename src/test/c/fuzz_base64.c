/* Any bytes as base64, in up to three pieces; the first four bytes of the input
 * say where it is cut. */
#include "fuzz.h"
#include "naive.h"

#include <string.h>

static void try_pieces(const struct f2_kernels *kernels, const uint8_t *text,
                       size_t n, const size_t *ends)
{
	static uint8_t expected[FUZZ_MAX_BYTES];
	static uint8_t whole[FUZZ_MAX_BYTES];
	struct f2_base64 decoder = {0};
	struct f2_base64_check checker = {0};
	uint64_t symbols;
	size_t expected_n = naive_base64_decode(expected, text, n);
	int64_t expected_fault = naive_base64_check(text, n, &symbols);
	int64_t fault = -1;
	size_t made = 0;
	size_t from = 0;

	for (size_t piece = 0; piece < 3; piece++) {
		bool last = piece == 2;
		size_t count = ends[piece] - from;
		const uint8_t *src =
		        guarded_copy(&fuzz_source, text + from, count);
		uint8_t *dst = guarded_tail(&fuzz_target,
		                            3 * (count / 4) + 4 + F2_SLACK);
		size_t part =
		        kernels->base64_decode(&decoder, dst, src, count, last);
		fuzz_require(part <= 3 * (count / 4) + 4, kernels, "bound");
		memcpy(whole + made, dst, part);
		made += part;
		if (fault < 0)
			fault = kernels->base64_check(&checker, src, count,
			                              last);
		from = ends[piece];
	}
	fuzz_same(expected, expected_n, whole, made, kernels, "decoded");
	fuzz_require(fault == expected_fault, kernels, "fault");
	fuzz_require(fault >= 0 || checker.symbols == symbols, kernels,
	             "symbols");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct f2_kernels *kernels;

	if (size < 4 || size > FUZZ_MAX_BYTES)
		return 0;
	size_t n = size - 4;
	size_t a = (data[0] | (size_t)data[1] << 8) % (n + 1);
	size_t b = (data[2] | (size_t)data[3] << 8) % (n + 1);
	const size_t ends[3] = {a < b ? a : b, a < b ? b : a, n};
	for (size_t v = 0; (kernels = fuzz_variant(v)) != NULL; v++)
		try_pieces(kernels, data + 4, n, ends);
	return 0;
}
