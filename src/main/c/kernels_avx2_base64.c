/*
 * Base64 with AVX2, 32 characters a step.
 *
 * The forgiving decoder has four ways through a text, and each begins where no
 * group is open: dense text; lines of one length, whose ends are at known
 * places; anything else, of which the symbols are collected first; and the
 * portable decoder for the few characters that close or open a group.
 */
#include "kernels_avx2.h"

#ifdef __AVX2__

#include "kernels_base64.h"

#include <immintrin.h>
#include <string.h>

enum {
	STEP = 32,                 /* characters in a vector */
	STEP_BYTES = STEP / 4 * 3, /* what they decode to */
	COLLECTED = 4096, /* symbols gathered before they are decoded */
};

static inline __m256i load(const uint8_t *src)
{
	return _mm256_loadu_si256((const void *)src);
}

/* The same 16-entry table in both halves. */
static inline __m256i table(char e0, char e1, char e2, char e3, char e4,
                            char e5, char e6, char e7, char e8, char e9,
                            char e10, char e11, char e12, char e13, char e14,
                            char e15)
{
	return _mm256_broadcastsi128_si256(
	        _mm_setr_epi8(e0, e1, e2, e3, e4, e5, e6, e7, e8, e9, e10, e11,
	                      e12, e13, e14, e15));
}

static inline __m256i high_nibbles(__m256i characters)
{
	return _mm256_and_si256(_mm256_srli_epi16(characters, 4),
	                        _mm256_set1_epi8(0x0f));
}

/*
 * The value of each symbol. A symbol and its value differ by a number that the
 * high nibble gives: +4 for digits, -65 for A to Z, -71 for a to z. The four
 * others are not as far from their value: of 2x, where +15 is taken, '+' lacks
 * 4, '-' 2 and '/' 1; of 5x '_' lacks 33. Their low nibbles b, d and f choose
 * 4, 2 and 33, and a mask of the high nibble leaves of those what is right.
 */
static inline __m256i values_of(__m256i characters)
{
	const __m256i distance =
	        table(0, 0, 15, 4, -65, -65, -71, -71, 0, 0, 0, 0, 0, 0, 0, 0);
	const __m256i lack =
	        table(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 2, 0, 33);
	const __m256i lacks =
	        table(0, 0, 7, 0, 0, 33, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
	__m256i high = high_nibbles(characters);
	__m256i extra = _mm256_and_si256(_mm256_shuffle_epi8(lack, characters),
	                                 _mm256_shuffle_epi8(lacks, high));
	return _mm256_add_epi8(
	        _mm256_add_epi8(characters,
	                        _mm256_shuffle_epi8(distance, high)),
	        extra);
}

/*
 * A byte that is not zero for each ASCII character that is no symbol. Each kind
 * of high nibble has a bit, and each low nibble the bits of the kinds in which
 * it makes no symbol:
 *   1 of 2x: all but b d f      8 of 5x: b c d e
 *   2 of 3x: a to f            16 of 7x: b to f
 *   4 of 4x and 6x: 0          32 of all others: any
 */
static inline __m256i faults_of(__m256i characters)
{
	const __m256i kinds = table(32, 32, 1, 2, 4, 8, 4, 16, 32, 32, 32, 32,
	                            32, 32, 32, 32);
	const __m256i faults = table(37, 33, 33, 33, 33, 33, 33, 33, 33, 33, 35,
	                             58, 59, 58, 59, 50);
	return _mm256_and_si256(
	        _mm256_shuffle_epi8(faults, characters),
	        _mm256_shuffle_epi8(kinds, high_nibbles(characters)));
}

/* A bit for each character that is no symbol. */
static inline uint32_t bad_characters(__m256i characters)
{
	/* The lookup has nothing to say of characters from 0x80 on. */
	__m256i bad = _mm256_cmpgt_epi8(faults_of(characters),
	                                _mm256_setzero_si256());
	return (uint32_t)_mm256_movemask_epi8(_mm256_or_si256(bad, characters));
}

/* Store the 24 bytes of 32 symbols, and 8 more. */
static inline void store_groups(uint8_t *dst, __m256i characters)
{
	const __m256i bytes =
	        table(2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, -1, -1, -1, -1);
	const __m256i words = _mm256_setr_epi32(0, 1, 2, 4, 5, 6, 3, 7);
	__m256i twelve_bits = _mm256_maddubs_epi16(values_of(characters),
	                                           _mm256_set1_epi16(0x0140));
	__m256i groups =
	        _mm256_madd_epi16(twelve_bits, _mm256_set1_epi32(0x00011000));
	groups = _mm256_shuffle_epi8(groups, bytes);
	_mm256_storeu_si256((void *)dst,
	                    _mm256_permutevar8x32_epi32(groups, words));
}

/* Decode blocks of 64 symbols. Returns how many characters it took. */
static inline size_t dense(uint8_t *dst, const uint8_t *src, size_t n)
{
	size_t i = 0;

	for (; n - i >= 2 * STEP; i += 2 * STEP) {
		__m256i a = load(src + i);
		__m256i b = load(src + i + STEP);
		__m256i faults = _mm256_or_si256(faults_of(a), faults_of(b));
		__m256i bad = _mm256_or_si256(
		        _mm256_cmpgt_epi8(faults, _mm256_setzero_si256()),
		        _mm256_or_si256(a, b));
		if (_mm256_movemask_epi8(bad) != 0)
			break;
		store_groups(dst, a);
		store_groups(dst + STEP_BYTES, b);
		dst += 2 * STEP_BYTES;
	}
	return i;
}

static size_t symbol_prefix(const uint8_t *src, size_t n)
{
	size_t i = 0;

	for (; n - i >= STEP; i += STEP) {
		uint32_t bad = bad_characters(load(src + i));
		if (bad != 0)
			return i + (size_t)__builtin_ctz(bad);
	}
	return i + f2_scalar_symbol_prefix(src + i, n - i);
}

/* Decode lines that are all like the first of src: as long, of whole groups,
 * with the same end and more text behind. Adds to *made. Returns how many
 * characters it took, 0 if src begins with no such line of 32 or more. */
static size_t lines(uint8_t *dst, const uint8_t *src, size_t n, size_t *made)
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
		__m256i faults = _mm256_setzero_si256();
		__m256i all = _mm256_setzero_si256();
		for (size_t at = 0;; at += STEP) {
			if (at > last)
				at = last;
			__m256i characters = load(src + i + at);
			faults = _mm256_or_si256(faults, faults_of(characters));
			all = _mm256_or_si256(all, characters);
			store_groups(dst + at / 4 * 3, characters);
			if (at == last)
				break;
		}
		uint16_t found;
		memcpy(&found, src + i + length, sizeof found);
		__m256i bad = _mm256_or_si256(
		        all, _mm256_cmpgt_epi8(faults, _mm256_setzero_si256()));
		if (_mm256_movemask_epi8(bad) != 0 ||
		    (found & end_mask) != end_bytes)
			break;
		dst += length / 4 * 3;
		*made += length / 4 * 3;
		i += length + end;
	}
	return i;
}

/* Decode any text up to COLLECTED symbols or the last 31 characters; adds to
 * *made. The open group stays in state. Returns how many characters it took. */
static size_t collect(struct f2_base64 *state, uint8_t *dst, const uint8_t *src,
                      size_t n, size_t *made)
{
	/* Decoded in a second pass: a load of a whole vector right behind the
	 * partial stores that fill it would wait for all of them. */
	uint8_t symbols[COLLECTED + STEP];
	size_t count = 0;
	size_t i = 0;
	bool ended = false;

	while (n - i >= STEP && count <= COLLECTED - STEP && !ended) {
		__m256i characters = load(src + i);
		uint32_t bad = bad_characters(characters);
		_mm256_storeu_si256((void *)(symbols + count), characters);
		if (bad == 0) {
			count += STEP;
			i += STEP;
			continue;
		}
		size_t good = (size_t)__builtin_ctz(bad);
		count += good;
		i += good;
		ended = src[i] == '=';
		i++;
	}
	size_t whole = count / 4 * 4;
	for (size_t at = 0; at < whole; at += STEP)
		store_groups(dst + at / 4 * 3, load(symbols + at));
	*made += whole / 4 * 3;
	*made += f2_scalar_base64_decode(state, dst + whole / 4 * 3,
	                                 symbols + whole, count - whole, false);
	state->ended = ended;
	return i;
}

/* SAFETY of the stores: each begins where the bytes of the groups before it
 * end and is 32 bytes long, of the 64 that the caller provides. */
size_t f2_avx2_base64_decode(struct f2_base64 *state, uint8_t *dst,
                             const uint8_t *src, size_t n, bool last)
{
	size_t made = 0;
	size_t i = 0;

	while (n - i >= STEP && !state->ended) {
		if (state->count != 0) {
			size_t few = 4 - state->count;
			made += f2_scalar_base64_decode(state, dst + made,
			                                src + i, few, false);
			i += few;
			continue;
		}
		size_t taken = dense(dst + made, src + i, n - i);
		made += taken / 4 * 3;
		i += taken;
		if (n - i < STEP)
			break;

		__m256i characters = load(src + i);
		uint32_t bad = bad_characters(characters);
		size_t good = bad == 0 ? STEP : (size_t)__builtin_ctz(bad);
		store_groups(dst + made, characters);
		made += good / 4 * 3;
		i += good / 4 * 4;
		if (bad == 0)
			continue;

		size_t end = f2_base64_line_end(src + i, n - i);
		i += end;
		taken = end == 0 ? 0 : lines(dst + made, src + i, n - i, &made);
		i += taken;
		if (taken == 0)
			i += collect(state, dst + made, src + i, n - i, &made);
	}
	return made +
	       f2_scalar_base64_decode(state, dst + made, src + i, n - i, last);
}

int64_t f2_avx2_base64_check(struct f2_base64_check *state, const uint8_t *src,
                             size_t n, bool last)
{
	return f2_base64_check_with(symbol_prefix, state, src, n, last);
}

#endif
