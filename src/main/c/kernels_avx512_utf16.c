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
 * is a mere load where it is used. */
struct rare {
	uint32_t top_6;
	uint32_t high; /* the top 6 bits of high surrogates */
	uint32_t low;  /* and of low ones */
	uint32_t replacement;
	uint32_t high_offset;
	uint32_t high_marks; /* of the bytes of a high surrogate */
	uint32_t borrowed;   /* what a low half takes from its high one */
	uint64_t high_split; /* of each unit the bits from 8 on, from 2 on */
};

static const struct rare rare_in_memory = {
        .top_6 = 0xfc00fc00,
        .high = 0xd800d800,
        .low = 0xdc00dc00,
        .replacement = 0xfffdfffd,
        .high_offset = 0xd7c0d7c0,
        .high_marks = 0x80f080f0,
        .borrowed = 0x00300030,
        .high_split = 0x3238222812180208,
};

static inline const struct rare *get_rare(void)
{
	const struct rare *rare = &rare_in_memory;
	__asm__("" : "+r"(rare));
	return rare;
}

static inline __m512i each(uint32_t two_units)
{
	return _mm512_set1_epi32((int)two_units);
}

static inline __m512i table(const uint8_t *bytes)
{
	return pinned(_mm512_loadu_si512(bytes));
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

static inline struct surrogates find_surrogates(const struct rare *rare,
                                                __m512i units)
{
	__m512i top = _mm512_and_si512(units, each(rare->top_6));

	return (struct surrogates){
	        .high = _mm512_cmpeq_epi16_mask(top, each(rare->high)),
	        .low = _mm512_cmpeq_epi16_mask(top, each(rare->low)),
	};
}

static inline bool has_any(const struct surrogates *found)
{
	return !_kortestz_mask32_u8(found->high, found->low);
}

/* The surrogates of the step at src[i] that have no partner; fills previous.
 * units holds the step, zero behind n. */
static inline __mmask32 find_lone(const struct rare *rare,
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
	        found->high, _mm512_and_si512(next, each(rare->top_6)),
	        each(rare->low));
	__mmask32 low = _mm512_mask_cmpneq_epi16_mask(
	        found->low,
	        _mm512_and_si512(found->previous, each(rare->top_6)),
	        each(rare->high));
	return _kor_mask32(high, low);
}

/* Units with U+FFFD for the lone surrogates, of which found then knows no more.
 */
static inline __m512i replace_lone(const struct rare *rare,
                                   struct surrogates *found, __m512i units,
                                   __mmask32 alone)
{
	found->high = _kandn_mask32(alone, found->high);
	found->low = _kandn_mask32(alone, found->low);
	return _mm512_mask_mov_epi16(units, alone, each(rare->replacement));
}

/* The bytes of the paired surrogates; tail holds those of all other units. */
static inline __m512i halves(const struct rare *rare,
                             const struct surrogates *found, __m512i units,
                             __m512i tail, __m512i low_6)
{
	/* A low half was made like a BMP unit's last two bytes and has 0x30
	 * where the lowest two bits of its high half belong. */
	__m512i joined = _mm512_ternarylogic_epi32(
	        tail, _mm512_slli_epi16(found->previous, 4),
	        each(rare->borrowed), 0xd8);
	/* The low ten bits + 0x40 are the upper bits of the code point. */
	__m512i upper = _mm512_sub_epi16(units, each(rare->high_offset));
	__m512i lead = _mm512_multishift_epi64_epi8(
	        _mm512_set1_epi64((long long)rare->high_split), upper);

	lead = masked_or(lead, low_6, each(rare->high_marks));
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

/* What every step needs, in registers. */
struct constants {
	__m512i above_7f;
	__m512i above_7ff;
	__m512i low_6;      /* of each byte */
	__m512i two_marks;  /* of a two-byte form */
	__m512i next_marks; /* of two continuation bytes */
	__m512i last_byte;
	__m512i split; /* of each unit the bits from 6 on, from 0 on */
	__m512i lead_mark;
	__m512i even;
	__m512i slots[2];
	__m512i last_slots[2];
};

static inline struct constants make_constants(void)
{
	return (struct constants){
	        .above_7f = each_unit(0xff80),
	        .above_7ff = each_unit(0xf800),
	        .low_6 = each_unit(0x3f3f),
	        .two_marks = each_unit(0x80c0),
	        .next_marks = each_unit(0x8080),
	        .last_byte = each_unit(0xff00),
	        .split = pinned(_mm512_set1_epi64(0x3036202610160006)),
	        .lead_mark = each_unit(0x00e0),
	        .even = table(f2_even_bytes[0]),
	        .slots = {table(f2_three_slots[0]), table(f2_three_slots[1])},
	        .last_slots = {table(f2_last_slots[0]),
	                       table(f2_last_slots[1])},
	};
}

/* The last two bytes of the form of each unit that is no surrogate, but of
 * ASCII ones; marks are those of that form. */
static inline __m512i last_bytes(const struct constants *c, __m512i units,
                                 __m512i marks)
{
	__m512i both = _mm512_multishift_epi64_epi8(c->split, units);

	return masked_or(both, c->low_6, marks);
}

/* Store a step without three-byte units. Returns the number of bytes. */
static inline size_t store_short(uint8_t *dst, const struct constants *c,
                                 __m512i tail, __mmask32 not_ascii)
{
	if (_kortestc_mask32_u8(not_ascii, not_ascii)) {
		_mm512_storeu_si512(dst, tail);
		return 2 * STEP;
	}
	/* The last byte stays even when it is NUL. */
	__m512i kept = _mm512_or_si512(tail, c->last_byte);
	return store_kept(dst, tail, _mm512_test_epi8_mask(kept, kept));
}

/* Store a step with three-byte units. Returns the number of bytes. */
static inline size_t store_long(uint8_t *dst, const struct constants *c,
                                __m512i units, __m512i tail, __mmask32 three)
{
	/* Three slots a unit: the lead of a three-byte form, the last two. 96
	 * bytes, of which the first vector holds units 0 to 20 and a part of
	 * 21. */
	__m512i lead = _mm512_maskz_add_epi16(
	        three, _mm512_srli_epi16(units, 12), c->lead_mark);
	__m512i a = _mm512_permutex2var_epi8(lead, c->slots[0], tail);
	__m256i b = _mm512_castsi512_si256(
	        _mm512_permutex2var_epi8(lead, c->slots[1], tail));

	if (_kortestc_mask32_u8(three, three)) {
		_mm512_storeu_si512(dst, a);
		_mm256_storeu_si256((void *)(dst + 64), b);
		return 3 * STEP;
	}
	__m512i kept_a = _mm512_or_si512(a, c->last_slots[0]);
	__m256i kept_b =
	        _mm256_or_si256(b, _mm512_castsi512_si256(c->last_slots[1]));
	__mmask32 keep = _mm256_test_epi8_mask(kept_b, kept_b);
	size_t first =
	        store_kept(dst, a, _mm512_test_epi8_mask(kept_a, kept_a));
	_mm256_storeu_si256((void *)(dst + first),
	                    _mm256_maskz_compress_epi8(keep, b));
	return first + (unsigned)__builtin_popcount(keep);
}

/* Encode a block of BLOCK units if all of them are ASCII. */
static inline bool ascii_block(uint8_t *dst, const uint16_t *src,
                               const struct constants *constants)
{
	__m512i a = _mm512_loadu_si512(src);
	__m512i b = _mm512_loadu_si512(src + STEP);
	__m512i c = _mm512_loadu_si512(src + 2 * STEP);
	__m512i d = _mm512_loadu_si512(src + 3 * STEP);
	__m512i any =
	        _mm512_ternarylogic_epi32(_mm512_or_si512(a, b), c, d, 0xfe);
	if (!is_empty(_mm512_test_epi16_mask(any, constants->above_7f)))
		return false;
	_mm512_storeu_si512(dst,
	                    _mm512_permutex2var_epi8(a, constants->even, b));
	_mm512_storeu_si512(dst + 2 * STEP,
	                    _mm512_permutex2var_epi8(c, constants->even, d));
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
	const struct rare *rare = get_rare();
	const struct constants constants = make_constants();
	const struct constants *c = &constants;
	uint8_t *out = dst;
	size_t block = 0; /* where the next block begins */
	size_t i = 0;

	while (i < n) {
		/* In a text with some accents or signs, whether 32 units are
		 * ASCII is a coin toss that would cost a mispredicted branch;
		 * whether 128 are is not. */
		if (i >= block) {
			while (n - i >= BLOCK && ascii_block(out, src + i, c)) {
				out += BLOCK;
				i += BLOCK;
			}
			block = i + BLOCK;
			if (i == n)
				break;
		}

		__m512i units = load_units(src, n, i);
		__mmask32 not_ascii =
		        _mm512_test_epi16_mask(units, c->above_7f);
		__mmask32 not_short =
		        _mm512_test_epi16_mask(units, c->above_7ff);
		__mmask32 three = not_short;
		__m512i tail;

		if (is_empty(not_short)) {
			tail = last_bytes(c, units, c->two_marks);
		} else {
			struct surrogates found = find_surrogates(rare, units);
			bool has_surrogates = has_any(&found);
			if (has_surrogates) {
				__mmask32 alone = find_lone(rare, &found, src,
				                            n, i, units);
				if (!is_empty(alone) && lone != NULL) {
					/* Begin the step anew with the units
					 * before; they pair as they did. */
					n = i + (unsigned)__builtin_ctz(alone);
					continue;
				}
				if (!is_empty(alone))
					units = replace_lone(rare, &found,
					                     units, alone);
			}
			tail = last_bytes(c, units,
			                  _mm512_mask_mov_epi16(c->two_marks,
			                                        not_short,
			                                        c->next_marks));
			if (has_surrogates) {
				tail = halves(rare, &found, units, tail,
				              c->low_6);
				three = _kandn_mask32(
				        _kor_mask32(found.high, found.low),
				        not_short);
			}
		}
		tail = _mm512_mask_slli_epi16(tail, _knot_mask32(not_ascii),
		                              units, 8);
		if (is_empty(three))
			out += store_short(out, c, tail, not_ascii);
		else
			out += store_long(out, c, units, tail, three);
		/* Units beyond n came out as one zero byte each, last. */
		if (n - i < STEP)
			out -= STEP - (n - i);
		i += STEP;
	}
	if (lone != NULL)
		*lone = n;
	return (size_t)(out - dst);
}

size_t f2_avx512_utf16_utf8_length(const uint16_t *src, size_t n, size_t *lone)
{
	const struct rare *rare = get_rare();
	const __m512i above_7f = each_unit(0xff80);
	const __m512i above_7ff = each_unit(0xf800);
	size_t length = n;
	size_t first_lone = n;

	for (size_t i = 0; i < n; i += 32) {
		__m512i units = load_units(src, n, i);
		length += (size_t)__builtin_popcount(
		        _mm512_test_epi16_mask(units, above_7f));
		length += (size_t)__builtin_popcount(
		        _mm512_test_epi16_mask(units, above_7ff));
		struct surrogates found = find_surrogates(rare, units);
		if (!has_any(&found))
			continue;
		__mmask32 alone = find_lone(rare, &found, src, n, i, units);
		/* A paired half makes two bytes. */
		length -= (size_t)__builtin_popcount(_kandn_mask32(
		        alone, _kor_mask32(found.high, found.low)));
		if (!is_empty(alone) && first_lone == n)
			first_lone = i + (size_t)__builtin_ctz(alone);
	}
	if (lone != NULL)
		*lone = first_lone;
	return length;
}

#endif
