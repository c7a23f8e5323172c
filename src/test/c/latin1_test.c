/* Latin-1 to UTF-8 and UTF-16, the length and the ASCII prefix. */
#include "kernels_test.h"
#include "naive.h"

#include <string.h>

enum { LENGTHS = 300 };

static uint8_t expected[2 * MAX_TEXT];
static uint8_t text[MAX_TEXT];

static bool encodes_at(const struct f2_kernels *kernels, const uint8_t *src,
                       size_t n)
{
	size_t expected_n = naive_latin1_to_utf8(expected, src, n);
	uint8_t *dst = guarded_tail(&target, 2 * n + F2_SLACK);

	size_t made = kernels->latin1_to_utf8(dst, src, n);
	if (!same_bytes("utf8", expected, expected_n, dst, made))
		return fail("of %zu characters", n);
	size_t length = kernels->latin1_utf8_length(src, n);
	if (length != expected_n)
		return fail("length %zu, not %zu", length, expected_n);

	for (size_t i = 0; i < n; i++) {
		expected[2 * i] = src[i];
		expected[2 * i + 1] = 0;
	}
	dst = guarded_tail(&target, 2 * n);
	kernels->latin1_to_utf16(dst, src, n);
	return same_bytes("utf16", expected, 2 * n, dst, 2 * n);
}

/* Flush against the guard page behind and the one before. */
static bool encodes(const struct f2_kernels *kernels, const uint8_t *src,
                    size_t n)
{
	memcpy(source.start, src, n);
	return encodes_at(kernels, source.start, n) &&
	       encodes_at(kernels, guarded_copy(&source, src, n), n);
}

/* One accent, or one run of accents, everywhere in ASCII and the reverse. */
static bool accents_everywhere(const struct f2_kernels *kernels)
{
	for (size_t n = 0; n <= LENGTHS; n++) {
		for (size_t at = 0; at <= n; at++) {
			for (int inverted = 0; inverted < 2; inverted++) {
				size_t run = 1 + (n + at) % 9;
				for (size_t i = 0; i < n; i++) {
					bool inside = i >= at && i < at + run;
					text[i] = inside != (inverted == 1)
					                  ? (uint8_t)(0x80 + i)
					                  : (uint8_t)(i % 0x80);
				}
				if (!encodes(kernels, text, n))
					return fail("accents at %zu of %zu", at,
					            n);
			}
		}
	}
	return true;
}

static bool everyValue_everyPosition(const struct f2_kernels *kernels)
{
	memset(text, 'x', 140);
	for (size_t at = 0; at < 140; at++) {
		for (unsigned c = 0; c < 256; c++) {
			text[at] = (uint8_t)c;
			if (!encodes(kernels, text, 140))
				return fail("%02x at %zu", c, at);
		}
		text[at] = 'x';
	}
	return true;
}

static size_t random_text(size_t limit)
{
	size_t n = 1 + random_below(limit);
	size_t accents_percent = random_below(101);

	for (size_t i = 0; i < n; i++)
		text[i] = (uint8_t)(random_below(0x80) +
		                    (random_below(100) < accents_percent ? 0x80
		                                                         : 0));
	return n;
}

static bool randomTexts(const struct f2_kernels *kernels)
{
	for (size_t round = 0; round < scaled(10000); round++) {
		size_t n = random_text(round % 100 == 0 ? 20000 : 500);
		if (!encodes(kernels, text, n))
			return fail("round %zu", round);
	}
	return true;
}

static bool everyAlignment(const struct f2_kernels *kernels)
{
	for (size_t round = 0; round < scaled(30); round++) {
		size_t n = random_text(700);
		for (size_t shift = 0; shift < 64; shift++) {
			memcpy(source.start + shift, text, n);
			if (!encodes_at(kernels, source.start + shift, n))
				return fail("shifted by %zu", shift);
		}
	}
	return true;
}

static bool asciiPrefix_everyPosition(const struct f2_kernels *kernels)
{
	for (size_t n = 0; n <= 2 * LENGTHS; n++) {
		uint8_t *src = guarded_tail(&source, n);
		for (size_t i = 0; i < n; i++)
			src[i] = (uint8_t)(i % 0x80);
		for (size_t at = n + 1; at-- > 0;) {
			/* Those set before lie behind: the first counts. */
			if (at < n)
				src[at] = (uint8_t)(0x80 + at % 0x80);
			size_t found = kernels->latin1_ascii_prefix(src, n);
			if (found != at)
				return fail("prefix %zu, not %zu, of %zu",
				            found, at, n);
		}
	}
	return true;
}

const struct kernel_test latin1_tests[] = {
        {"latin1 accents everywhere", accents_everywhere},
        {"latin1 every value, every position", everyValue_everyPosition},
        {"latin1 random texts", randomTexts},
        {"latin1 every alignment", everyAlignment},
        {"latin1 ASCII prefix, every position", asciiPrefix_everyPosition},
        {NULL, NULL},
};
