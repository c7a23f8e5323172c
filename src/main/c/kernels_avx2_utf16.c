/*
 * UTF-16 to UTF-8 with AVX2, 16 units a step.
 *
 * As in the AVX-512 variant every unit gets bytes of its own: a high surrogate
 * the first two of its pair's four, a low one the last two, so that a step may
 * begin or end inside a pair. Here a byte shuffle from a table, chosen by the
 * classes of 8 or 4 units, squeezes out the bytes that units do not have.
 */
#include "kernels_avx2.h"

#ifdef __AVX2__

#include "kernels_tables.h"

#include <immintrin.h>

enum {
	STEP = 16,        /* units in a vector */
	BLOCK = 4 * STEP, /* units that are looked at for ASCII at once */
};

/* gcc 12 builds a constant anew at each use, unless it can't see where it comes
 * from. Sixteen registers do not hold all of these; the others become operands
 * in memory, which cost nothing. */
static inline __m256i pinned(int value)
{
	__m256i constant = _mm256_set1_epi16((short)value);
	__asm__("" : "+x"(constant));
	return constant;
}

struct constants {
	__m256i above_7f;
	__m256i above_7ff;
	__m256i top_6;
	__m256i high; /* the top 6 bits of high surrogates */
	__m256i low;  /* and of low ones */
	__m256i replacement;
	__m256i low_6;         /* of the lower byte */
	__m256i upper_low_6;   /* of the upper byte */
	__m256i marks_of_two;  /* of a two-byte form */
	__m256i marks_of_next; /* of two continuation bytes */
	__m256i marks_of_high; /* of a high surrogate's bytes */
	__m256i two_not_next;  /* where marks_of_two and _next differ */
	__m256i lead_of_three;
	__m256i high_offset;
	__m256i borrowed; /* what a low half takes from its high one */
};

static inline struct constants make_constants(void)
{
	return (struct constants){
	        .above_7f = pinned(0xff80),
	        .above_7ff = pinned(0xf800),
	        .top_6 = pinned(0xfc00),
	        .high = pinned(0xd800),
	        .low = pinned(0xdc00),
	        .replacement = pinned(0xfffd),
	        .low_6 = pinned(0x003f),
	        .upper_low_6 = pinned(0x3f00),
	        .marks_of_two = pinned(0x80c0),
	        .marks_of_next = pinned(0x8080),
	        .marks_of_high = pinned(0x80f0),
	        .two_not_next = pinned(0x0040),
	        .lead_of_three = pinned(0x00e0),
	        .high_offset = pinned(0xd7c0),
	        .borrowed = pinned(0x0030),
	};
}

static inline __m256i load(const uint16_t *src)
{
	return _mm256_loadu_si256((const void *)src);
}

static inline __m256i is_zero(__m256i lanes)
{
	return _mm256_cmpeq_epi16(lanes, _mm256_setzero_si256());
}

static inline bool any(__m256i mask)
{
	return !_mm256_testz_si256(mask, mask);
}

/* Two bits for each unit whose mask lane is set. */
static inline uint32_t two_bits(__m256i mask)
{
	return (uint32_t)_mm256_movemask_epi8(mask);
}

/* The surrogates of a step, as masks, and the left neighbour of each unit. */
struct surrogates {
	__m256i high;
	__m256i low;
	__m256i previous;
};

static inline struct surrogates find_surrogates(const struct constants *c,
                                                __m256i units)
{
	__m256i top = _mm256_and_si256(units, c->top_6);

	return (struct surrogates){
	        .high = _mm256_cmpeq_epi16(top, c->high),
	        .low = _mm256_cmpeq_epi16(top, c->low),
	};
}

static inline void find_previous(struct surrogates *found, const uint16_t *src,
                                 size_t i, __m256i units)
{
	/* Nothing lies before src[0]: there the units move up by a lane. */
	if (i > 0)
		found->previous = load(src + i - 1);
	else
		found->previous = _mm256_alignr_epi8(
		        units, _mm256_permute2x128_si256(units, units, 0x08),
		        14);
}

/* The surrogates without a partner. SAFETY: the caller knows that src[i + 16]
 * exists. */
static inline __m256i find_lone(const struct constants *c,
                                const struct surrogates *found,
                                const uint16_t *src, size_t i)
{
	const __m256i top_6 = c->top_6;
	__m256i after_high = _mm256_cmpeq_epi16(
	        _mm256_and_si256(found->previous, top_6), c->high);
	__m256i before_low = _mm256_cmpeq_epi16(
	        _mm256_and_si256(load(src + i + 1), top_6), c->low);

	return _mm256_or_si256(_mm256_andnot_si256(before_low, found->high),
	                       _mm256_andnot_si256(after_high, found->low));
}

/* Of each unit bits 6 to 11 in the lower byte and bits 0 to 5 in the upper
 * one, with marks. */
static inline __m256i last_bytes(const struct constants *c, __m256i units,
                                 __m256i marks)
{
	__m256i upper = _mm256_and_si256(_mm256_srli_epi16(units, 6), c->low_6);
	__m256i lower =
	        _mm256_and_si256(_mm256_slli_epi16(units, 8), c->upper_low_6);
	return _mm256_or_si256(_mm256_or_si256(upper, lower), marks);
}

/* The bytes of the paired surrogates; tail holds those of all other units. */
static inline __m256i halves(const struct constants *c,
                             const struct surrogates *found, __m256i units,
                             __m256i tail)
{
	/* The low ten bits + 0x40 are the upper bits of the code point. */
	__m256i upper = _mm256_sub_epi16(units, c->high_offset);
	__m256i lead = _mm256_or_si256(
	        _mm256_or_si256(_mm256_srli_epi16(upper, 8),
	                        _mm256_and_si256(_mm256_slli_epi16(upper, 6),
	                                         c->upper_low_6)),
	        c->marks_of_high);
	/* A low half was made like a BMP unit's last two bytes and has 0x30
	 * where the lowest two bits of its high half belong. */
	__m256i joined = _mm256_andnot_si256(
	        _mm256_andnot_si256(_mm256_slli_epi16(found->previous, 4),
	                            c->borrowed),
	        tail);

	tail = _mm256_blendv_epi8(tail, joined, found->low);
	return _mm256_blendv_epi8(tail, lead, found->high);
}

/* The bytes of ASCII units behind a zero, those of all others from tail. */
static inline __m256i with_ascii(__m256i tail, __m256i units, __m256i ascii)
{
	return _mm256_blendv_epi8(tail, _mm256_slli_epi16(units, 8), ascii);
}

/* Squeeze eight units of at most two bytes; wide has a bit for each of two.
 * Returns the number of bytes. */
static inline size_t store_eight(uint8_t *dst, __m128i tail, uint32_t wide)
{
	__m128i shuffle = _mm_load_si128((const void *)f2_keep_2[wide]);

	_mm_storeu_si128((void *)dst, _mm_shuffle_epi8(tail, shuffle));
	return 8 + (unsigned)__builtin_popcount(wide);
}

/* Store a step without three-byte units, whose last two bytes tail holds.
 * Returns the number of bytes. */
static inline size_t store_short(uint8_t *dst, __m256i units, __m256i tail,
                                 __m256i ascii)
{
	/* Units 0 to 7 in bits 0 to 7, units 8 to 15 in bits 16 to 23. */
	uint32_t wide = ~two_bits(_mm256_packs_epi16(ascii, ascii));
	if (wide == 0xffffffff) {
		_mm256_storeu_si256((void *)dst, tail);
		return 32;
	}
	tail = with_ascii(tail, units, ascii);
	size_t first =
	        store_eight(dst, _mm256_castsi256_si128(tail), wide & 0xff);
	return first + store_eight(dst + first,
	                           _mm256_extracti128_si256(tail, 1),
	                           wide >> 24);
}

/* Store four units of up to three bytes, in 32-bit lanes; classes has a bit for
 * each that is not ASCII and, above those, one for each of three bytes. Returns
 * the number of bytes. */
static inline size_t store_four(uint8_t *dst, __m128i lanes, uint32_t classes)
{
	__m128i shuffle = _mm_load_si128((const void *)f2_keep_3[classes]);

	_mm_storeu_si128((void *)dst, _mm_shuffle_epi8(lanes, shuffle));
	return 4 + (unsigned)__builtin_popcount(classes);
}

/* Store a step with three-byte units, which are those not shorter. Returns the
 * number of bytes. */
static inline size_t store_long(uint8_t *dst, const struct constants *c,
                                __m256i units, __m256i tail, __m256i ascii,
                                __m256i shorter)
{
	__m256i lead = _mm256_andnot_si256(
	        shorter, _mm256_or_si256(_mm256_srli_epi16(units, 12),
	                                 c->lead_of_three));
	tail = with_ascii(tail, units, ascii);
	__m256i even = _mm256_unpacklo_epi16(lead, tail); /* units 0-3, 8-11 */
	__m256i odd = _mm256_unpackhi_epi16(lead, tail);  /* 4-7, 12-15 */
	/* Bytes, from the lowest: units 0 to 7 that are not ASCII, those of
	 * three bytes, and the same of units 8 to 15. */
	uint32_t classes = ~two_bits(_mm256_packs_epi16(ascii, shorter));

	if (classes == 0xffffffff) {
		const __m256i dense = _mm256_broadcastsi128_si256(
		        _mm_load_si128((const void *)f2_keep_3[0xff]));
		even = _mm256_shuffle_epi8(even, dense);
		odd = _mm256_shuffle_epi8(odd, dense);
		_mm_storeu_si128((void *)dst, _mm256_castsi256_si128(even));
		_mm_storeu_si128((void *)(dst + 12),
		                 _mm256_castsi256_si128(odd));
		_mm_storeu_si128((void *)(dst + 24),
		                 _mm256_extracti128_si256(even, 1));
		_mm_storeu_si128((void *)(dst + 36),
		                 _mm256_extracti128_si256(odd, 1));
		return 48;
	}
	uint8_t *out = dst;
	out += store_four(out, _mm256_castsi256_si128(even),
	                  (classes & 0xf) | (classes >> 4 & 0xf0));
	out += store_four(out, _mm256_castsi256_si128(odd),
	                  (classes >> 4 & 0xf) | (classes >> 8 & 0xf0));
	out += store_four(out, _mm256_extracti128_si256(even, 1),
	                  (classes >> 16 & 0xf) | (classes >> 20 & 0xf0));
	out += store_four(out, _mm256_extracti128_si256(odd, 1),
	                  (classes >> 20 & 0xf) | (classes >> 24 & 0xf0));
	return (size_t)(out - dst);
}

/* Encode a block of BLOCK units if all of them are ASCII. */
static inline bool ascii_block(uint8_t *dst, const uint16_t *src,
                               __m256i above_7f)
{
	__m256i a = load(src);
	__m256i b = load(src + STEP);
	__m256i c = load(src + 2 * STEP);
	__m256i d = load(src + 3 * STEP);
	__m256i all =
	        _mm256_or_si256(_mm256_or_si256(a, b), _mm256_or_si256(c, d));
	if (!_mm256_testz_si256(all, above_7f))
		return false;
	/* The pack works within 128 bits: mend the order. */
	a = _mm256_permute4x64_epi64(_mm256_packus_epi16(a, b), 0xd8);
	c = _mm256_permute4x64_epi64(_mm256_packus_epi16(c, d), 0xd8);
	_mm256_storeu_si256((void *)dst, a);
	_mm256_storeu_si256((void *)(dst + 2 * STEP), c);
	return true;
}

/* Encode what is left behind the last step at src[i]. */
static size_t encode_rest(uint8_t *dst, const uint16_t *src, size_t n, size_t i,
                          size_t *lone)
{
	uint8_t *out = dst;

	/* The step before may have made the first half of a pair. */
	if (i > 0 && i < n && (src[i - 1] & 0xfc00) == 0xd800 &&
	    (src[i] & 0xfc00) == 0xdc00) {
		uint32_t high = src[i - 1];
		uint32_t low = src[i];
		*out++ = (uint8_t)(0x80 | (high & 3) << 4 | (low >> 6 & 0xf));
		*out++ = (uint8_t)(0x80 | (low & 0x3f));
		i++;
	}
	out += f2_kernels_scalar.utf16_to_utf8(out, src + i, n - i, lone);
	if (lone != NULL)
		*lone += i;
	return (size_t)(out - dst);
}

/* SAFETY of the loads: a step reads src[i - 1] where i > 0, and up to
 * src[i + 16]. Of the stores: each begins where the bytes of units before it
 * end and is at most 32 bytes long, of the 64 behind 3 * n. */
size_t f2_avx2_utf16_to_utf8(uint8_t *dst, const uint16_t *src, size_t n,
                             size_t *lone)
{
	/* The constants would cost a short text more than it takes. */
	if (n <= STEP)
		return f2_kernels_scalar.utf16_to_utf8(dst, src, n, lone);

	const struct constants constants = make_constants();
	const struct constants *c = &constants;
	uint8_t *out = dst;
	size_t block = 0; /* where the next block begins */
	size_t i = 0;

	while (n - i > STEP) {
		/* In a text with some accents or signs, whether 16 units are
		 * ASCII is a coin toss that would cost a mispredicted branch;
		 * whether 64 are is not. */
		if (i >= block) {
			while (n - i >= BLOCK &&
			       ascii_block(out, src + i, c->above_7f)) {
				out += BLOCK;
				i += BLOCK;
			}
			block = i + BLOCK;
			if (n - i <= STEP)
				break;
		}

		__m256i units = load(src + i);
		__m256i ascii = is_zero(_mm256_and_si256(units, c->above_7f));
		if (_mm256_testz_si256(units, c->above_7ff)) {
			out += store_short(
			        out, units,
			        last_bytes(c, units, c->marks_of_two), ascii);
			i += STEP;
			continue;
		}

		__m256i shorter =
		        is_zero(_mm256_and_si256(units, c->above_7ff));
		struct surrogates found = find_surrogates(c, units);
		__m256i paired = _mm256_or_si256(found.high, found.low);
		if (!any(paired)) {
			__m256i tail = last_bytes(c, units, c->marks_of_next);
			tail = _mm256_or_si256(
			        tail,
			        _mm256_and_si256(shorter, c->two_not_next));
			out += store_long(out, c, units, tail, ascii, shorter);
			i += STEP;
			continue;
		}

		find_previous(&found, src, i, units);
		__m256i alone = find_lone(c, &found, src, i);
		if (any(alone)) {
			if (lone != NULL) {
				/* The units before it pair as they did. */
				n = i +
				    (size_t)__builtin_ctz(two_bits(alone)) / 2;
				break;
			}
			units = _mm256_blendv_epi8(units, c->replacement,
			                           alone);
			found.high = _mm256_andnot_si256(alone, found.high);
			found.low = _mm256_andnot_si256(alone, found.low);
			paired = _mm256_andnot_si256(alone, paired);
		}
		__m256i tail = last_bytes(c, units, c->marks_of_next);
		tail = _mm256_or_si256(
		        tail, _mm256_and_si256(shorter, c->two_not_next));
		tail = halves(c, &found, units, tail);
		shorter = _mm256_or_si256(shorter, paired);
		if (two_bits(shorter) == 0xffffffff)
			out += store_short(out, units, tail, ascii);
		else
			out += store_long(out, c, units, tail, ascii, shorter);
		i += STEP;
	}
	out += encode_rest(out, src, n, i, lone);
	return (size_t)(out - dst);
}

size_t f2_avx2_utf16_utf8_length(const uint16_t *src, size_t n, size_t *lone)
{
	const struct constants constants = make_constants();
	const struct constants *c = &constants;
	size_t length = 0;
	size_t first_lone = n;
	size_t i = 0;

	for (; n - i > STEP; i += STEP) {
		__m256i units = load(src + i);
		__m256i ascii = is_zero(_mm256_and_si256(units, c->above_7f));
		__m256i shorter =
		        is_zero(_mm256_and_si256(units, c->above_7ff));
		/* A bit a byte: each class counts twice. */
		uint32_t two_less =
		        (uint32_t)__builtin_popcount(two_bits(ascii)) +
		        (uint32_t)__builtin_popcount(two_bits(shorter));
		length += 3 * STEP - two_less / 2;
		if (two_bits(shorter) == 0xffffffff)
			continue;
		struct surrogates found = find_surrogates(c, units);
		__m256i either = _mm256_or_si256(found.high, found.low);
		if (!any(either))
			continue;
		find_previous(&found, src, i, units);
		uint32_t alone = two_bits(find_lone(c, &found, src, i));
		/* A paired half makes two bytes. */
		length -= (uint32_t)__builtin_popcount(two_bits(either) &
		                                       ~alone) /
		          2;
		if (alone != 0 && first_lone == n)
			first_lone = i + (size_t)__builtin_ctz(alone) / 2;
	}
	/* The second half of a pair whose first half was counted. */
	if (i > 0 && i < n && (src[i - 1] & 0xfc00) == 0xd800 &&
	    (src[i] & 0xfc00) == 0xdc00) {
		length += 2;
		i++;
	}
	size_t rest_lone;
	length +=
	        f2_kernels_scalar.utf16_utf8_length(src + i, n - i, &rest_lone);
	if (lone != NULL)
		*lone = first_lone < n ? first_lone : i + rest_lone;
	return length;
}

#endif
