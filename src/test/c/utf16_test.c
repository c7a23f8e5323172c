/* UTF-16 to UTF-8, its length, prefixes, and the low bytes. */
#include "kernels_test.h"
#include "naive.h"

#include <string.h>

enum { MAX_UNITS = MAX_TEXT / 2, LENGTHS = 150 };

static uint8_t expected[3 * MAX_UNITS];
static uint16_t text[MAX_UNITS];

/* The bound of the header, flush against the guard page. */
static uint8_t *target_for(size_t n)
{
	return guarded_tail(&target, 3 * n + F2_SLACK);
}

/* Encode src, which lies wherever the caller wants it, in both modes. */
static bool encodes_at(const struct f2_kernels *kernels, const uint16_t *src,
                       size_t n)
{
	size_t expected_lone;
	size_t before_lone;
	size_t expected_n = naive_utf16_to_utf8(expected, src, n,
	                                        &expected_lone, &before_lone);
	uint8_t *dst = target_for(n);

	size_t made = kernels->utf16_to_utf8(dst, src, n, NULL);
	if (!same_bytes("replace", expected, expected_n, dst, made))
		return fail("of %zu units", n);

	size_t lone = n + 1;
	made = kernels->utf16_to_utf8(dst, src, n, &lone);
	if (!same_bytes("report", expected, before_lone, dst, made))
		return fail("of %zu units", n);
	if (lone != expected_lone)
		return fail("report: lone at %zu, not %zu, of %zu", lone,
		            expected_lone, n);

	lone = n + 1;
	size_t length = kernels->utf16_utf8_length(src, n, &lone);
	if (length != expected_n || lone != expected_lone)
		return fail("length %zu, not %zu; lone at %zu, not %zu, of %zu",
		            length, expected_n, lone, expected_lone, n);
	if (kernels->utf16_utf8_length(src, n, NULL) != expected_n)
		return fail("length without lone, of %zu", n);
	return true;
}

/* Encode units flush against the guard page behind and the one before. */
static bool encodes(const struct f2_kernels *kernels, const uint16_t *units,
                    size_t n)
{
	memcpy(source.start, units, 2 * n);
	return encodes_at(kernels, (const void *)source.start, n) &&
	       encodes_at(kernels,
	                  (const void *)guarded_copy(&source, units, 2 * n), n);
}

static size_t put_code_point(uint16_t *units, uint32_t c)
{
	if (c < 0x10000) {
		units[0] = (uint16_t)c;
		return 1;
	}
	units[0] = (uint16_t)(0xd800 + ((c - 0x10000) >> 10));
	units[1] = (uint16_t)(0xdc00 + (c & 0x3ff));
	return 2;
}

static bool everyCodePoint_repeated(const struct f2_kernels *kernels)
{
	uint8_t one[4];
	uint16_t units[80];
	size_t lone;
	size_t before_lone;

	for (uint32_t c = 0; c < 0x110000; c++) {
		size_t width = put_code_point(units, c);
		size_t n = 40 * width;
		for (size_t i = width; i < n; i++)
			units[i] = units[i - width];
		size_t bytes = naive_utf16_to_utf8(one, units, width, &lone,
		                                   &before_lone);
		for (size_t i = 0; i < 40; i++)
			memcpy(expected + i * bytes, one, bytes);
		uint8_t *dst = target_for(n);
		const void *src = guarded_copy(&source, units, 2 * n);
		size_t made = kernels->utf16_to_utf8(dst, src, n, NULL);
		if (!same_bytes("repeated", expected, 40 * bytes, dst, made))
			return fail("of U+%04X", (unsigned)c);
		size_t length = kernels->utf16_utf8_length(src, n, NULL);
		if (length != 40 * bytes)
			return fail("length of U+%04X: %zu", (unsigned)c,
			            length);
	}
	return true;
}

/* All code points in order, cut into texts, with ASCII every so often so that
 * a block holds more than one class. */
static bool everyCodePoint_inOrder(const struct f2_kernels *kernels)
{
	for (uint32_t every = 2; every <= 7; every += 5) {
		uint32_t c = 0;
		while (c < 0x110000) {
			size_t n = 0;
			while (n < 10000 && c < 0x110000) {
				if (c % every == 0)
					text[n++] = 'x';
				n += put_code_point(text + n, c++);
			}
			if (!encodes(kernels, text, n))
				return fail("before U+%04X", (unsigned)c);
		}
	}
	return true;
}

/* One unit of each background; the emoji are pairs that begin at even
 * indices. */
static uint16_t background(size_t kind, size_t i)
{
	switch (kind) {
	case 0:
		return (uint16_t)('a' + i % 26);
	case 1:
		return (uint16_t)(0x430 + i % 32);
	case 2:
		return (uint16_t)(0x4e00 + i % 256);
	default:
		return i % 2 == 0 ? 0xd83d : (uint16_t)(0xde00 + i % 64);
	}
}

/* Every broken (and some unbroken) order of surrogates. */
static const uint16_t shapes[][4] = {
        {0xd800},
        {0xdc00},
        {0xdbff, 0xdbff},
        {0xdfff, 0xdfff},
        {0xdc00, 0xd800},
        {0xd83d, 0xde00},
        {0xd800, 0xd800, 0xdc00},
        {0xd800, 0xdc00, 0xdc00},
        {0xdc00, 0xd800, 0xdc00},
        {0xd800, 0xdc00, 0xd800},
        {0xd800, 'x', 0xdc00},
        {0xdc00, 0xdc00, 0xd800, 0xd800},
};

static bool brokenSurrogates_everywhere(const struct f2_kernels *kernels)
{
	uint16_t units[LENGTHS];

	for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
		size_t width = 1;
		while (width < 4 && shapes[s][width] != 0)
			width++;
		for (size_t kind = 0; kind < 4; kind++) {
			for (size_t n = width; n <= LENGTHS; n++) {
				for (size_t i = 0; i < n; i++)
					units[i] = background(kind, i);
				for (size_t at = 0; at + width <= n; at++) {
					memcpy(units + at, shapes[s],
					       2 * width);
					if (!encodes(kernels, units, n))
						return fail("shape %zu at %zu, "
						            "background %zu",
						            s, at, kind);
					for (size_t i = at; i < at + width; i++)
						units[i] = background(kind, i);
				}
			}
		}
	}
	return true;
}

static bool goldenVectors(const struct f2_kernels *kernels)
{
	static const struct {
		uint16_t units[4];
		size_t n;
		const char *bytes;
		const char *low;
	} vectors[] = {
	        {{'a', 0xd800, 'b'},
	         3,
	         "a\xef\xbf\xbd"
	         "b",
	         "a\0b"},
	        {{'a', 0xdc00, 'b'},
	         3,
	         "a\xef\xbf\xbd"
	         "b",
	         "a\0b"},
	        {{0xdc00, 0xd800}, 2, "\xef\xbf\xbd\xef\xbf\xbd", "\0\0"},
	        {{0xd800, 0xd800, 0xdc00},
	         3,
	         "\xef\xbf\xbd\xf0\x90\x80\x80",
	         "\0\0\0"},
	        {{'a', 'b', 0xd83d}, 3, "ab\xef\xbf\xbd", "ab\x3d"},
	        {{0xd83d, 0xdc4d}, 2, "\xf0\x9f\x91\x8d", "\x3d\x4d"},
	        {{0xffff}, 1, "\xef\xbf\xbf", "\xff"},
	        {{0xfeff}, 1, "\xef\xbb\xbf", "\xff"},
	        {{0xe9, 0x141, 0x20ac, 0xffff},
	         4,
	         "\xc3\xa9\xc5\x81\xe2\x82\xac\xef\xbf\xbf",
	         "\xe9\x41\xac\xff"},
	};

	for (size_t v = 0; v < sizeof vectors / sizeof vectors[0]; v++) {
		size_t n = vectors[v].n;
		uint8_t *dst = target_for(n);
		size_t made =
		        kernels->utf16_to_utf8(dst, vectors[v].units, n, NULL);
		if (!same_bytes("utf8", (const uint8_t *)vectors[v].bytes,
		                strlen(vectors[v].bytes), dst, made))
			return fail("of vector %zu", v);
		dst = guarded_tail(&target, n);
		kernels->utf16_to_latin1(dst, vectors[v].units, n);
		if (!same_bytes("latin1", (const uint8_t *)vectors[v].low, n,
		                dst, n))
			return fail("of vector %zu", v);
	}
	return true;
}

/* Runs of random length, of one class each. */
static size_t random_text(uint16_t *units, size_t limit)
{
	static const uint16_t edges[] = {0,      0x7f,   0x80,   0x7ff,  0x800,
	                                 0xd7ff, 0xe000, 0xfeff, 0xfffd, 0xffff,
	                                 0xd800, 0xdbff, 0xdc00, 0xdfff};
	size_t n = 1 + random_below(limit);
	size_t longest_run = 1 + random_below(60);
	size_t classes = 1 + random_below(7);
	size_t i = 0;

	while (i < n) {
		size_t class = random_below(classes);
		size_t stop = i + 1 + random_below(longest_run);
		if (stop > n)
			stop = n;
		while (i < stop) {
			uint32_t c;
			if (class == 0)
				c = (uint32_t)random_below(0x80);
			else if (class == 1)
				c = 0x80 + (uint32_t)random_below(0x780);
			else if (class == 2)
				c = 0x800 + (uint32_t)random_below(0xd000);
			else if (class == 3)
				c = 0x10000 + (uint32_t)random_below(0x100000);
			else if (class == 4)
				c = edges[random_below(14)];
			else if (class == 5)
				c = 0xd800 + (uint32_t)random_below(0x800);
			else
				c = (uint32_t)random_below(0x110000);
			/* The second half of a pair may lie beyond n. */
			i += put_code_point(units + i, c);
		}
	}
	return n;
}

static bool randomTexts(const struct f2_kernels *kernels)
{
	for (size_t round = 0; round < scaled(20000); round++) {
		size_t n = random_text(text, round % 100 == 0 ? 20000 : 400);
		if (!encodes(kernels, text, n))
			return fail("round %zu", round);
	}
	return true;
}

static bool everyAlignment(const struct f2_kernels *kernels)
{
	for (size_t round = 0; round < scaled(30); round++) {
		size_t n = random_text(text, 700);
		for (size_t shift = 0; shift < 64; shift++) {
			uint16_t *src =
			        (uint16_t *)(void *)source.start + shift;
			memcpy(src, text, 2 * n);
			if (!encodes_at(kernels, src, n))
				return fail("shifted by %zu units", shift);
		}
	}
	return true;
}

/* A text in two pieces, cut everywhere but inside a pair, is the whole. */
static bool pieces_makeTheWhole(const struct f2_kernels *kernels)
{
	for (size_t round = 0; round < scaled(60); round++) {
		size_t n = random_text(text, 300);
		size_t lone;
		size_t before_lone;
		size_t whole = naive_utf16_to_utf8(expected, text, n, &lone,
		                                   &before_lone);
		for (size_t cut = 1; cut < n; cut++) {
			if ((text[cut - 1] & 0xfc00) == 0xd800 &&
			    (text[cut] & 0xfc00) == 0xdc00)
				continue;
			uint8_t *dst = target_for(n);
			const void *src = guarded_copy(&source, text, 2 * cut);
			size_t made =
			        kernels->utf16_to_utf8(dst, src, cut, NULL);
			src = guarded_copy(&source, text + cut, 2 * (n - cut));
			made += kernels->utf16_to_utf8(dst + made, src, n - cut,
			                               NULL);
			if (!same_bytes("pieces", expected, whole, dst, made))
				return fail("cut at %zu of %zu", cut, n);
		}
	}
	return true;
}

static bool prefix_everyPosition(const struct f2_kernels *kernels)
{
	static const uint16_t over[2][3] = {{0x80, 0x100, 0xffff},
	                                    {0x100, 0x4e00, 0x8000}};
	static const uint16_t limits[2] = {0x7f, 0xff};

	for (size_t l = 0; l < 2; l++) {
		for (size_t n = 0; n <= 2 * LENGTHS; n++) {
			uint16_t *src = (void *)guarded_tail(&source, 2 * n);
			for (size_t i = 0; i < n; i++)
				src[i] = (uint16_t)(limits[l] - i % 100);
			for (size_t at = n + 1; at-- > 0;) {
				/* Those set before lie behind: the first
				 * counts. */
				if (at < n)
					src[at] = over[l][at % 3];
				size_t found = kernels->utf16_prefix(src, n,
				                                     limits[l]);
				if (found != at)
					return fail("prefix %zu, not %zu, of "
					            "%zu up to %x",
					            found, at, n,
					            (unsigned)limits[l]);
			}
		}
	}
	return true;
}

static bool lowBytes_everyLength(const struct f2_kernels *kernels)
{
	for (size_t n = 0; n <= 2 * LENGTHS; n++) {
		for (size_t i = 0; i < n; i++) {
			text[i] = (uint16_t)random_below(0x10000);
			expected[i] = (uint8_t)(text[i] % 256);
		}
		/* Exactly n bytes: the guard page lies right behind. */
		uint8_t *dst = guarded_tail(&target, n);
		kernels->utf16_to_latin1(
		        dst, (const void *)guarded_copy(&source, text, 2 * n),
		        n);
		if (!same_bytes("low bytes", expected, n, dst, n))
			return fail("of %zu units", n);
		memset(source.start, 0x55, n + 2);
		kernels->utf16_to_latin1(source.start + 1, text, n);
		if (source.start[0] != 0x55 || source.start[n + 1] != 0x55)
			return fail("wrote beside %zu bytes", n);
	}
	return true;
}

const struct kernel_test utf16_tests[] = {
        {"utf16 golden vectors", goldenVectors},
        {"utf16 every code point, repeated", everyCodePoint_repeated},
        {"utf16 every code point, in order", everyCodePoint_inOrder},
        {"utf16 broken surrogates everywhere", brokenSurrogates_everywhere},
        {"utf16 random texts", randomTexts},
        {"utf16 every alignment", everyAlignment},
        {"utf16 pieces make the whole", pieces_makeTheWhole},
        {"utf16 prefix, every position", prefix_everyPosition},
        {"utf16 low bytes, every length", lowBytes_everyLength},
        {NULL, NULL},
};
