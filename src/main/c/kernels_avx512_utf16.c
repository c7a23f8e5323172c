/*
 * UTF-16 to UTF-8 with AVX-512 VBMI2, 32 units a step.
 *
 * Every unit gets bytes of its own, so that no pair has to be joined and a step
 * may begin or end inside one: ASCII makes one byte, the two-byte class two,
 * the rest of the BMP three, a high surrogate the first two of its pair's four
 * and a low one the last two. A low half needs two bits of its left neighbour,
 * nothing else crosses a unit. The last two bytes of a unit are made in place;
 * those that a unit does not have are zero and are squeezed out at the end.
 *
 * Whether a surrogate is paired depends on one neighbour alone: a high one on
 * the next unit, a low one on the previous. So there is no state from step to
 * step.
 */
#include "kernels_avx512.h"

#ifdef __AVX512VBMI2__

#include "kernels_tables.h"

#include <immintrin.h>

enum {
	STEP = 32,        /* units in a vector */
	BLOCK = 4 * STEP, /* units that are looked at for ASCII at once */
};

/* gcc 12 builds a constant anew at each use, unless it can't see where it comes
 * from. */
static inline __m512i pinned(__m512i constant)
{
	__asm__("" : "+v"(constant));
	return constant;
}

static inline __m512i each_unit(int value)
{
	return pinned(_mm512_set1_epi16((short)value));
}

/* What only texts with surrogates need: each value twice, for a broadcast that
 * is a mere load. */
struct constants {
	uint32_t top_6;
	uint32_t high; /* the top 6 bits of high surrogates */
	uint32_t low;  /* and of low ones */
	uint32_t replacement;
	uint32_t high_offset;
	uint32_t high_marks; /* of the bytes of a high surrogate */
	uint32_t borrowed;   /* what a low half takes from its high one */
	uint64_t high_split; /* of each unit the bits from 8 on, from 2 on */
};

static const struct constants constants_in_memory = {
        .top_6 = 0xfc00fc00,
        .high = 0xd800d800,
        .low = 0xdc00dc00,
        .replacement = 0xfffdfffd,
        .high_offset = 0xd7c0d7c0,
        .high_marks = 0x80f080f0,
        .borrowed = 0x00300030,
        .high_split = 0x3238222812180208,
};

static inline const struct constants *get_constants(void)
{
	const struct constants *constants = &constants_in_memory;
	__asm__("" : "+r"(constants));
	return constants;
}

static inline __m512i each(uint32_t two_units)
{
	return _mm512_set1_epi32((int)two_units);
}

static inline bool is_empty(__mmask32 mask)
{
	return _kortestz_mask32_u8(mask, mask);
}

/* (a & mask) | marks */
static inline __m512i masked_or(__m512i a, __m512i mask, __m512i marks)
{
	return _mm512_ternarylogic_epi32(a, mask, marks, 0xea);
}

/* The surrogates among the units of a step, and the left neighbour of each
 * unit. */
struct surrogates {
	__mmask32 high;
	__mmask32 low;
	__m512i previous;
};

/* The surrogates of the step at src[i] that have no partner; fills previous.
 * units holds the step, zero behind n. */
static inline __mmask32 find_lone(const struct constants *c,
                                  struct surrogates *found, const uint16_t *src,
                                  size_t n, size_t i, __m512i units)
{
	const __m512i lanes = _mm512_loadu_si512(f2_lanes_16[0]);
	size_t left = n - i;
	__m512i next;

	/* SAFETY: memory is read only where src[i - 1] and src[i + 32], the
	 * outermost units, lie inside. Elsewhere units are moved by a lane; the
	 * lane that enters is zero or the one unit that is needed. */
	if (left > 32)
		next = _mm512_loadu_si512(src + i + 1);
	else
		next = _mm512_maskz_permutexvar_epi16(
		        0x7fffffff,
		        _mm512_add_epi16(lanes, _mm512_set1_epi16(1)), units);
	if (i > 0 && left > 32)
		found->previous = _mm512_loadu_si512(src + i - 1);
	else
		found->previous = _mm512_mask_permutexvar_epi16(
		        _mm512_set1_epi16(i > 0 ? (short)src[i - 1] : 0),
		        0xfffffffe,
		        _mm512_sub_epi16(lanes, _mm512_set1_epi16(1)), units);
	__mmask32 high = _mm512_mask_cmpneq_epi16_mask(
	        found->high, _mm512_and_si512(next, each(c->top_6)),
	        each(c->low));
	__mmask32 low = _mm512_mask_cmpneq_epi16_mask(
	        found->low, _mm512_and_si512(found->previous, each(c->top_6)),
	        each(c->high));
	return _kor_mask32(high, low);
}

/* The bytes of the paired surrogates; tail holds those of all other units. */
static inline __m512i halves(const struct constants *c,
                             const struct surrogates *found, __m512i units,
                             __m512i tail, __m512i low_6)
{
	/* A low half was made like a BMP unit's last two bytes and has 0x30
	 * where the lowest two bits of its high half belong. */
	__m512i joined = _mm512_ternarylogic_epi32(
	        tail, _mm512_slli_epi16(found->previous, 4), each(c->borrowed),
	        0xd8);
	/* The low ten bits + 0x40 are the upper bits of the code point. */
	__m512i upper = _mm512_sub_epi16(units, each(c->high_offset));
	__m512i lead = _mm512_multishift_epi64_epi8(
	        _mm512_set1_epi64((long long)c->high_split), upper);

	lead = masked_or(lead, low_6, each(c->high_marks));
	tail = _mm512_mask_mov_epi16(tail, found->low, joined);
	return _mm512_mask_mov_epi16(tail, found->high, lead);
}

/* Store the bytes of v that keep names; returns their number. Compressing to a
 * register first: to memory it is microcode on Zen 4 and slower on Zen 5. */
static inline size_t store_kept(uint8_t *dst, __m512i v, __mmask64 keep)
{
	_mm512_storeu_si512(dst, _mm512_maskz_compress_epi8(keep, v));
	return (size_t)__builtin_popcountll(keep);
}

/* Encode a block of BLOCK units if all of them are ASCII. */
static inline bool ascii_block(uint8_t *dst, const uint16_t *src,
                               __m512i above_7f, __m512i even)
{
	__m512i a = _mm512_loadu_si512(src);
	__m512i b = _mm512_loadu_si512(src + STEP);
	__m512i c = _mm512_loadu_si512(src + 2 * STEP);
	__m512i d = _mm512_loadu_si512(src + 3 * STEP);
	__m512i any =
	        _mm512_ternarylogic_epi32(_mm512_or_si512(a, b), c, d, 0xfe);
	if (!is_empty(_mm512_test_epi16_mask(any, above_7f)))
		return false;
	_mm512_storeu_si512(dst, _mm512_permutex2var_epi8(a, even, b));
	_mm512_storeu_si512(dst + 2 * STEP,
	                    _mm512_permutex2var_epi8(c, even, d));
	return true;
}

/* The step at src[i], zero behind n. */
static inline __m512i load_units(const uint16_t *src, size_t n, size_t i)
{
	if (n - i >= 32)
		return _mm512_loadu_si512(src + i);
	/* SAFETY: lanes that the mask leaves out are not accessed. */
	return _mm512_maskz_loadu_epi16(
	        _bzhi_u32(0xffffffff, (uint32_t)(n - i)), src + i);
}

/*
 * SAFETY of the stores: the caller provides 64 bytes behind 3 * n. The first of
 * a step begins at 3 * i or before and is at most 64 bytes long. A second one,
 * of 32 bytes, begins where the bytes of units before n end, or up to 21 bytes
 * behind them in the last step, for its units beyond n.
 */
size_t f2_avx512_utf16_to_utf8(uint8_t *dst, const uint16_t *src, size_t n,
                               size_t *lone)
{
	const struct constants *c = get_constants();
	const __m512i above_7f = each_unit(0xff80);
	const __m512i above_7ff = each_unit(0xf800);
	const __m512i low_6 = each_unit(0x3f3f);
	const __m512i two_marks = each_unit(0x80c0);
	const __m512i next_marks = each_unit(0x8080);
	const __m512i last_byte = each_unit(0xff00);
	/* Of each unit the bits from 6 on and those from 0 on. */
	const __m512i split = pinned(_mm512_set1_epi64(0x3036202610160006));
	const __m512i lead_mark = each_unit(0x00e0);
	const __m512i even = pinned(_mm512_loadu_si512(f2_even_bytes[0]));
	const __m512i slots_a = pinned(_mm512_loadu_si512(f2_three_slots[0]));
	const __m512i slots_b = pinned(_mm512_loadu_si512(f2_three_slots[1]));
	const __m512i last_a = pinned(_mm512_loadu_si512(f2_last_slots[0]));
	const __m256i last_b = _mm512_castsi512_si256(
	        pinned(_mm512_loadu_si512(f2_last_slots[1])));
	uint8_t *out = dst;
	size_t block = 0; /* where the next block begins */

	for (size_t i = 0; i < n; i += STEP) {
		/* In a text with some accents or signs, whether 32 units are
		 * ASCII is a coin toss that would cost a mispredicted branch;
		 * whether 128 are is not. */
		if (i >= block) {
			while (n - i >= BLOCK &&
			       ascii_block(out, src + i, above_7f, even)) {
				out += BLOCK;
				i += BLOCK;
			}
			block = i + BLOCK;
			if (i == n)
				break;
		}

		__m512i units = load_units(src, n, i);
		/* Units beyond n come out as one zero byte each, last. */
		size_t beyond = n - i < STEP ? STEP - (n - i) : 0;
		__mmask32 not_ascii = _mm512_test_epi16_mask(units, above_7f);
		__mmask32 not_short = _mm512_test_epi16_mask(units, above_7ff);

		/* The last two bytes of each unit's form. */
		__m512i tail;
		__mmask32 three = not_short;
		if (is_empty(not_short)) {
			tail = masked_or(
			        _mm512_multishift_epi64_epi8(split, units),
			        low_6, two_marks);
		} else {
			__m512i top = _mm512_and_si512(units, each(c->top_6));
			struct surrogates found;
			found.high =
			        _mm512_cmpeq_epi16_mask(top, each(c->high));
			found.low = _mm512_cmpeq_epi16_mask(top, each(c->low));
			bool has_any =
			        !_kortestz_mask32_u8(found.high, found.low);
			if (has_any) {
				__mmask32 alone =
				        find_lone(c, &found, src, n, i, units);
				if (!is_empty(alone)) {
					if (lone != NULL) {
						/* Begin the step anew with the
						 * units before; they pair as
						 * they did. */
						n = i + (size_t)__builtin_ctz(
						                alone);
						i -= STEP;
						continue;
					}
					units = _mm512_mask_mov_epi16(
					        units, alone,
					        each(c->replacement));
					found.high = _kandn_mask32(alone,
					                           found.high);
					found.low =
					        _kandn_mask32(alone, found.low);
				}
			}
			tail = masked_or(
			        _mm512_multishift_epi64_epi8(split, units),
			        low_6,
			        _mm512_mask_mov_epi16(two_marks, not_short,
			                              next_marks));
			if (has_any) {
				tail = halves(c, &found, units, tail, low_6);
				three = _kandn_mask32(
				        _kor_mask32(found.high, found.low),
				        not_short);
			}
		}
		tail = _mm512_mask_slli_epi16(tail, _knot_mask32(not_ascii),
		                              units, 8);

		if (is_empty(three)) {
			if (_kortestc_mask32_u8(not_ascii, not_ascii)) {
				_mm512_storeu_si512(out, tail);
				out += 64;
				continue;
			}
			/* The last byte stays even when it is NUL. */
			__m512i kept = _mm512_or_si512(tail, last_byte);
			out += store_kept(out, tail,
			                  _mm512_test_epi8_mask(kept, kept));
			out -= beyond;
			continue;
		}

		/* Three slots a unit: the lead of a three-byte form, the last
		 * two. 96 bytes, of which the first vector holds units 0 to 20
		 * and a part of 21. */
		__m512i lead = _mm512_maskz_add_epi16(
		        three, _mm512_srli_epi16(units, 12), lead_mark);
		__m512i a = _mm512_permutex2var_epi8(lead, slots_a, tail);
		__m256i b = _mm512_castsi512_si256(
		        _mm512_permutex2var_epi8(lead, slots_b, tail));
		if (_kortestc_mask32_u8(three, three)) {
			_mm512_storeu_si512(out, a);
			_mm256_storeu_si256((void *)(out + 64), b);
			out += 96;
			continue;
		}
		__m512i kept_a = _mm512_or_si512(a, last_a);
		__m256i kept_b = _mm256_or_si256(b, last_b);
		__mmask32 keep = _mm256_test_epi8_mask(kept_b, kept_b);
		out += store_kept(out, a,
		                  _mm512_test_epi8_mask(kept_a, kept_a));
		_mm256_storeu_si256((void *)out,
		                    _mm256_maskz_compress_epi8(keep, b));
		out += __builtin_popcount(keep);
		out -= beyond;
	}
	if (lone != NULL)
		*lone = n;
	return (size_t)(out - dst);
}

size_t f2_avx512_utf16_utf8_length(const uint16_t *src, size_t n, size_t *lone)
{
	const struct constants *c = get_constants();
	const __m512i above_7f = each_unit(0xff80);
	const __m512i above_7ff = each_unit(0xf800);
	size_t length = n;
	size_t first_lone = n;

	for (size_t i = 0; i < n; i += 32) {
		__m512i units = load_units(src, n, i);
		struct surrogates found;
		length += (size_t)__builtin_popcount(
		        _mm512_test_epi16_mask(units, above_7f));
		length += (size_t)__builtin_popcount(
		        _mm512_test_epi16_mask(units, above_7ff));
		__m512i top = _mm512_and_si512(units, each(c->top_6));
		found.high = _mm512_cmpeq_epi16_mask(top, each(c->high));
		found.low = _mm512_cmpeq_epi16_mask(top, each(c->low));
		__mmask32 any = _kor_mask32(found.high, found.low);
		if (is_empty(any))
			continue;
		__mmask32 alone = find_lone(c, &found, src, n, i, units);
		/* A paired half makes two bytes. */
		length -= (size_t)__builtin_popcount(_kandn_mask32(alone, any));
		if (!is_empty(alone) && first_lone == n)
			first_lone = i + (size_t)__builtin_ctz(alone);
	}
	if (lone != NULL)
		*lone = first_lone;
	return length;
}

#endif
