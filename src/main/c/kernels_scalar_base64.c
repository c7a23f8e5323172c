/* Portable base64: table lookups, four characters to three bytes. */
#include "kernels_base64.h"

#include <string.h>

/* The value of a character of either alphabet, plus SYMBOL; 0 for all other
 * characters. */
enum { SYMBOL = 0x40 };

/* clang-format off */
static const uint8_t values[256] = {
	['A'] = 0x40, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49,
		0x4a, 0x4b, 0x4c, 0x4d, 0x4e, 0x4f, 0x50, 0x51, 0x52, 0x53,
		0x54, 0x55, 0x56, 0x57, 0x58, 0x59,
	['a'] = 0x5a, 0x5b, 0x5c, 0x5d, 0x5e, 0x5f, 0x60, 0x61, 0x62, 0x63,
		0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6a, 0x6b, 0x6c, 0x6d,
		0x6e, 0x6f, 0x70, 0x71, 0x72, 0x73,
	['0'] = 0x74, 0x75, 0x76, 0x77, 0x78, 0x79, 0x7a, 0x7b, 0x7c, 0x7d,
	['+'] = 0x7e, ['-'] = 0x7e,
	['/'] = 0x7f, ['_'] = 0x7f,
};
/* clang-format on */

/* Store the three bytes of 24 bits, the highest first. */
static uint8_t *put_group(uint8_t *out, uint32_t bits)
{
	out[0] = (uint8_t)(bits >> 16);
	out[1] = (uint8_t)(bits >> 8);
	out[2] = (uint8_t)bits;
	return out + 3;
}

/* Decode groups of four while all of their characters are symbols. Returns how
 * many characters it took. */
static size_t groups(uint8_t *restrict dst, const uint8_t *restrict src,
                     size_t n)
{
	size_t i = 0;

	for (; n - i >= 4; i += 4) {
		uint32_t a = values[src[i]];
		uint32_t b = values[src[i + 1]];
		uint32_t c = values[src[i + 2]];
		uint32_t d = values[src[i + 3]];
		if ((a & b & c & d) == 0)
			break;
		/* The SYMBOL bits fall on the bit above each value; as a sum
		 * they are one constant. */
		const uint32_t marks =
		        SYMBOL << 18 | SYMBOL << 12 | SYMBOL << 6 | SYMBOL;
		dst = put_group(dst,
		                (a << 18) + (b << 12) + (c << 6) + d - marks);
	}
	return i;
}

size_t f2_scalar_base64_decode(struct f2_base64 *state, uint8_t *dst,
                               const uint8_t *src, size_t n, bool last)
{
	uint8_t *out = dst;
	uint32_t bits = state->bits;
	uint32_t count = state->count;
	size_t i = 0;

	while (i < n && !state->ended) {
		if (count == 0) {
			size_t taken = groups(out, src + i, n - i);
			out += taken / 4 * 3;
			i += taken;
			if (i == n)
				break;
		}
		uint32_t value = values[src[i]];
		state->ended = src[i] == '=';
		i++;
		if (value == 0)
			continue;
		bits = bits << 6 | (value & 0x3f);
		if (++count == 4) {
			out = put_group(out, bits);
			bits = 0;
			count = 0;
		}
	}
	if (last) {
		if (count >= 2)
			*out++ = (uint8_t)(bits >> (6 * count - 8));
		if (count == 3)
			*out++ = (uint8_t)(bits >> 2);
		bits = 0;
		count = 0;
	}
	state->bits = bits;
	state->count = count;
	return (size_t)(out - dst);
}

size_t f2_base64_line_end(const uint8_t *src, size_t n)
{
	if (n >= 1 && src[0] == '\n')
		return 1;
	return n >= 2 && src[0] == '\r' && src[1] == '\n' ? 2 : 0;
}

size_t f2_scalar_symbol_prefix(const uint8_t *src, size_t n)
{
	size_t i = 0;

	while (n - i >= 4 && (values[src[i]] & values[src[i + 1]] &
	                      values[src[i + 2]] & values[src[i + 3]]) != 0)
		i += 4;
	while (i < n && values[src[i]] != 0)
		i++;
	return i;
}

static bool is_white(uint8_t c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r';
}

/* Whether c, which does not continue the text, may end it here: white space
 * behind an unpadded end or a whole padding, or '='. Takes it if so. */
static bool check_end(struct f2_base64_check *state, uint8_t c)
{
	uint32_t open = state->symbols & 3;

	if (is_white(c)) {
		if (open == 1 || (state->padding > 0 && !state->ended))
			return false;
		state->ended = true;
	} else {
		if (c != '=' || open < 2 || state->ended)
			return false;
		state->padding++;
		state->ended = open + state->padding == 4;
	}
	state->index++;
	return true;
}

int64_t f2_base64_check_with(f2_symbol_prefix *symbol_prefix,
                             struct f2_base64_check *state, const uint8_t *src,
                             size_t n, bool last)
{
	const uint64_t start = state->index;
	size_t i = 0;

	while (i < n && state->padding == 0 && !state->ended) {
		size_t taken = symbol_prefix(src + i, n - i);
		uint64_t open = (state->symbols + taken) & 3;
		i += taken;
		state->symbols += taken;
		if (open <= taken)
			state->group = start + i - open;
		if (open != 0)
			break;
		while (i < n && is_white(src[i]))
			i++;
		if (i < n && values[src[i]] == 0)
			break;
	}
	for (state->index = start + i; i < n; i++) {
		if (!check_end(state, src[i]))
			return (int64_t)state->index;
	}
	if (!last)
		return -1;
	bool single = (state->symbols & 3) == 1;
	bool unfinished = state->padding > 0 && !state->ended;
	return single || unfinished ? (int64_t)state->group : -1;
}

int64_t f2_scalar_base64_check(struct f2_base64_check *state,
                               const uint8_t *src, size_t n, bool last)
{
	return f2_base64_check_with(f2_scalar_symbol_prefix, state, src, n,
	                            last);
}
