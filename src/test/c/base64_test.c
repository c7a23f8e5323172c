/* Forgiving base64 and the strict checker. */
#include "kernels_test.h"
#include "naive.h"

#include <string.h>

enum { MAX_CHARACTERS = 1 << 16 };

static uint8_t expected[MAX_CHARACTERS];
static uint8_t text[MAX_CHARACTERS];
static uint8_t pieces[MAX_CHARACTERS];

/* The bound of the header, flush against the guard page. */
static uint8_t *target_for(size_t n)
{
	return guarded_tail(&target, 3 * (n / 4) + 4 + F2_SLACK);
}

/* Decode and check text[0..n) in pieces cut at cuts[0] < cuts[1] < ... < n,
 * each flush against a guard page. */
static bool agrees(const struct f2_kernels *kernels, size_t n,
                   const size_t *cuts, size_t cut_count)
{
	size_t expected_n = naive_base64_decode(expected, text, n);
	uint64_t symbols;
	int64_t expected_fault = naive_base64_check(text, n, &symbols);
	struct f2_base64 decoder = {0};
	struct f2_base64_check checker = {0};
	size_t made = 0;
	int64_t fault = -1;

	for (size_t piece = 0, from = 0; piece <= cut_count; piece++) {
		bool last = piece == cut_count;
		size_t count = (last ? n : cuts[piece]) - from;
		const uint8_t *src = guarded_copy(&source, text + from, count);
		uint8_t *dst = target_for(count);
		size_t part =
		        kernels->base64_decode(&decoder, dst, src, count, last);
		if (part > 3 * (count / 4) + 4)
			return fail("%zu bytes of %zu characters", part, count);
		memcpy(pieces + made, dst, part);
		made += part;
		if (fault < 0)
			fault = kernels->base64_check(&checker, src, count,
			                              last);
		from += count;
	}
	if (!same_bytes("base64", expected, expected_n, pieces, made))
		return fail("of %zu characters", n);
	if (fault != expected_fault)
		return fail("fault at %lld, not %lld, of %zu", (long long)fault,
		            (long long)expected_fault, n);
	if (fault < 0 && checker.symbols != symbols)
		return fail("%llu symbols, not %llu",
		            (unsigned long long)checker.symbols,
		            (unsigned long long)symbols);
	return true;
}

static bool agrees_whole(const struct f2_kernels *kernels, size_t n)
{
	return agrees(kernels, n, NULL, 0);
}

static uint8_t random_symbol(void)
{
	static const char symbols[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	                              "abcdefghijklmnopqrstuvwxyz"
	                              "0123456789+/-_";
	return (uint8_t)symbols[random_below(sizeof symbols - 1)];
}

/* n characters of lines of line symbols; ends: 0 none, 1 LF, 2 CRLF. */
static void random_lines(size_t n, size_t line, size_t ends)
{
	size_t column = 0;

	for (size_t i = 0; i < n;) {
		if (column < line || ends == 0) {
			text[i++] = random_symbol();
			column++;
			continue;
		}
		if (ends == 2)
			text[i++] = '\r';
		if (i < n)
			text[i++] = '\n';
		column = 0;
	}
}

static bool everyValue_everyPosition(const struct f2_kernels *kernels)
{
	static const struct {
		size_t n;
		size_t line;
		size_t ends;
	} layouts[] = {{300, 1, 0}, {400, 76, 2}, {330, 64, 1}};

	for (size_t l = 0; l < sizeof layouts / sizeof layouts[0]; l++) {
		size_t n = layouts[l].n;
		random_lines(n, layouts[l].line, layouts[l].ends);
		for (size_t at = 0; at < n; at++) {
			uint8_t before = text[at];
			for (unsigned c = 0; c < 256; c++) {
				text[at] = (uint8_t)c;
				if (!agrees_whole(kernels, n))
					return fail("%02x at %zu, layout %zu",
					            c, at, l);
			}
			text[at] = before;
		}
	}
	return true;
}

/* Every length, with each kind of end. */
static bool everyLength_everyEnd(const struct f2_kernels *kernels)
{
	static const char *const ends[] = {
	        "",    "=",   "==", "===", "\n", "=\n",   "==\n", "==\r\n ",
	        "= =", "==A", "!",  "\n=", "=A", "==\n=", " A",   "\tAAAA"};

	for (size_t n = 0; n <= 280; n++) {
		random_lines(n, 76, n % 3);
		for (size_t e = 0; e < sizeof ends / sizeof ends[0]; e++) {
			size_t width = strlen(ends[e]);
			memcpy(text + n, ends[e], width);
			if (!agrees_whole(kernels, n + width))
				return fail("%zu characters and end %zu", n, e);
		}
	}
	return true;
}

static bool everyLineLength(const struct f2_kernels *kernels)
{
	for (size_t line = 1; line <= 200; line++) {
		for (size_t ends = 1; ends <= 2; ends++) {
			size_t n = 1000 + random_below(1000);
			random_lines(n, line, ends);
			if (!agrees_whole(kernels, n))
				return fail("lines of %zu", line);
			text[random_below(n)] = '=';
			if (!agrees_whole(kernels, n))
				return fail("lines of %zu, ended", line);
		}
	}
	return true;
}

/* A text of one of many kinds, sometimes damaged. */
static size_t random_text(size_t limit)
{
	static const size_t lines[] = {4, 20, 60, 64, 72, 76, 128, 256, 75};
	size_t n = 1 + random_below(limit);

	random_lines(n, lines[random_below(9)], random_below(3));
	size_t damage = 0;
	switch (random_below(4)) {
	case 0:
		damage = 1 + random_below(3);
		break;
	case 1:
		damage = n / 100 + random_below(n / 4 + 1);
		break;
	default:
		break;
	}
	for (; damage > 0; damage--) {
		size_t kind = random_below(3);
		uint8_t c = (uint8_t)random_below(256);
		/* A text of many faults but '=' says more. */
		if (c == '=' && random_below(8) != 0)
			c = '!';
		text[random_below(n)] = kind == 0 ? ' ' : c;
	}
	if (n > 2 && random_below(3) == 0)
		memcpy(text + n - 2, "==", 2);
	return n;
}

static bool randomTexts(const struct f2_kernels *kernels)
{
	for (size_t round = 0; round < scaled(20000); round++) {
		size_t n = random_text(round % 100 == 0 ? 30000 : 800);
		if (!agrees_whole(kernels, n))
			return fail("round %zu", round);
	}
	return true;
}

static bool pieces_everyCut(const struct f2_kernels *kernels)
{
	for (size_t round = 0; round < scaled(100); round++) {
		size_t n = random_text(500);
		for (size_t cut = 0; cut <= n; cut++) {
			if (!agrees(kernels, n, &cut, 1))
				return fail("cut at %zu of %zu", cut, n);
		}
	}
	return true;
}

static bool pieces_random(const struct f2_kernels *kernels)
{
	for (size_t round = 0; round < scaled(10000); round++) {
		size_t n = random_text(1500);
		size_t longest = 1 + random_below(n);
		size_t cuts[1500];
		size_t cut_count = 0;
		size_t at = random_below(longest + 1);
		while (at < n && cut_count < 1500) {
			cuts[cut_count++] = at;
			at += random_below(longest + 1);
		}
		if (!agrees(kernels, n, cuts, cut_count))
			return fail("round %zu, %zu cuts", round, cut_count);
	}
	return true;
}

static bool everyAlignment(const struct f2_kernels *kernels)
{
	for (size_t round = 0; round < scaled(30); round++) {
		size_t n = random_text(800);
		size_t expected_n = naive_base64_decode(expected, text, n);
		for (size_t shift = 0; shift < 64; shift++) {
			struct f2_base64 state = {0};
			memcpy(source.start + shift, text, n);
			uint8_t *dst = target.start + 63 - shift;
			size_t made = kernels->base64_decode(
			        &state, dst, source.start + shift, n, true);
			if (!same_bytes("base64", expected, expected_n, dst,
			                made))
				return fail("shifted by %zu", shift);
		}
	}
	return true;
}

static bool goldenVectors(const struct f2_kernels *kernels)
{
	static const struct {
		const char *text;
		const char *bytes;
		size_t n;
	} vectors[] = {
	        {"", "", 0},
	        {"K", "", 0},
	        {"A=AA", "", 0},
	        {"=bad", "", 0},
	        {"Kg", "*", 1},
	        {"Kg=", "*", 1},
	        {"Kg==", "*", 1},
	        {"Kg===", "*", 1},
	        {"Ki", "*", 1},
	        {"Kio", "**", 2},
	        {"Kio=", "**", 2},
	        {"Kioq", "***", 3},
	        {"AAAA=BBBB", "\0\0\0", 3},
	        {"AA==BB==", "\0", 1},
	        {"AA=A", "\0", 1},
	        {"-_+/", "\xfb\xff\xbf", 3},
	        {"//4uAA==", "\xff\xfe.\0", 4},
	        {"__4uAA", "\xff\xfe.\0", 4},
	        {"K g\n=\t=", "*", 1},
	        {"K!g@#=", "*", 1},
	        {"Kg==garbage", "*", 1},
	        {"AAA", "\0\0", 2},
	        {"AAAAA", "\0\0\0", 3},
	        {"w0  ", "\xc3", 1},
	        {" YWJj", "abc", 3},
	        {"YW55=======", "any", 3},
	        {"K\x80g\xff\x98\x03", "*", 1},
	        {"KioqKioqKioqKioqKioqKg==", "****************", 16},
	};

	for (size_t v = 0; v < sizeof vectors / sizeof vectors[0]; v++) {
		struct f2_base64 state = {0};
		size_t n = strlen(vectors[v].text);
		const uint8_t *src = guarded_copy(&source, vectors[v].text, n);
		uint8_t *dst = target_for(n);
		size_t made = kernels->base64_decode(&state, dst, src, n, true);
		if (!same_bytes(vectors[v].text,
		                (const uint8_t *)vectors[v].bytes, vectors[v].n,
		                dst, made))
			return false;
	}
	return true;
}

static bool checker_goldenVectors(const struct f2_kernels *kernels)
{
	static const struct {
		const char *text;
		int64_t fault;
	} vectors[] = {
	        {"", -1},         {"  \n", -1},      {"Kioq", -1},
	        {"Kg==", -1},     {"Kg", -1},        {"Kio=", -1},
	        {"Kio", -1},      {"-_+/", -1},      {"Kioq\r\nKg==\n", -1},
	        {"Kg \n", -1},    {"Kioq Kioq", -1}, {"K", 0},
	        {"KioqK", 4},     {"Kg=", 0},        {"KioqKg=", 4},
	        {"Kg===", 4},     {"Kio==", 4},      {"K=", 1},
	        {"=", 0},         {"Ki\noq", 3},     {"K\nioq", 1},
	        {"Kg= =", 3},     {"Kg==Kioq", 4},   {"Ki!q", 2},
	        {"Kioq Kg A", 8},
	};

	for (size_t v = 0; v < sizeof vectors / sizeof vectors[0]; v++) {
		struct f2_base64_check state = {0};
		size_t n = strlen(vectors[v].text);
		int64_t fault = kernels->base64_check(
		        &state, guarded_copy(&source, vectors[v].text, n), n,
		        true);
		if (fault != vectors[v].fault)
			return fail("\"%s\": fault at %lld, not %lld",
			            vectors[v].text, (long long)fault,
			            (long long)vectors[v].fault);
	}
	return true;
}

const struct kernel_test base64_tests[] = {
        {"base64 golden vectors", goldenVectors},
        {"base64 checker, golden vectors", checker_goldenVectors},
        {"base64 every value, every position", everyValue_everyPosition},
        {"base64 every length, every end", everyLength_everyEnd},
        {"base64 every line length", everyLineLength},
        {"base64 random texts", randomTexts},
        {"base64 pieces, every cut", pieces_everyCut},
        {"base64 pieces, random cuts", pieces_random},
        {"base64 every alignment", everyAlignment},
        {NULL, NULL},
};
