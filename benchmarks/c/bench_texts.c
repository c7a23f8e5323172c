#include "bench_texts.h"

#include <stdbool.h>
#include <string.h>

static const char *const ASCII =
        "The quick brown fox jumps over the lazy dog, 0123456789 times. ";
static const char *const FRENCH =
        "Voix ambiguë d'un cœur qui, au zéphyr, préfère les jattes de kiwis. ";
/* As French as Latin-1 can be. */
static const char *const FRENCH_LATIN1 =
        "Voix ambiguë d'un coeur qui, au zéphyr, préfère les jattes de kiwis. ";
static const char *const RUSSIAN =
        "Съешь же ещё этих мягких французских булок, да выпей чаю. ";
static const char *const CHINESE =
        "天地玄黃，宇宙洪荒。日月盈昃，辰宿列張。寒來暑往，秋收冬藏。";
static const char *const EMOJI =
        "😀🥳🚀🎉🌍🔥💡🐙🍕🎸🧩🦊";
static const char *const SEED_MIX = "he🥳lloworld!xx";

static uint64_t random_state;

static uint32_t random_below(uint32_t limit)
{
	random_state = random_state * 6364136223846793005 + 1442695040888963407;
	return (uint32_t)((random_state >> 33) % limit);
}

/* The next code point of UTF-8 that is known to be correct. */
static uint32_t next_code_point(const char **utf8)
{
	const unsigned char *s = (const unsigned char *)*utf8;
	int more = s[0] < 0x80 ? 0 : s[0] < 0xe0 ? 1 : s[0] < 0xf0 ? 2 : 3;
	uint32_t c = more == 0 ? s[0] : s[0] & (0x3fU >> more);

	for (int i = 1; i <= more; i++)
		c = c << 6 | (s[i] & 0x3f);
	*utf8 += more + 1;
	return c;
}

/* Put a code point unless it no longer fits; returns the new length. */
static size_t put(uint16_t *units, size_t n, size_t at, uint32_t c)
{
	if (c < 0x10000) {
		units[at++] = (uint16_t)c;
	} else if (n - at < 2) {
		units[at++] = '.';
	} else {
		units[at++] = (uint16_t)(0xd800 + ((c - 0x10000) >> 10));
		units[at++] = (uint16_t)(0xdc00 + (c & 0x3ff));
	}
	return at;
}

static void repeat(uint16_t *units, size_t n, const char *utf8)
{
	const char *rest = utf8;

	for (size_t at = 0; at < n;) {
		at = put(units, n, at, next_code_point(&rest));
		if (*rest == '\0')
			rest = utf8;
	}
}

/* Words of 1 to longest letters of an alphabet, with spaces between. */
static void words(uint16_t *units, size_t n, const char *alphabet,
                  uint32_t longest, uint32_t space)
{
	uint32_t letters[256];
	uint32_t count = 0;

	random_state = 1;
	while (*alphabet != '\0')
		letters[count++] = next_code_point(&alphabet);
	for (size_t at = 0; at < n;) {
		for (uint32_t w = 1 + random_below(longest); w > 0 && at < n;
		     w--)
			at = put(units, n, at, letters[random_below(count)]);
		if (at < n)
			at = put(units, n, at, space);
	}
}

static void ascii(uint16_t *units, size_t n)
{
	repeat(units, n, ASCII);
}

static void french(uint16_t *units, size_t n)
{
	repeat(units, n, FRENCH);
}

static void russian(uint16_t *units, size_t n)
{
	repeat(units, n, RUSSIAN);
}

static void chinese(uint16_t *units, size_t n)
{
	repeat(units, n, CHINESE);
}

static void emoji(uint16_t *units, size_t n)
{
	repeat(units, n, EMOJI);
}

static void seed_mix(uint16_t *units, size_t n)
{
	repeat(units, n, SEED_MIX);
}

static void ascii_words(uint16_t *units, size_t n)
{
	words(units, n, ASCII, 10, ' ');
}

/* About one accent in ten letters, as in prose. */
static const char *const FRENCH_LETTERS =
        "eeeeeeaaaaiiiissssnnnnrrrrttttoooolllluuuudddccmmppvvqgbfhjxyzéèà";

static void french_words(uint16_t *units, size_t n)
{
	words(units, n, FRENCH_LETTERS, 10, ' ');
}

static void russian_words(uint16_t *units, size_t n)
{
	words(units, n, "абвгдежзийклмнопрстуфхцчшщъыьэюя", 10, ' ');
}

static void chinese_words(uint16_t *units, size_t n)
{
	words(units, n, CHINESE, 14, 0xff0c);
}

static void emoji_words(uint16_t *units, size_t n)
{
	words(units, n, EMOJI, 6, ' ');
}

static void seed_words(uint16_t *units, size_t n)
{
	words(units, n, SEED_MIX, 10, ' ');
}

static void chinese_and_ascii(uint16_t *units, size_t n)
{
	words(units, n, "天地玄黃宇宙洪荒日月盈昃abcdefghijkl", 10, ' ');
}

static void all_planes(uint16_t *units, size_t n)
{
	random_state = 1;
	for (size_t at = 0; at < n;) {
		uint32_t c = random_below(0x110000);
		/* As many of each length of UTF-8. */
		switch (random_below(4)) {
		case 0:
			c %= 0x80;
			break;
		case 1:
			c %= 0x800;
			break;
		case 2:
			c %= 0xd800;
			break;
		default:
			break;
		}
		if (c < 0xd800 || c > 0xdfff)
			at = put(units, n, at, c);
	}
}

static void lone_surrogates(uint16_t *units, size_t n)
{
	repeat(units, n, ASCII);
	for (size_t i = 3; i < n; i += 7)
		units[i] = (uint16_t)(0xd800 + i % 0x800);
}

const struct text16 utf16_texts[] = {
        {"ascii", ascii},
        {"french", french},
        {"russian", russian},
        {"chinese", chinese},
        {"emoji", emoji},
        {"seed-mix", seed_mix},
        {"ascii-words", ascii_words},
        {"french-words", french_words},
        {"russian-words", russian_words},
        {"chinese-words", chinese_words},
        {"emoji-words", emoji_words},
        {"seed-mix-words", seed_words},
        {"chinese-and-ascii", chinese_and_ascii},
        {"all-planes", all_planes},
        {"lone-surrogates", lone_surrogates},
        {NULL, NULL},
};

/* A UTF-16 text cut to its low bytes, piece by piece. */
static void narrow(uint8_t *characters, size_t n,
                   void (*fill)(uint16_t *units, size_t n))
{
	static uint16_t units[1 << 16];
	const size_t piece = sizeof units / sizeof units[0];

	for (size_t at = 0; at < n; at += piece) {
		size_t count = n - at < piece ? n - at : piece;
		fill(units, count);
		for (size_t i = 0; i < count; i++)
			characters[at + i] = (uint8_t)units[i];
	}
}

static void french_latin1(uint16_t *units, size_t n)
{
	repeat(units, n, FRENCH_LATIN1);
}

static void ascii8(uint8_t *characters, size_t n)
{
	narrow(characters, n, ascii);
}

static void french8(uint8_t *characters, size_t n)
{
	narrow(characters, n, french_latin1);
}

static void french_words8(uint8_t *characters, size_t n)
{
	narrow(characters, n, french_words);
}

static void accents8(uint8_t *characters, size_t n)
{
	for (size_t i = 0; i < n; i++)
		characters[i] = (uint8_t)(0xc0 + i % 0x40);
}

const struct text8 latin1_texts[] = {
        {"ascii", ascii8},
        {"french", french8},
        {"french-words", french_words8},
        {"accents", accents8},
        {NULL, NULL},
};

/* Random symbols, in lines when line > 0. */
static void symbols(uint8_t *characters, size_t n, const char *alphabet,
                    size_t line, const char *end)
{
	const uint32_t count = (uint32_t)strlen(alphabet);
	size_t column = 0;

	random_state = 1;
	for (size_t at = 0; at < n;) {
		if (line > 0 && column == line) {
			for (const char *e = end; *e != '\0' && at < n; e++)
				characters[at++] = (uint8_t)*e;
			column = 0;
			continue;
		}
		characters[at++] = (uint8_t)alphabet[random_below(count)];
		column++;
	}
}

static const char *const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "abcdefghijklmnopqrstuvwxyz"
                                  "0123456789+/";

static void base64(uint8_t *characters, size_t n)
{
	symbols(characters, n, BASE64, 0, "");
}

static void both_alphabets(uint8_t *characters, size_t n)
{
	symbols(characters, n, "ABCDEFGHIJKLMabcdefghijklm0123456789+/-_", 0,
	        "");
}

static void mime(uint8_t *characters, size_t n)
{
	symbols(characters, n, BASE64, 76, "\r\n");
}

static void pem(uint8_t *characters, size_t n)
{
	symbols(characters, n, BASE64, 64, "\n");
}

static void garbage(uint8_t *characters, size_t n)
{
	base64(characters, n);
	for (size_t i = 0; i < n / 100; i++)
		characters[random_below((uint32_t)n)] = '!';
}

const struct text8 base64_texts[] = {
        {"dense", base64},    {"both-alphabets", both_alphabets},
        {"mime", mime},       {"pem", pem},
        {"garbage", garbage}, {NULL, NULL},
};

const struct text8 strict_base64_texts[] = {
        {"dense", base64},
        {"mime", mime},
        {"pem", pem},
        {NULL, NULL},
};

static void hex(uint8_t *characters, size_t n)
{
	symbols(characters, n, "0123456789abcdefABCDEF", 0, "");
}

const struct text8 hex_texts[] = {{"hex", hex}, {NULL, NULL}};
