/* The AVX2 variant: its table, and the kernels that need few lines. */
#include "kernels_avx2.h"

#ifdef __AVX2__

#include "kernels_tables.h"

#include <immintrin.h>

static inline __m256i load(const void *src)
{
	return _mm256_loadu_si256(src);
}

static inline void store(uint8_t *dst, __m256i v)
{
	_mm256_storeu_si256((void *)dst, v);
}

/* One bit for each byte whose top bit is set. */
static inline uint32_t top_bits(__m256i bytes)
{
	return (uint32_t)_mm256_movemask_epi8(bytes);
}

/* Store eight characters, in 16-bit lanes; accents has a bit for each that is
 * not ASCII. Returns the number of bytes. */
static inline size_t store_eight(uint8_t *dst, __m128i lanes, uint32_t accents)
{
	__m128i shuffle = _mm_load_si128((const void *)f2_keep_2[accents]);

	_mm_storeu_si128((void *)dst, _mm_shuffle_epi8(lanes, shuffle));
	return 8 + (unsigned)__builtin_popcount(accents);
}

/* Store sixteen characters; as store_eight. */
static inline size_t store_sixteen(uint8_t *dst, __m128i bytes,
                                   uint32_t accents)
{
	__m256i c = _mm256_cvtepu8_epi16(bytes);
	/* The two bytes of an accent; ASCII behind a zero. */
	__m256i both = _mm256_or_si256(
	        _mm256_or_si256(_mm256_srli_epi16(c, 6),
	                        _mm256_and_si256(_mm256_slli_epi16(c, 8),
	                                         _mm256_set1_epi16(0x3f00))),
	        _mm256_set1_epi16((short)0x80c0));
	__m256i ascii = _mm256_cmpgt_epi16(_mm256_set1_epi16(0x80), c);
	both = _mm256_blendv_epi8(both, _mm256_slli_epi16(c, 8), ascii);

	size_t first =
	        store_eight(dst, _mm256_castsi256_si128(both), accents & 0xff);
	return first + store_eight(dst + first,
	                           _mm256_extracti128_si256(both, 1),
	                           accents >> 8);
}

/* SAFETY of the stores: each begins where the bytes of the characters before it
 * end and is at most 32 bytes long, of the 64 behind 2 * n. */
static size_t latin1_to_utf8(uint8_t *dst, const uint8_t *src, size_t n)
{
	uint8_t *out = dst;
	size_t i = 0;

	while (n - i >= 32) {
		__m256i bytes = load(src + i);
		uint32_t accents = top_bits(bytes);

		if (accents == 0) {
			store(out, bytes);
			out += 32;
			i += 32;
			for (; n - i >= 64; i += 64) {
				__m256i a = load(src + i);
				__m256i b = load(src + i + 32);
				if (top_bits(_mm256_or_si256(a, b)) != 0)
					break;
				store(out, a);
				store(out + 32, b);
				out += 64;
			}
			continue;
		}
		out += store_sixteen(out, _mm256_castsi256_si128(bytes),
		                     accents & 0xffff);
		out += store_sixteen(out, _mm256_extracti128_si256(bytes, 1),
		                     accents >> 16);
		i += 32;
	}
	out += f2_kernels_scalar.latin1_to_utf8(out, src + i, n - i);
	return (size_t)(out - dst);
}

static size_t latin1_utf8_length(const uint8_t *src, size_t n)
{
	size_t length = 0;
	size_t i = 0;

	for (; n - i >= 32; i += 32)
		length += 32 +
		          (unsigned)__builtin_popcount(top_bits(load(src + i)));
	return length + f2_kernels_scalar.latin1_utf8_length(src + i, n - i);
}

static size_t latin1_ascii_prefix(const uint8_t *src, size_t n)
{
	size_t i = 0;

	for (; n - i >= 32; i += 32) {
		uint32_t accents = top_bits(load(src + i));
		if (accents != 0)
			return i + (size_t)__builtin_ctz(accents);
	}
	return i + f2_kernels_scalar.latin1_ascii_prefix(src + i, n - i);
}

static void latin1_to_utf16(uint8_t *dst, const uint8_t *src, size_t n)
{
	size_t i = 0;

	for (; n - i >= 32; i += 32) {
		__m256i bytes = load(src + i);
		store(dst + 2 * i,
		      _mm256_cvtepu8_epi16(_mm256_castsi256_si128(bytes)));
		store(dst + 2 * i + 32,
		      _mm256_cvtepu8_epi16(_mm256_extracti128_si256(bytes, 1)));
	}
	f2_kernels_scalar.latin1_to_utf16(dst + 2 * i, src + i, n - i);
}

static size_t utf16_prefix(const uint16_t *src, size_t n, uint16_t limit)
{
	const __m256i above = _mm256_set1_epi16((short)~limit);
	size_t i = 0;

	for (; n - i >= 32; i += 32) {
		__m256i both =
		        _mm256_or_si256(load(src + i), load(src + i + 16));
		if (!_mm256_testz_si256(both, above))
			break;
	}
	/* At most 32 units are left before the first one above. */
	return i + f2_kernels_scalar.utf16_prefix(src + i, n - i, limit);
}

static void utf16_to_latin1(uint8_t *dst, const uint16_t *src, size_t n)
{
	const __m256i low = _mm256_set1_epi16(0x00ff);
	size_t i = 0;

	for (; n - i >= 32; i += 32) {
		__m256i a = _mm256_and_si256(load(src + i), low);
		__m256i b = _mm256_and_si256(load(src + i + 16), low);
		/* The pack works within 128 bits: mend the order. */
		store(dst + i, _mm256_permute4x64_epi64(
		                       _mm256_packus_epi16(a, b), 0xd8));
	}
	f2_kernels_scalar.utf16_to_latin1(dst + i, src + i, n - i);
}

/* Whether each byte, taken as unsigned, is at most limit. */
static inline __m256i at_most(__m256i bytes, char limit)
{
	return _mm256_cmpeq_epi8(
	        _mm256_min_epu8(bytes, _mm256_set1_epi8(limit)), bytes);
}

/* The values of 32 digits; *valid gets the lanes that are digits. */
static inline __m256i hex_values(__m256i digits, __m256i *valid)
{
	__m256i number = _mm256_sub_epi8(digits, _mm256_set1_epi8('0'));
	__m256i letter =
	        _mm256_sub_epi8(_mm256_or_si256(digits, _mm256_set1_epi8(0x20)),
	                        _mm256_set1_epi8('a'));
	__m256i is_number = at_most(number, 9);

	*valid = _mm256_or_si256(is_number, at_most(letter, 5));
	return _mm256_blendv_epi8(_mm256_add_epi8(letter, _mm256_set1_epi8(10)),
	                          number, is_number);
}

static size_t hex_decode(uint8_t *dst, const uint8_t *src, size_t n)
{
	const __m256i weights = _mm256_set1_epi16(0x0110);
	size_t i = 0;

	for (; n - i >= 64; i += 64) {
		__m256i valid_a;
		__m256i valid_b;
		__m256i a = hex_values(load(src + i), &valid_a);
		__m256i b = hex_values(load(src + i + 32), &valid_b);
		if (top_bits(_mm256_and_si256(valid_a, valid_b)) != 0xffffffff)
			break;
		__m256i bytes =
		        _mm256_packus_epi16(_mm256_maddubs_epi16(a, weights),
		                            _mm256_maddubs_epi16(b, weights));
		store(dst + i / 2, _mm256_permute4x64_epi64(bytes, 0xd8));
	}
	return i / 2 +
	       f2_kernels_scalar.hex_decode(dst + i / 2, src + i, n - i);
}

const struct f2_kernels f2_kernels_avx2 = {
        .name = "avx2",
        .latin1_to_utf8 = latin1_to_utf8,
        .latin1_utf8_length = latin1_utf8_length,
        .latin1_ascii_prefix = latin1_ascii_prefix,
        .latin1_to_utf16 = latin1_to_utf16,
        .utf16_to_utf8 = f2_avx2_utf16_to_utf8,
        .utf16_utf8_length = f2_avx2_utf16_utf8_length,
        .utf16_prefix = utf16_prefix,
        .utf16_to_latin1 = utf16_to_latin1,
        .base64_decode = f2_avx2_base64_decode,
        .base64_check = f2_avx2_base64_check,
        .hex_decode = hex_decode,
};

#endif
