/*
 * The portable kernels: plain C that handles 4 or 8 units in one 64-bit word
 * where they are alike, and one by one where they are not.
 */
#include "kernels.h"
#include "kernels_base64.h"

#include <string.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the encoder kernels are written for little-endian processors"
#endif

/* One bit pattern in each of the eight bytes or four units of a word. */
static const uint64_t EACH_BYTE = 0x0101010101010101;
static const uint64_t EACH_UNIT = 0x0001000100010001;

/* Loads go through memcpy: sources may have any alignment. */
static uint64_t load64(const void *src)
{
	uint64_t word;
	memcpy(&word, src, sizeof word);
	return word;
}

static void store64(uint8_t *dst, uint64_t word)
{
	memcpy(dst, &word, sizeof word);
}

static void store32(uint8_t *dst, uint32_t word)
{
	memcpy(dst, &word, sizeof word);
}

static void store16(uint8_t *dst, uint32_t word)
{
	uint16_t low = (uint16_t)word;
	memcpy(dst, &low, sizeof low);
}

/* The two UTF-8 bytes of 0x80..0x7ff, the first one lowest. */
static uint32_t two_bytes(uint32_t c)
{
	return 0x80c0 | c >> 6 | (c & 0x3f) << 8;
}

/* The three UTF-8 bytes of 0x800..0xffff, the first one lowest. */
static uint32_t three_bytes(uint32_t c)
{
	return 0x8080e0 | c >> 12 | (c >> 6 & 0x3f) << 8 | (c & 0x3f) << 16;
}

/* The four UTF-8 bytes of a surrogate pair, the first one lowest. */
static uint32_t four_bytes(uint32_t high, uint32_t low)
{
	uint32_t c = 0x10000 + ((high & 0x3ff) << 10 | (low & 0x3ff));
	return 0x808080f0 | c >> 18 | (c >> 12 & 0x3f) << 8 |
	       (c >> 6 & 0x3f) << 16 | (c & 0x3f) << 24;
}

static bool is_surrogate(uint32_t unit)
{
	return (unit & 0xf800) == 0xd800;
}

/* Whether src[i] is a high surrogate and src[i + 1] its partner. */
static bool is_pair(const uint16_t *src, size_t n, size_t i)
{
	return (src[i] & 0xfc00) == 0xd800 && n - i > 1 &&
	       (src[i + 1] & 0xfc00) == 0xdc00;
}

static size_t latin1_to_utf8(uint8_t *dst, const uint8_t *src, size_t n)
{
	const uint64_t accents = 0x80 * EACH_BYTE;
	uint8_t *out = dst;
	size_t i = 0;

	while (n - i >= 8) {
		uint64_t word = load64(src + i);
		store64(out, word);
		word &= accents;
		size_t plain = 8;
		if (word != 0)
			plain = (size_t)__builtin_ctzll(word) / 8;
		out += plain;
		i += plain;
		while (i < n && src[i] >= 0x80) {
			store16(out, two_bytes(src[i++]));
			out += 2;
		}
	}
	while (i < n) {
		uint32_t c = src[i++];
		if (c < 0x80) {
			*out++ = (uint8_t)c;
		} else {
			store16(out, two_bytes(c));
			out += 2;
		}
	}
	return (size_t)(out - dst);
}

static size_t latin1_utf8_length(const uint8_t *src, size_t n)
{
	size_t length = n;
	size_t i = 0;

	for (; n - i >= 8; i += 8) {
		/* The product's top byte is the sum of the eight bytes. */
		uint64_t accents = load64(src + i) >> 7 & EACH_BYTE;
		length += (size_t)(accents * EACH_BYTE >> 56);
	}
	for (; i < n; i++)
		length += src[i] >> 7;
	return length;
}

static size_t latin1_ascii_prefix(const uint8_t *src, size_t n)
{
	size_t i = 0;

	for (; n - i >= 8; i += 8) {
		uint64_t accents = load64(src + i) & 0x80 * EACH_BYTE;
		if (accents != 0)
			return i + (size_t)__builtin_ctzll(accents) / 8;
	}
	while (i < n && src[i] < 0x80)
		i++;
	return i;
}

static void latin1_to_utf16(uint8_t *restrict dst, const uint8_t *restrict src,
                            size_t n)
{
	for (size_t i = 0; i < n; i++) {
		dst[2 * i] = src[i];
		dst[2 * i + 1] = 0;
	}
}

/* Whether no lane of word is zero. Only the top 5 bits of a lane may be set. */
static bool every_lane_set(uint64_t word)
{
	/* After the shift a set lane is 0x400..0x7c00, so that adding 0x7c00
	 * sets its top bit and never carries into the next lane. */
	uint64_t sum = (word >> 1) + 0x7c00 * EACH_UNIT;
	return (~sum & 0x8000 * EACH_UNIT) == 0;
}

static bool all_two_bytes(uint64_t word)
{
	if ((word & 0xf800 * EACH_UNIT) != 0)
		return false;
	uint64_t sum = word + 0x7f80 * EACH_UNIT;
	return (~sum & 0x8000 * EACH_UNIT) == 0;
}

static bool all_three_bytes(uint64_t word)
{
	uint64_t top = word & 0xf800 * EACH_UNIT;
	return every_lane_set(top) && every_lane_set(top ^ 0xd800 * EACH_UNIT);
}

static bool all_ascii(const uint16_t *src)
{
	uint64_t both = load64(src) | load64(src + 4);
	return (both & 0xff80 * EACH_UNIT) == 0;
}

static size_t utf16_to_utf8(uint8_t *restrict dst, const uint16_t *restrict src,
                            size_t n, size_t *lone)
{
	uint8_t *out = dst;
	size_t i = 0;

	while (i < n) {
		while (n - i >= 8 && all_ascii(src + i)) {
			for (size_t k = 0; k < 8; k++)
				out[k] = (uint8_t)src[i + k];
			out += 8;
			i += 8;
		}
		while (n - i >= 4) {
			uint64_t word = load64(src + i);
			if (all_two_bytes(word)) {
				store64(out,
				        0x80c0 * EACH_UNIT |
				                (word >> 6 & 0x1f * EACH_UNIT) |
				                (word & 0x3f * EACH_UNIT) << 8);
				out += 8;
			} else if (all_three_bytes(word)) {
				/* Each store ends in a byte that the next one
				 * replaces. */
				for (size_t k = 0; k < 4; k++) {
					store32(out, three_bytes(src[i + k]));
					out += 3;
				}
			} else {
				break;
			}
			i += 4;
		}
		size_t stop = n - i > 4 ? i + 4 : n;
		while (i < stop) {
			uint32_t unit = src[i];
			if (unit < 0x80) {
				*out++ = (uint8_t)unit;
			} else if (unit < 0x800) {
				store16(out, two_bytes(unit));
				out += 2;
			} else if (!is_surrogate(unit)) {
				store32(out, three_bytes(unit));
				out += 3;
			} else if (is_pair(src, n, i)) {
				store32(out, four_bytes(unit, src[++i]));
				out += 4;
				/* Pairs come in runs: stay here for the
				 * next. */
				stop = n - i > 2 ? i + 3 : n;
			} else if (lone == NULL) {
				store32(out, three_bytes(0xfffd));
				out += 3;
			} else {
				*lone = i;
				return (size_t)(out - dst);
			}
			i++;
		}
	}
	if (lone != NULL)
		*lone = n;
	return (size_t)(out - dst);
}

static size_t utf16_utf8_length(const uint16_t *src, size_t n, size_t *lone)
{
	size_t length = 0;
	size_t first_lone = n;
	size_t i = 0;

	while (i < n) {
		if (n - i >= 8 && all_ascii(src + i)) {
			length += 8;
			i += 8;
			continue;
		}
		size_t stop = n - i > 8 ? i + 8 : n;
		for (; i < stop; i++) {
			uint32_t unit = src[i];
			length += 1U + (unit >= 0x80) + (unit >= 0x800);
			if (!is_surrogate(unit))
				continue;
			/* A pair makes 4 bytes: 1 more than one of its halves
			 * was counted with. */
			if (is_pair(src, n, i)) {
				length++;
				i++;
			} else if (first_lone == n) {
				first_lone = i;
			}
		}
	}
	if (lone != NULL)
		*lone = first_lone;
	return length;
}

static size_t utf16_prefix(const uint16_t *src, size_t n, uint16_t limit)
{
	const uint64_t above = (uint64_t)(uint16_t)~limit * EACH_UNIT;
	size_t i = 0;

	while (n - i >= 4 && (load64(src + i) & above) == 0)
		i += 4;
	while (i < n && src[i] <= limit)
		i++;
	return i;
}

static void utf16_to_latin1(uint8_t *restrict dst, const uint16_t *restrict src,
                            size_t n)
{
	size_t i = 0;

	/* A fixed count, so that the compiler turns it into one pack. */
	for (; n - i >= 8; i += 8) {
		for (size_t k = 0; k < 8; k++)
			dst[i + k] = (uint8_t)src[i + k];
	}
	for (; i < n; i++)
		dst[i] = (uint8_t)src[i];
}

/* The value of a hex digit plus DIGIT; 0 for all other characters. */
enum { DIGIT = 0x10 };

/* clang-format off */
static const uint8_t hex_values[256] = {
	['0'] = 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 0x19,
	['A'] = 0x1a, 0x1b, 0x1c, 0x1d, 0x1e, 0x1f,
	['a'] = 0x1a, 0x1b, 0x1c, 0x1d, 0x1e, 0x1f,
};
/* clang-format on */

static size_t hex_decode(uint8_t *dst, const uint8_t *src, size_t n)
{
	size_t pairs = n / 2;

	for (size_t i = 0; i < pairs; i++) {
		uint32_t high = hex_values[src[2 * i]];
		uint32_t low = hex_values[src[2 * i + 1]];
		if ((high & low & DIGIT) == 0)
			return i;
		dst[i] = (uint8_t)(high << 4 | (low & 0xf));
	}
	return pairs;
}

const struct f2_kernels f2_kernels_scalar = {
        .name = "scalar",
        .latin1_to_utf8 = latin1_to_utf8,
        .latin1_utf8_length = latin1_utf8_length,
        .latin1_ascii_prefix = latin1_ascii_prefix,
        .latin1_to_utf16 = latin1_to_utf16,
        .utf16_to_utf8 = utf16_to_utf8,
        .utf16_utf8_length = utf16_utf8_length,
        .utf16_prefix = utf16_prefix,
        .utf16_to_latin1 = utf16_to_latin1,
        .base64_decode = f2_scalar_base64_decode,
        .base64_check = f2_scalar_base64_check,
        .hex_decode = hex_decode,
};
