/* Hex pairs to bytes. */
#include "kernels_test.h"
#include "naive.h"

#include <string.h>

static uint8_t expected[MAX_TEXT / 2];
static uint8_t text[MAX_TEXT];

/* Decode flush against both guard pages, with n / 2 bytes of room. */
static bool decodes(const struct f2_kernels *kernels, size_t n)
{
	size_t expected_n = naive_hex_decode(expected, text, n);
	uint8_t *dst = guarded_tail(&target, n / 2);

	memcpy(source.start, text, n);
	size_t made = kernels->hex_decode(dst, source.start, n);
	if (!same_bytes("hex", expected, expected_n, dst, made))
		return fail("of %zu digits", n);
	made = kernels->hex_decode(dst, guarded_copy(&source, text, n), n);
	if (!same_bytes("hex", expected, expected_n, dst, made))
		return fail("of the last %zu digits", n);
	memset(source.start, 0x55, n / 2 + 2);
	kernels->hex_decode(source.start + 1, text, n);
	if (source.start[0] != 0x55 || source.start[n / 2 + 1] != 0x55)
		return fail("wrote beside %zu bytes", n / 2);
	return true;
}

static void random_digits(size_t n)
{
	for (size_t i = 0; i < n; i++)
		text[i] = (uint8_t) "0123456789abcdefABCDEF"[random_below(22)];
}

static bool everyValue_everyPosition(const struct f2_kernels *kernels)
{
	random_digits(300);
	for (size_t at = 0; at < 300; at++) {
		uint8_t before = text[at];
		for (unsigned c = 0; c < 256; c++) {
			text[at] = (uint8_t)c;
			if (!decodes(kernels, 300))
				return fail("%02x at %zu", c, at);
		}
		text[at] = before;
	}
	return true;
}

static bool everyLength_allBytes(const struct f2_kernels *kernels)
{
	for (size_t n = 0; n <= 600; n++) {
		random_digits(n);
		if (!decodes(kernels, n))
			return false;
	}
	for (size_t i = 0; i < 256; i++) {
		text[2 * i] = (uint8_t) "0123456789abcdef"[i / 16];
		text[2 * i + 1] = (uint8_t) "0123456789ABCDEF"[i % 16];
	}
	return decodes(kernels, 512);
}

static bool randomTexts(const struct f2_kernels *kernels)
{
	for (size_t round = 0; round < scaled(5000); round++) {
		size_t n = 1 + random_below(round % 100 == 0 ? 20000 : 500);
		random_digits(n);
		for (size_t bad = random_below(3); bad > 0; bad--)
			text[random_below(n)] = (uint8_t)random_below(256);
		if (!decodes(kernels, n))
			return fail("round %zu", round);
	}
	return true;
}

static bool goldenVectors(const struct f2_kernels *kernels)
{
	static const char *const vectors[][2] = {
	        {"", ""},
	        {"a", ""},
	        {"abc", "\xab"},
	        {"abcg", "\xab"},
	        {"abxxcd", "\xab"},
	        {"xxab", ""},
	        {"0xab", ""},
	        {" ab", ""},
	        {"ab cd", "\xab"},
	        {"ab\n", "\xab"},
	        {"AbCd", "\xab\xcd"},
	};

	for (size_t v = 0; v < sizeof vectors / sizeof vectors[0]; v++) {
		const char *digits = vectors[v][0];
		const char *bytes = vectors[v][1];
		uint8_t *dst = guarded_tail(&target, strlen(digits) / 2);
		size_t made = kernels->hex_decode(dst, (const uint8_t *)digits,
		                                  strlen(digits));
		if (!same_bytes(digits, (const uint8_t *)bytes, strlen(bytes),
		                dst, made))
			return false;
	}
	return true;
}

const struct kernel_test hex_tests[] = {
        {"hex golden vectors", goldenVectors},
        {"hex every value, every position", everyValue_everyPosition},
        {"hex every length, all bytes", everyLength_allBytes},
        {"hex random texts", randomTexts},
        {NULL, NULL},
};
