#include "naive.h"

/* Append the UTF-8 form of one code point. */
static uint8_t *put_code_point(uint8_t *out, uint32_t c)
{
	static const uint32_t first_beyond[] = {0x80, 0x800, 0x10000, 0x110000};
	static const uint8_t marks[] = {0x00, 0xc0, 0xe0, 0xf0};
	int continuations = 0;

	while (c >= first_beyond[continuations])
		continuations++;
	*out++ = (uint8_t)(marks[continuations] | c >> (6 * continuations));
	while (continuations-- > 0)
		*out++ = (uint8_t)(0x80 | (c >> (6 * continuations) & 0x3f));
	return out;
}

static bool is_high(uint16_t unit)
{
	return unit >= 0xd800 && unit <= 0xdbff;
}

static bool is_low(uint16_t unit)
{
	return unit >= 0xdc00 && unit <= 0xdfff;
}

size_t naive_utf16_to_utf8(uint8_t *dst, const uint16_t *src, size_t n,
                           size_t *lone, size_t *before_lone)
{
	uint8_t *out = dst;
	bool broken = false;

	*lone = n;
	for (size_t i = 0; i < n; i++) {
		uint32_t c = src[i];
		if (is_high(src[i]) && i + 1 < n && is_low(src[i + 1])) {
			c = (c - 0xd800) * 0x400 + (src[i + 1] - 0xdc00U) +
			    0x10000;
			i++;
		} else if (is_high(src[i]) || is_low(src[i])) {
			c = 0xfffd;
			if (!broken) {
				*lone = i;
				*before_lone = (size_t)(out - dst);
			}
			broken = true;
		}
		out = put_code_point(out, c);
	}
	if (!broken)
		*before_lone = (size_t)(out - dst);
	return (size_t)(out - dst);
}

size_t naive_latin1_to_utf8(uint8_t *dst, const uint8_t *src, size_t n)
{
	uint8_t *out = dst;

	for (size_t i = 0; i < n; i++)
		out = put_code_point(out, src[i]);
	return (size_t)(out - dst);
}

/* The value of a base64 character, -1 for all others. */
static int base64_value(uint8_t c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	if (c == '+' || c == '-')
		return 62;
	return c == '/' || c == '_' ? 63 : -1;
}

size_t naive_base64_decode(uint8_t *dst, const uint8_t *src, size_t n)
{
	uint32_t bits = 0;
	unsigned bit_count = 0;
	uint8_t *out = dst;

	for (size_t i = 0; i < n && src[i] != '='; i++) {
		int value = base64_value(src[i]);
		if (value < 0)
			continue;
		bits = bits << 6 | (uint32_t)value;
		bit_count += 6;
		if (bit_count >= 8) {
			bit_count -= 8;
			*out++ = (uint8_t)(bits >> bit_count);
		}
	}
	return (size_t)(out - dst);
}

static bool is_white(uint8_t c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r';
}

/* The index of the first character from i on that is not white space, or -1. */
static int64_t only_white(const uint8_t *src, size_t n, size_t i)
{
	for (; i < n; i++) {
		if (!is_white(src[i]))
			return (int64_t)i;
	}
	return -1;
}

int64_t naive_base64_check(const uint8_t *src, size_t n, uint64_t *symbols)
{
	size_t i = 0;

	*symbols = 0;
	for (;;) {
		while (i < n && is_white(src[i]))
			i++;
		if (i == n)
			return -1;
		size_t group = i;
		size_t length = 0;
		while (length < 4 && i < n && base64_value(src[i]) >= 0) {
			length++;
			i++;
		}
		*symbols += length;
		if (length == 4)
			continue;
		if (i == n)
			return length == 1 ? (int64_t)group : -1;
		if (length < 2)
			return (int64_t)i;
		if (src[i] != '=')
			return only_white(src, n, i);
		for (; length < 4; length++, i++) {
			if (i == n)
				return (int64_t)group;
			if (src[i] != '=')
				return (int64_t)i;
		}
		return only_white(src, n, i);
	}
}

static int hex_value(uint8_t c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

size_t naive_hex_decode(uint8_t *dst, const uint8_t *src, size_t n)
{
	size_t i = 0;

	for (; i < n / 2; i++) {
		int high = hex_value(src[2 * i]);
		int low = hex_value(src[2 * i + 1]);
		if (high < 0 || low < 0)
			break;
		dst[i] = (uint8_t)(high * 16 + low);
	}
	return i;
}
