/*
 * Java strings and arrays as sources, and paths, on a JVM that is only a few
 * functions: every encoding and form of a string at the lengths where
 * something changes, against the naive encoders.
 */
#include "fake_jni.h"
#include "naive.h"
#include "tally.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_UNITS = 1100 * 1024 };

/* What a source may get to fill: those of bind.c, and of Chunk.java. */
enum {
	SMALL_BYTES = 16 * 1024,
	CHUNK_BYTES = 128 * 1024,
	LARGE_BYTES = (1024 + 72) * 1024
};

static uint16_t units[MAX_UNITS];
static uint8_t low_bytes[MAX_UNITS];
static uint8_t expected[3 * MAX_UNITS];
static size_t expected_count;
/* The index of what REPORT must refuse, or the length. */
static size_t expected_fault;
static uint8_t actual[3 * MAX_UNITS + CHUNK_BYTES];
static struct guarded chunk;

static const char *const encodings[] = {"utf8",    "latin1", "ascii",
                                        "utf16le", "base64", "hex"};
static const char *const forms[] = {"latin1", "wide", "region"};

/* --- What must come out ------------------------------------------------ */

static bool is_hex(uint16_t unit)
{
	return unit < 0x80 && strchr("0123456789abcdefABCDEF", unit) != NULL &&
	       unit != 0;
}

static void expect(enum f2_encoding encoding, size_t n)
{
	size_t lone;
	size_t before_lone;
	uint64_t symbols;
	int64_t bad;
	size_t i;

	for (i = 0; i < n; i++)
		low_bytes[i] = (uint8_t)units[i];
	expected_fault = n;
	switch (encoding) {
	case F2_UTF8:
		expected_count = naive_utf16_to_utf8(expected, units, n, &lone,
		                                     &before_lone);
		expected_fault = lone;
		return;
	case F2_UTF16LE:
		naive_utf16_to_utf8(expected, units, n, &lone, &before_lone);
		expected_fault = lone;
		memcpy(expected, units, 2 * n);
		expected_count = 2 * n;
		return;
	case F2_BASE64:
		expected_count = naive_base64_decode(expected, low_bytes, n);
		/* Wide units are no base64; nor is '!', which they become. */
		for (i = 0; i < n; i++)
			if (units[i] > 0xff)
				low_bytes[i] = '!';
		bad = naive_base64_check(low_bytes, n, &symbols);
		if (bad >= 0)
			expected_fault = (size_t)bad;
		return;
	case F2_HEX:
		expected_count = naive_hex_decode(expected, low_bytes, n);
		for (i = 0; i < n && is_hex(units[i]); i++)
			;
		expected_fault = i == n && n % 2 != 0 ? n - 1 : i;
		return;
	case F2_LATIN1:
	case F2_ASCII:
	default:
		memcpy(expected, low_bytes, n);
		expected_count = n;
		uint16_t limit = encoding == F2_ASCII ? 0x7f : 0xff;
		for (i = 0; i < n && units[i] <= limit; i++)
			;
		expected_fault = i;
		return;
	}
}

/* --- Draining a source ------------------------------------------------- */

static void check_bytes(size_t made)
{
	if (!tally_check(made == expected_count, "%zu bytes, not %zu", made,
	                 expected_count))
		return;
	if (memcmp(actual, expected, made) == 0)
		return;
	size_t i = 0;
	while (actual[i] == expected[i])
		i++;
	tally_check(false, "byte %zu of %zu is %02x, not %02x", i, made,
	            (unsigned)actual[i], (unsigned)expected[i]);
}

/* Takes all pieces; returns how many there were. */
static size_t drain(struct f2_source *source)
{
	size_t made = 0;
	size_t pieces = 0;
	const uint8_t *piece = NULL;
	int64_t some;
	while ((some = source->next(source, &piece)) > 0) {
		fake_check_closed();
		if (!tally_check(made + (size_t)some <= sizeof actual,
		                 "it does not end"))
			break;
		memcpy(actual + made, piece, (size_t)some);
		made += (size_t)some;
		pieces++;
	}
	fake_check_closed();
	tally_check(some == 0, "it fails");
	check_bytes(made);
	return pieces;
}

/* Takes some of a source, as who compares it with a file does up to the first
 * difference, and begins again. */
static void take_and_rewind(struct f2_source *source, bool all)
{
	const uint8_t *piece;
	if (all)
		drain(source);
	else
		tally_check(source->next(source, &piece) >= 0, "it fails");
	source->rewind(source);
}

static void check_bounds(const struct f2_source *source)
{
	tally_check(source->min_bytes <= expected_count &&
	                    expected_count <= source->max_bytes,
	            "bounds %llu to %llu of %zu bytes",
	            (unsigned long long)source->min_bytes,
	            (unsigned long long)source->max_bytes, expected_count);
}

/* What is done with a source before it is drained. */
enum use {
	PLAIN,
	COUNTED,
	JOINED,
	COUNTED_JOINED,
	REPORTED,
	REPORTED_JOINED,
	REWOUND,
	REWOUND_JOINED,
	REPORTED_REWOUND,
	USES
};

static const char *const uses[] = {"plain",
                                   "counted",
                                   "joined",
                                   "counted and joined",
                                   "reported",
                                   "reported and joined",
                                   "rewound",
                                   "rewound and joined",
                                   "reported and rewound"};

static void use_text(enum f2_encoding encoding, enum fake_form form,
                     const char *what, size_t n, size_t capacity, enum use use)
{
	struct f2_text text;
	bool report = use == REPORTED || use == REPORTED_JOINED ||
	              use == REPORTED_REWOUND;
	tally_case("%s of %zu %s units, %s, capacity %zu, %s",
	           encodings[encoding], n, what, forms[form], capacity,
	           uses[use]);
	jstring string = fake_string(form, units, n);
	int64_t result =
	        f2_text_init(&text, fake_env(), string, encoding, report,
	                     guarded_tail(&chunk, capacity), capacity);
	fake_check_closed();
	if (report && expected_fault < n) {
		tally_check(result == f2_fault(F2_ENCODE, 0, expected_fault),
		            "result %llx, not a fault at %zu",
		            (unsigned long long)result, expected_fault);
		f2_text_free(&text);
		return;
	}
	tally_check(result == 0, "result %llx", (unsigned long long)result);
	check_bounds(&text.source);
	if (use == COUNTED || use == COUNTED_JOINED) {
		uint64_t count = text.source.count(&text.source);
		tally_check(count == expected_count, "count %llu, not %zu",
		            (unsigned long long)count, expected_count);
		check_bounds(&text.source);
	}
	bool joined = use == JOINED || use == COUNTED_JOINED ||
	              use == REPORTED_JOINED || use == REWOUND_JOINED;
	if (use == REWOUND || use == REWOUND_JOINED || use == REPORTED_REWOUND)
		take_and_rewind(&text.source, n % 2 == 0);
	if (joined)
		tally_check(text.source.join(&text.source) == 0, "join");
	bool whole = text.source.whole;
	size_t pieces = drain(&text.source);
	tally_check(!(joined || whole) || pieces <= 1, "%zu pieces", pieces);
	f2_text_free(&text);
	tally_check(fake_jvm.blocks == 0, "%zu blocks leak", fake_jvm.blocks);
}

static void use_everyWay(enum f2_encoding encoding, enum fake_form form,
                         const char *what, size_t n)
{
	static const size_t capacities[] = {SMALL_BYTES, CHUNK_BYTES,
	                                    LARGE_BYTES};
	expect(encoding, n);
	/* Long text in small pieces takes long: some of it is enough. */
	size_t end = n > 40000 ? 3 : 2;
	for (size_t c = n > 40000 && n % 2 == 0; c < end; c++)
		for (int use = PLAIN; use < USES; use++)
			use_text(encoding, form, what, n, capacities[c],
			         (enum use)use);
}

/* --- Texts ------------------------------------------------------------- */

static const char base64_symbols[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                     "abcdefghijklmnopqrstuvwxyz"
                                     "0123456789+/";

/* What the texts are made of. */
enum filling {
	FILL_ASCII,
	FILL_ACCENTS,
	FILL_BASE64,
	FILL_LINES,
	FILL_JUNK,
	FILL_LATIN1, /* the last that the Latin-1 form can hold */
	FILL_PAIRS,
	FILL_ODD_PAIRS,
	FILL_CHINESE,
	FILL_RANDOM,
	FILLINGS
};

static const char *const fillings[] = {
        "ASCII",  "accented", "base64",     "base64-line", "junk",
        "latin1", "paired",   "odd-paired", "Chinese",     "random"};

static uint16_t unit_of(enum filling filling, size_t i)
{
	switch (filling) {
	case FILL_ACCENTS:
		return (uint16_t)(0xc0 + i % 64);
	case FILL_BASE64:
		return (uint8_t)base64_symbols[i * 7 % 64];
	case FILL_LINES:
		if (i % 78 >= 76)
			return i % 78 == 76 ? '\r' : '\n';
		return (uint8_t)base64_symbols[i * 11 % 64];
	case FILL_JUNK:
		return ' ';
	case FILL_LATIN1:
		return (uint8_t)(i * i >> 3);
	case FILL_PAIRS:
		return i % 2 == 0 ? 0xd83d : (uint16_t)(0xde00 + i % 64);
	case FILL_ODD_PAIRS:
		return i % 2 != 0 ? 0xd83d : (uint16_t)(0xde00 + i % 64);
	case FILL_CHINESE:
		return (uint16_t)(0x4e00 + i % 5000);
	case FILL_RANDOM:
		return (uint16_t)random_below(0x10000);
	case FILL_ASCII:
	default:
		return (uint16_t)('0' + i % 10);
	}
}

static void everyFilling_everyLength(void)
{
	static const size_t lengths[] = {
	        0,     1,      2,      3,      1023,   1024,   1025,   2047,
	        2048,  2049,   4095,   4096,   4097,   5439,   5440,   5441,
	        8159,  8160,   8161,   8193,   16320,  16321,  21752,  21753,
	        21759, 21760,  32639,  32641,  32768,  32769,  43668,  43669,
	        43670, 43671,  65503,  65504,  65505,  65535,  65536,  65537,
	        87382, 131008, 131072, 131073, 174672, 174673, 174675, 174676};
	for (int filling = 0; filling < FILLINGS; filling++) {
		for (size_t i = 0; i < 180 * 1024; i++)
			units[i] = unit_of((enum filling)filling, i);
		for (size_t l = 0; l < sizeof lengths / sizeof lengths[0]; l++)
			for (int form = filling > FILL_LATIN1 ? FORM_WIDE
			                                      : FORM_LATIN1;
			     form <= FORM_REGION; form++) {
				/* Best and plain kernels in turn. */
				fake_bind((enum fake_form)form,
				          l % 2 == 0 ? f2_kernels_pick(NULL)
				                     : &f2_kernels_scalar,
				          true);
				for (int e = F2_UTF8; e <= F2_HEX; e++)
					use_everyWay((enum f2_encoding)e,
					             (enum fake_form)form,
					             fillings[filling],
					             lengths[l]);
			}
	}
}

/* Text around the 1 MiB up to which an append is one write. */
static void joined_atOneMiB_isOnePiece(void)
{
	for (size_t i = 0; i < MAX_UNITS; i++)
		units[i] = unit_of(FILL_ASCII, i);
	units[MAX_UNITS / 2] = 0xe9;
	for (int form = FORM_LATIN1; form <= FORM_REGION; form++)
		for (size_t n = 1024 * 1024 - 2; n <= 1024 * 1024; n++) {
			fake_bind((enum fake_form)form, f2_kernels_pick(NULL),
			          true);
			expect(F2_UTF8, n);
			use_text(F2_UTF8, (enum fake_form)form, "long", n,
			         CHUNK_BYTES, JOINED);
		}
}

/* A few odd units. */
struct odd {
	uint16_t units[3];
	size_t count;
};

/* Puts odd at index at of a text that ends there or soon after. */
static void use_odd(const struct odd *odd, size_t at, size_t more,
                    enum fake_form form)
{
	size_t n = at + odd->count + more;
	if (odd->units[0] > 0xff && form == FORM_LATIN1)
		return;
	for (size_t i = 0; i < n; i++)
		units[i] = unit_of(FILL_BASE64, i);
	memcpy(units + at, odd->units, 2 * odd->count);
	fake_bind(form, f2_kernels_pick(NULL), true);
	for (int e = F2_UTF8; e <= F2_HEX; e++) {
		expect((enum f2_encoding)e, n);
		use_text((enum f2_encoding)e, form, "odd", n,
		         at % 2 == 0 ? CHUNK_BYTES : SMALL_BYTES,
		         more == 0 ? REPORTED : COUNTED);
	}
}

/* Odd units around each place where a piece or a step may be cut. */
static void oddUnits_acrossEveryBorder(void)
{
	static const size_t borders[] = {1024,  2048,  4096,  8192,  5440,
	                                 32768, 43669, 65504, 65536, 98304};
	static const struct odd odds[] = {
	        {{0xd83d, 0xde00}, 2}, {{0xd83d, 'x'}, 2},
	        {{0xde00, 'x'}, 2},    {{0xd83d, 0xd83d, 0xde00}, 3},
	        {{0xe9}, 1},           {{'='}, 1},
	        {{'=', '='}, 2},       {{'\r', '\n'}, 2},
	        {{0x141, 'z'}, 2},     {{'g'}, 1}};
	for (size_t b = 0; b < sizeof borders / sizeof borders[0]; b++)
		for (size_t o = 0; o < sizeof odds / sizeof odds[0]; o++)
			for (size_t i = 0; i < 15; i++)
				use_odd(&odds[o], borders[b] - i / 3,
				        (o + b) % 3 * 5,
				        (enum fake_form)(i % 3));
}

/* A unit that is no digit of hex, or one, at each place of a pair. */
static void hexDigits_anyUnit_areTold(void)
{
	enum { UNITS = 0x180 };
	for (unsigned unit = 0; unit < UNITS; unit++)
		for (size_t i = 0; i < 12; i++) {
			size_t at = i % 4;
			size_t n = at + 1 + i / 4;
			enum fake_form form =
			        unit > 0xff ? FORM_WIDE : FORM_LATIN1;
			for (size_t k = 0; k < n; k++)
				units[k] = '0';
			units[at] = (uint16_t)unit;
			fake_bind(form, f2_kernels_pick(NULL), true);
			expect(F2_HEX, n);
			use_text(F2_HEX, form, "nearly hex", n, SMALL_BYTES,
			         REPORTED);
		}
}

/* Padding that lacks its second '=', cut off from its group by a border: what
 * is wrong is at the start of the group, in the step before. */
static void padding_acrossBorder_isFound(void)
{
	static const size_t borders[] = {4096, 8192, 65536, 131072};
	for (size_t i = 0; i < 48; i++) {
		size_t n = borders[i / 12] + 1;
		size_t spaces = i % 4;
		enum fake_form form = (enum fake_form)(i % 12 / 4);
		for (size_t k = 0; k < n; k++)
			units[k] = k < spaces ? ' ' : 'Q';
		units[n - 1] = '=';
		fake_bind(form, f2_kernels_pick(NULL), true);
		expect(F2_BASE64, n);
		use_text(F2_BASE64, form, "padded", n, CHUNK_BYTES, REPORTED);
	}
}

/* Random lengths and places. */
static void randomTexts_everyWay(void)
{
	enum { ROUNDS = 200 };
	for (int round = 0; round < ROUNDS; round++) {
		enum filling filling = (enum filling)random_below(FILLINGS);
		enum fake_form form =
		        filling > FILL_LATIN1
		                ? (enum fake_form)(1 + random_below(2))
		                : (enum fake_form)random_below(3);
		size_t n = random_below(random_below(4) == 0 ? 180 * 1024
		                                             : 40 * 1024);
		for (size_t i = 0; i < n; i++)
			units[i] = random_below(3000) == 0
			                   ? unit_of(form == FORM_LATIN1
			                                     ? FILL_LATIN1
			                                     : FILL_RANDOM,
			                             i)
			                   : unit_of(filling, i);
		fake_bind(form, f2_kernels_pick(NULL), true);
		use_everyWay((enum f2_encoding)random_below(6), form,
		             fillings[filling], n);
	}
}

/* --- Memory that is refused -------------------------------------------- */

static void malloc_refused_isAFault(void)
{
	static uint8_t bytes[SMALL_BYTES + 1];
	struct f2_array array;
	for (size_t i = 0; i < 200000; i++)
		units[i] = 'a';
	for (int form = FORM_LATIN1; form <= FORM_REGION; form++) {
		struct f2_text text;
		tally_case("a text that malloc refuses, %s", forms[form]);
		fake_bind((enum fake_form)form, f2_kernels_pick(NULL), true);
		tally_check(f2_text_init(&text, fake_env(),
		                         fake_string((enum fake_form)form,
		                                     units, 200000),
		                         F2_UTF8, false, chunk.start,
		                         CHUNK_BYTES) == 0,
		            "init");
		fake_jvm.refuse_malloc = true;
		int64_t result = text.source.join(&text.source);
		fake_jvm.refuse_malloc = false;
		tally_check(result == f2_fault(F2_MEMORY, ENOMEM, 0),
		            "result %llx", (unsigned long long)result);
		f2_text_free(&text);
		tally_check(fake_jvm.blocks == 0, "a block leaks");
	}
	tally_case("an array that malloc refuses");
	f2_array_init(&array, fake_env(), fake_array(bytes, sizeof bytes), 0,
	              sizeof bytes, chunk.start, SMALL_BYTES);
	fake_jvm.refuse_malloc = true;
	tally_check(array.source.join(&array.source) ==
	                    f2_fault(F2_MEMORY, ENOMEM, 0),
	            "no fault");
	fake_jvm.refuse_malloc = false;
	f2_array_free(&array);
	tally_check(fake_jvm.blocks == 0, "a block leaks");
}

/* The JVM may refuse a critical section, once or from then on: that is a fault
 * at any place, never a text taken for another. */
static void critical_refused_isAFault(void)
{
	enum { COUNT = 150000 };
	for (size_t i = 0; i < COUNT; i++)
		units[i] = 'a';
	fake_bind(FORM_LATIN1, f2_kernels_pick(NULL), true);
	for (int encoding = F2_UTF8; encoding <= F2_HEX; encoding++)
		for (int report = 0; report <= 1; report++)
			for (unsigned from = 1; from <= 8; from++) {
				struct f2_text text;
				const uint8_t *piece;
				int64_t some = 0;
				tally_case("%s, report %d, critical %u refused",
				           encodings[encoding], report, from);
				fake_jvm.criticals = 0;
				fake_jvm.refuse_from = from;
				int64_t result = f2_text_init(
				        &text, fake_env(),
				        fake_string(FORM_LATIN1, units, COUNT),
				        (enum f2_encoding)encoding, report != 0,
				        guarded_tail(&chunk, CHUNK_BYTES),
				        CHUNK_BYTES);
				if (result == 0)
					result = text.source.join(&text.source);
				while (result == 0 &&
				       (some = text.source.next(&text.source,
				                                &piece)) > 0)
					;
				if (result == 0 && some < 0)
					result = some;
				bool refused = fake_jvm.criticals >= from;
				tally_check(refused == (result ==
				                        f2_fault(F2_MEMORY,
				                                 ENOMEM, 0)),
				            "result %llx",
				            (unsigned long long)result);
				fake_check_closed();
				f2_text_free(&text);
				tally_check(fake_jvm.blocks == 0, "it leaks");
			}
	fake_jvm.refuse_from = 0;
}

/* --- Arrays ------------------------------------------------------------ */

static void arrays_anyRange(void)
{
	static const size_t lengths[] = {0,
	                                 1,
	                                 SMALL_BYTES - 1,
	                                 SMALL_BYTES,
	                                 SMALL_BYTES + 1,
	                                 CHUNK_BYTES,
	                                 CHUNK_BYTES + 1,
	                                 F2_SINGLE_WRITE_BYTES + 1};
	static uint8_t bytes[F2_SINGLE_WRITE_BYTES + 100];
	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = (uint8_t)(i * 7 + i / 253);
	for (size_t l = 0; l < sizeof lengths / sizeof lengths[0]; l++)
		for (size_t offset = 0; offset <= 99; offset += 33)
			for (int joined = 0; joined <= 1; joined++) {
				struct f2_array array;
				size_t n = lengths[l];
				tally_case("%zu bytes at %zu, joined %d", n,
				           offset, joined);
				f2_array_init(&array, fake_env(),
				              fake_array(bytes, offset + n),
				              (jsize)offset, (jsize)n,
				              guarded_tail(&chunk, SMALL_BYTES),
				              SMALL_BYTES);
				memcpy(expected, bytes + offset, n);
				expected_count = n;
				check_bounds(&array.source);
				tally_check(array.source.count(&array.source) ==
				                    n,
				            "count");
				if (offset % 2 != 0)
					take_and_rewind(&array.source,
					                n % 2 == 0);
				if (joined != 0)
					tally_check(array.source.join(
					                    &array.source) == 0,
					            "join");
				bool whole = array.source.whole;
				size_t pieces = drain(&array.source);
				tally_check(!(whole || joined != 0) ||
				                    pieces <= 1,
				            "%zu pieces", pieces);
				f2_array_free(&array);
				tally_check(fake_jvm.blocks == 0, "it leaks");
			}
}

/* --- Paths ------------------------------------------------------------- */

static void check_path(const char *what, enum fake_form form, size_t n,
                       bool path_is_utf8, int64_t result, const char *name)
{
	static char guarded_path[PATH_MAX];
	struct f2_string string;
	tally_case("path: %s, %s%s", what, forms[form],
	           path_is_utf8 ? "" : ", other encoding");
	fake_bind(form, f2_kernels_pick(NULL), path_is_utf8);
	f2_string_init(&string, fake_env(), fake_string(form, units, n));
	int64_t made = f2_path(&string, guarded_path);
	fake_check_closed();
	if (!tally_check(made == result, "%llx, not %llx",
	                 (unsigned long long)made, (unsigned long long)result))
		return;
	if (made >= 0)
		tally_check(strcmp(guarded_path, name) == 0, "it is %s",
		            guarded_path);
}

static void paths_anyForm(void)
{
	const int64_t foreign = f2_fault(F2_FOREIGN, 0, 0);
	const int64_t too_long = f2_fault(F2_OPEN, ENAMETOOLONG, 0);
	static char long_name[4096];
	static const struct {
		const char *what;
		uint16_t units[6];
		size_t count;
		const char *name; /* NULL: foreign, whatever the encoding */
		bool ascii;
	} cases[] = {
	        {"ASCII", {'/', 'a', '.', 'b'}, 4, "/a.b", true},
	        {"one byte", {'x'}, 1, "x", true},
	        {"an accent",
	         {'a', 0xe9, 'b'},
	         3,
	         "a\xc3\xa9"
	         "b",
	         false},
	        {"Russian",
	         {0x44f, 'b'},
	         2,
	         "\xd1\x8f"
	         "b",
	         false},
	        {"an emoji",
	         {'a', 0xd83d, 0xde00},
	         3,
	         "a\xf0\x9f\x98\x80",
	         false},
	        {"empty", {0}, 0, NULL, true},
	        {"a NUL", {'a', 0, 'b'}, 3, NULL, true},
	        {"a NUL at the end", {'a', 'b', 0}, 3, NULL, true},
	        {"U+FFFD", {'a', 0xfffd}, 2, NULL, false},
	        {"a high surrogate", {'a', 0xd83d}, 2, NULL, false},
	        {"a low surrogate", {0xde00, 'a'}, 2, NULL, false},
	};
	for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
		size_t n = cases[c].count;
		bool narrow = true;
		memcpy(units, cases[c].units, 2 * n);
		for (size_t i = 0; i < n; i++)
			narrow = narrow && units[i] < 0x100;
		for (int form = narrow ? FORM_LATIN1 : FORM_WIDE;
		     form <= FORM_REGION; form++)
			for (int utf8 = 0; utf8 <= 1; utf8++) {
				bool plain = cases[c].name != NULL &&
				             (cases[c].ascii || utf8 != 0);
				check_path(
				        cases[c].what, (enum fake_form)form, n,
				        utf8 != 0,
				        plain ? (int64_t)strlen(cases[c].name)
				              : foreign,
				        cases[c].name);
			}
	}
	/* PATH_MAX counts the NUL. */
	for (size_t n = 4094; n <= 4200; n++) {
		for (size_t i = 0; i < n; i++)
			units[i] = 'p';
		if (n < 4096) {
			memset(long_name, 'p', n);
			long_name[n] = '\0';
		}
		for (int form = FORM_LATIN1; form <= FORM_REGION; form++)
			check_path("long", (enum fake_form)form, n, true,
			           n < 4096 ? (int64_t)n : too_long, long_name);
	}
	for (size_t i = 0; i < 4095; i++)
		units[i] = 0xe9;
	for (int form = FORM_LATIN1; form <= FORM_REGION; form++)
		check_path("long in bytes", (enum fake_form)form, 2048, true,
		           too_long, NULL);
	for (int form = FORM_LATIN1; form <= FORM_REGION; form++)
		check_path("longest of accents", (enum fake_form)form, 4095,
		           true, too_long, NULL);
	for (size_t i = 0; i < 4095; i++)
		units[i] = 0x4e2d;
	check_path("longest of three bytes", FORM_WIDE, 4095, true, too_long,
	           NULL);
}

int main(void)
{
	tally_begin();
	chunk = guarded_map(LARGE_BYTES);
	everyFilling_everyLength();
	oddUnits_acrossEveryBorder();
	hexDigits_anyUnit_areTold();
	padding_acrossBorder_isFound();
	joined_atOneMiB_isOnePiece();
	randomTexts_everyWay();
	malloc_refused_isAFault();
	critical_refused_isAFault();
	arrays_anyRange();
	paths_anyForm();
	return tally_end();
}
