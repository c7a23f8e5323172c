/*
 * Base64 with AVX-512 VBMI2, 64 characters a step.
 *
 * The forgiving decoder has four ways through a text, and each begins where no
 * group is open: dense text; lines of one length, whose ends are at known
 * places; anything else, of which the symbols' values are collected first; and
 * the portable decoder for the few characters that close or open a group.
 */
#include "kernels_avx512.h"

#ifdef __AVX512VBMI2__

#include "kernels_base64.h"
#include "kernels_tables.h"

#include <immintrin.h>
#include <string.h>

enum {
	STEP = 64,                 /* characters in a vector */
	STEP_BYTES = STEP / 4 * 3, /* what they decode to */
	COLLECTED = 4096,          /* values gathered before they are packed */
};

struct tables {
	__m512i low;   /* values of the characters 0 to 63 */
	__m512i high;  /* and 64 to 127; 0x80 for no symbol */
	__m512i bytes; /* where the three bytes of each group lie */
};

static inline struct tables load_tables(void)
{
	return (struct tables){
	        .low = _mm512_loadu_si512(f2_base64_values[0]),
	        .high = _mm512_loadu_si512(f2_base64_values[1]),
	        .bytes = _mm512_loadu_si512(f2_base64_bytes[0]),
	};
}

static inline __m512i values_of(const struct tables *tables, __m512i characters)
{
	return _mm512_permutex2var_epi8(tables->low, characters, tables->high);
}

/* The first count characters of src, NUL behind them, which is no symbol. */
static inline __m512i load_step(const uint8_t *src, size_t count)
{
	if (count == STEP)
		return _mm512_loadu_si512(src);
	/* SAFETY: lanes that the mask leaves out are not accessed. */
	return _mm512_maskz_loadu_epi8(_bzhi_u64(~(uint64_t)0, (uint32_t)count),
	                               src);
}

/* Store the 48 bytes of 64 values, and 16 more. */
static inline void store_groups(uint8_t *dst, const struct tables *tables,
                                __m512i values)
{
	__m512i twelve_bits =
	        _mm512_maddubs_epi16(values, _mm512_set1_epi16(0x0140));
	__m512i group =
	        _mm512_madd_epi16(twelve_bits, _mm512_set1_epi32(0x00011000));
	_mm512_storeu_si512(dst, _mm512_permutexvar_epi8(tables->bytes, group));
}

/* Decode blocks of 128 symbols. Returns how many characters it took. */
static inline size_t dense(uint8_t *dst, const uint8_t *src, size_t n,
                           const struct tables *tables)
{
	size_t i = 0;

	for (; n - i >= 2 * STEP; i += 2 * STEP) {
		__m512i a = _mm512_loadu_si512(src + i);
		__m512i b = _mm512_loadu_si512(src + i + STEP);
		__m512i values_a = values_of(tables, a);
		__m512i values_b = values_of(tables, b);
		/* The lookup ignores a character's top bit; it makes no
		 * symbol. */
		__m512i bad = _mm512_ternarylogic_epi32(
		        _mm512_or_si512(a, values_a), b, values_b, 0xfe);
		if (_mm512_movepi8_mask(bad) != 0)
			break;
		store_groups(dst, tables, values_a);
		store_groups(dst + STEP_BYTES, tables, values_b);
		dst += 2 * STEP_BYTES;
	}
	return i;
}

/* How many symbols src begins with. */
static size_t symbol_prefix(const uint8_t *src, size_t n)
{
	const struct tables tables = load_tables();

	for (size_t i = 0; i < n; i += STEP) {
		size_t step = n - i < STEP ? n - i : STEP;
		__m512i characters = load_step(src + i, step);
		__mmask64 bad = _mm512_movepi8_mask(_mm512_or_si512(
		        characters, values_of(&tables, characters)));
		if (bad == 0)
			continue;
		size_t good = (size_t)__builtin_ctzll(bad);
		return i + (good < step ? good : step);
	}
	return n;
}

/* Decode lines that are all like the first of src: as long, of whole groups,
 * with the same end and more text behind. Adds to *made. Returns how many
 * characters it took, 0 if src begins with no such line of 64 or more. */
static size_t lines(uint8_t *dst, const uint8_t *src, size_t n,
                    const struct tables *tables, size_t *made)
{
	size_t length = symbol_prefix(src, n);
	size_t end = f2_base64_line_end(src + length, n - length);
	size_t i = 0;

	if (end == 0 || length % 4 != 0 || length < STEP)
		return 0;
	/* The last block of a line ends where the line does and may repeat
	 * some groups of the one before. */
	size_t last = length - STEP;
	/* Behind a line end of one byte stands the next line. */
	uint32_t end_mask = end == 2 ? 0xffff : 0x00ff;
	uint32_t end_bytes = end == 2 ? 0x0a0d : 0x000a;

	while (n - i > length + end) {
		__m512i bad = _mm512_setzero_si512();
		for (size_t at = 0;; at += STEP) {
			if (at > last)
				at = last;
			__m512i characters = _mm512_loadu_si512(src + i + at);
			__m512i values = values_of(tables, characters);
			bad = _mm512_ternarylogic_epi32(bad, characters, values,
			                                0xfe);
			store_groups(dst + at / 4 * 3, tables, values);
			if (at == last)
				break;
		}
		uint16_t found;
		memcpy(&found, src + i + length, sizeof found);
		if (_mm512_movepi8_mask(bad) != 0 ||
		    (found & end_mask) != end_bytes)
			break;
		dst += length / 4 * 3;
		*made += length / 4 * 3;
		i += length + end;
	}
	return i;
}

/* Decode any text up to COLLECTED symbols or the end; adds to *made. The open
 * group stays in state. Returns how many characters it took. */
static size_t collect(struct f2_base64 *state, uint8_t *dst, const uint8_t *src,
                      size_t n, const struct tables *tables, size_t *made)
{
	/* Packed in a second pass: a load of a whole vector right behind the
	 * partial stores that fill it would wait for all of them. */
	uint8_t values[COLLECTED + STEP];
	size_t count = 0;
	size_t i = 0;

	while (i < n && !state->ended && count <= COLLECTED - STEP) {
		size_t step = n - i < STEP ? n - i : STEP;
		__m512i characters = load_step(src + i, step);
		__m512i found = values_of(tables, characters);
		__mmask64 symbols = _knot_mask64(_mm512_movepi8_mask(
		        _mm512_or_si512(characters, found)));
		__mmask64 ends = _mm512_cmpeq_epi8_mask(characters,
		                                        _mm512_set1_epi8('='));
		if (!_kortestz_mask64_u8(ends, ends)) {
			symbols &= _blsmsk_u64(ends);
			state->ended = true;
		}
		_mm512_storeu_si512(values + count,
		                    _mm512_maskz_compress_epi8(symbols, found));
		count += (unsigned)__builtin_popcountll(symbols);
		i += step;
	}
	for (size_t at = 0; at < count / 4 * 4; at += STEP)
		store_groups(dst + at / 4 * 3, tables,
		             _mm512_loadu_si512(values + at));
	*made += count / 4 * 3;
	state->count = count % 4;
	state->bits = 0;
	for (size_t at = count / 4 * 4; at < count; at++)
		state->bits = state->bits << 6 | values[at];
	return i;
}

/* SAFETY of the stores: each begins where the bytes of the groups before it
 * end and is 64 bytes long, the room that the caller provides. */
size_t f2_avx512_base64_decode(struct f2_base64 *state, uint8_t *dst,
                               const uint8_t *src, size_t n, bool last)
{
	const struct tables tables = load_tables();
	size_t made = 0;
	size_t i = 0;

	while (i < n && !state->ended) {
		size_t left = n - i;
		if (state->count != 0 || left < 4) {
			size_t few = 4 - state->count;
			if (few > left)
				few = left;
			made += f2_scalar_base64_decode(state, dst + made,
			                                src + i, few, false);
			i += few;
			continue;
		}
		size_t taken = dense(dst + made, src + i, left, &tables);
		made += taken / 4 * 3;
		i += taken;
		left -= taken;

		size_t step = left < STEP ? left : STEP;
		__m512i characters = load_step(src + i, step);
		__m512i values = values_of(&tables, characters);
		__mmask64 bad = _mm512_movepi8_mask(
		        _mm512_or_si512(characters, values));
		size_t good = bad == 0 ? STEP : (size_t)__builtin_ctzll(bad);
		store_groups(dst + made, &tables, values);
		made += good / 4 * 3;
		i += good / 4 * 4;
		if (good == step)
			continue;

		size_t end = f2_base64_line_end(src + i, n - i);
		i += end;
		taken = 0;
		if (end != 0)
			taken = lines(dst + made, src + i, n - i, &tables,
			              &made);
		i += taken;
		if (taken == 0)
			i += collect(state, dst + made, src + i, n - i, &tables,
			             &made);
	}
	return made +
	       (last ? f2_scalar_base64_decode(state, dst + made, src, 0, true)
	             : 0);
}

int64_t f2_avx512_base64_check(struct f2_base64_check *state,
                               const uint8_t *src, size_t n, bool last)
{
	return f2_base64_check_with(symbol_prefix, state, src, n, last);
}

#endif
