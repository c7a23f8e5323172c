/* Portable base64: four lookups join four characters to three bytes. */
#include "kernels_base64.h"

#include "kernels_tables.h"

#include <string.h>

/* The value of a symbol; F2_NO_SYMBOL >> 16 for all other characters. */
enum { NO_VALUE = F2_NO_SYMBOL >> 16 };

static uint32_t value_of(uint8_t c)
{
	/* At the last place a symbol adds nothing but its value. */
	return f2_base64_places[3][c] >> 16;
}

/* Store the three bytes of 24 bits, the highest first. */
static uint8_t *put_group(uint8_t *out, uint32_t bits)
{
	out[0] = (uint8_t)(bits >> 16);
	out[1] = (uint8_t)(bits >> 8);
	out[2] = (uint8_t)bits;
	return out + 3;
}

/* The three bytes of four characters, the first lowest; F2_NO_SYMBOL or more
 * unless all are symbols. */
static uint32_t group_of(const uint8_t *src)
{
	return f2_base64_places[0][src[0]] | f2_base64_places[1][src[1]] |
	       f2_base64_places[2][src[2]] | f2_base64_places[3][src[3]];
}

/* Decode groups of four while all of their characters are symbols. Returns how
 * many characters it took. */
static size_t groups(uint8_t *restrict dst, const uint8_t *restrict src,
                     size_t n)
{
	size_t i = 0;

	for (; n - i >= 4; i += 4) {
		uint32_t group = group_of(src + i);
		if (group >= F2_NO_SYMBOL)
			break;
		/* The fourth byte is for the next group to replace. */
		memcpy(dst, &group, sizeof group);
		dst += 3;
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
		uint32_t value = value_of(src[i]);
		state->ended = src[i] == '=';
		i++;
		if (value == NO_VALUE)
			continue;
		bits = bits << 6 | value;
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

	while (n - i >= 4 && group_of(src + i) < F2_NO_SYMBOL)
		i += 4;
	while (i < n && value_of(src[i]) != NO_VALUE)
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

/* How many characters are whole lines like the one that ends at src[i]: of
 * length symbols and the same line end of end bytes. With the length known, one
 * line need not wait for the last one's to be found. */
static size_t same_lines(f2_symbol_prefix *symbol_prefix, const uint8_t *src,
                         size_t n, size_t i, size_t length, size_t end)
{
	const uint8_t *line_end = src + i - end;
	size_t from = i;

	while (n - i > length + end &&
	       symbol_prefix(src + i, length) == length &&
	       src[i + length] == line_end[0] &&
	       src[i + length + end - 1] == line_end[end - 1])
		i += length + end;
	return i - from;
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
		size_t line_end = i;
		while (i < n && is_white(src[i]))
			i++;
		size_t end = i - line_end;
		if (taken % 4 == 0 && (end == 1 || end == 2)) {
			size_t more = same_lines(symbol_prefix, src, n, i,
			                         taken, end);
			i += more;
			state->symbols += more / (taken + end) * taken;
		}
		if (i < n && value_of(src[i]) == NO_VALUE && !is_white(src[i]))
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
