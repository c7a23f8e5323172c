/* The AVX-512 variant: its table, and the kernels that need few lines. */
#include "kernels_avx512.h"

#ifdef __AVX512VBMI2__

#include "kernels_tables.h"

#include <immintrin.h>

static inline __mmask64 first_64(size_t count)
{
	return _bzhi_u64(~(uint64_t)0, (uint32_t)count);
}

/* src[i..n), at most 64 bytes, zero behind n. */
static inline __m512i load_bytes(const uint8_t *src, size_t n, size_t i)
{
	if (n - i >= 64)
		return _mm512_loadu_si512(src + i);
	/* SAFETY: lanes that the mask leaves out are not accessed. */
	return _mm512_maskz_loadu_epi8(first_64(n - i), src + i);
}

/* Store the bytes of v that keep names; returns their number. Compressing to a
 * register first: to memory it is microcode on Zen 4 and slower on Zen 5. */
static inline size_t store_kept(uint8_t *dst, __m512i v, __mmask64 keep)
{
	_mm512_storeu_si512(dst, _mm512_maskz_compress_epi8(keep, v));
	return (size_t)__builtin_popcountll(keep);
}

/* Copy blocks of 128 bytes while they are ASCII. Returns how many bytes. */
static inline size_t copy_ascii(uint8_t *dst, const uint8_t *src, size_t n)
{
	size_t i = 0;

	for (; n - i >= 128; i += 128) {
		__m512i a = _mm512_loadu_si512(src + i);
		__m512i b = _mm512_loadu_si512(src + i + 64);
		if (_mm512_movepi8_mask(_mm512_or_si512(a, b)) != 0)
			break;
		_mm512_storeu_si512(dst + i, a);
		_mm512_storeu_si512(dst + i + 64, b);
	}
	return i;
}

/*
 * 64 characters a step: two slots each, the lead byte or zero and the last
 * byte, from which the zero ones are squeezed out.
 *
 * SAFETY of the stores: each begins where the bytes of characters before n end
 * and is 64 bytes long, the room behind 2 * n.
 */
static size_t latin1_to_utf8(uint8_t *dst, const uint8_t *src, size_t n)
{
	const __m512i slots_a = _mm512_loadu_si512(f2_two_slots[0]);
	const __m512i slots_b = _mm512_loadu_si512(f2_two_slots[1]);
	const __m512i last_slot = _mm512_set1_epi16((short)0xff00);
	uint8_t *out = dst;

	for (size_t i = 0; i < n; i += 64) {
		__m512i bytes = load_bytes(src, n, i);
		size_t beyond = n - i < 64 ? 64 - (n - i) : 0;
		__mmask64 accents = _mm512_movepi8_mask(bytes);

		if (accents == 0) {
			_mm512_storeu_si512(out, bytes);
			out += 64 - beyond;
			if (beyond == 0) {
				size_t more = copy_ascii(out, src + i + 64,
				                         n - i - 64);
				out += more;
				i += more;
			}
			continue;
		}
		/* 0xc2 for 80..bf, 0xc3 for c0..ff; the last byte of an accent
		 * has bit 6 clear. */
		__mmask64 upper = _mm512_cmpge_epu8_mask(
		        bytes, _mm512_set1_epi8((char)0xc0));
		__m512i lead = _mm512_maskz_mov_epi8(
		        accents, _mm512_set1_epi8((char)0xc2));
		lead = _mm512_mask_mov_epi8(lead, upper,
		                            _mm512_set1_epi8((char)0xc3));
		__m512i last = _mm512_mask_sub_epi8(bytes, upper, bytes,
		                                    _mm512_set1_epi8(0x40));
		__m512i a = _mm512_permutex2var_epi8(lead, slots_a, last);
		__m512i b = _mm512_permutex2var_epi8(lead, slots_b, last);
		/* The last byte stays even when it is NUL. */
		__m512i kept_a = _mm512_or_si512(a, last_slot);
		__m512i kept_b = _mm512_or_si512(b, last_slot);
		out += store_kept(out, a,
		                  _mm512_test_epi8_mask(kept_a, kept_a));
		__mmask64 keep = _mm512_test_epi8_mask(kept_b, kept_b);
		if (beyond < 32)
			out += store_kept(out, b, keep);
		else
			out += __builtin_popcountll(keep);
		out -= beyond;
	}
	return (size_t)(out - dst);
}

static size_t latin1_utf8_length(const uint8_t *src, size_t n)
{
	size_t length = n;

	for (size_t i = 0; i < n; i += 64)
		length += (size_t)__builtin_popcountll(
		        _mm512_movepi8_mask(load_bytes(src, n, i)));
	return length;
}

static size_t latin1_ascii_prefix(const uint8_t *src, size_t n)
{
	for (size_t i = 0; i < n; i += 64) {
		__mmask64 accents = _mm512_movepi8_mask(load_bytes(src, n, i));
		if (accents != 0)
			return i + (size_t)__builtin_ctzll(accents);
	}
	return n;
}

static void latin1_to_utf16(uint8_t *dst, const uint8_t *src, size_t n)
{
	size_t i = 0;

	for (; n - i >= 32; i += 32) {
		__m256i bytes = _mm256_loadu_si256((const void *)(src + i));
		_mm512_storeu_si512(dst + 2 * i, _mm512_cvtepu8_epi16(bytes));
	}
	/* SAFETY: lanes that the mask leaves out are not accessed. */
	__mmask32 rest = _bzhi_u32(0xffffffff, (uint32_t)(n - i));
	_mm512_mask_storeu_epi16(
	        dst + 2 * i, rest,
	        _mm512_cvtepu8_epi16(_mm256_maskz_loadu_epi8(rest, src + i)));
}

static size_t utf16_prefix(const uint16_t *src, size_t n, uint16_t limit)
{
	const __m512i above = _mm512_set1_epi16((short)~limit);
	size_t i = 0;

	for (; n - i >= 32; i += 32) {
		__mmask32 found = _mm512_test_epi16_mask(
		        _mm512_loadu_si512(src + i), above);
		if (found != 0)
			return i + (size_t)__builtin_ctz(found);
	}
	/* SAFETY: lanes that the mask leaves out are not accessed. */
	__mmask32 rest = _bzhi_u32(0xffffffff, (uint32_t)(n - i));
	__mmask32 found = _mm512_test_epi16_mask(
	        _mm512_maskz_loadu_epi16(rest, src + i), above);
	return found != 0 ? i + (size_t)__builtin_ctz(found) : n;
}

static void utf16_to_latin1(uint8_t *dst, const uint16_t *src, size_t n)
{
	const __m512i even = _mm512_loadu_si512(f2_even_bytes[0]);
	size_t i = 0;

	for (; n - i >= 64; i += 64) {
		__m512i low = _mm512_permutex2var_epi8(
		        _mm512_loadu_si512(src + i), even,
		        _mm512_loadu_si512(src + i + 32));
		_mm512_storeu_si512(dst + i, low);
	}
	/* SAFETY: lanes that the mask leaves out are not accessed. */
	while (i < n) {
		__mmask32 rest = _bzhi_u32(0xffffffff,
		                           n - i < 32 ? (uint32_t)(n - i) : 32);
		__m512i units = _mm512_maskz_loadu_epi16(rest, src + i);
		_mm256_mask_storeu_epi8(dst + i, rest,
		                        _mm512_cvtepi16_epi8(units));
		i += n - i < 32 ? n - i : 32;
	}
}

/* The values of 64 digits in two lookups of a 128-entry table; 0x80 and more
 * where there is none. */
static inline __m512i hex_values(__m512i digits, __m512i low, __m512i high)
{
	__m512i values = _mm512_permutex2var_epi8(low, digits, high);
	/* The lookup ignores the digit's top bit, which makes it no digit. */
	return _mm512_or_si512(
	        values, _mm512_and_si512(digits, _mm512_set1_epi8((char)0x80)));
}

static size_t hex_decode(uint8_t *dst, const uint8_t *src, size_t n)
{
	const __m512i low = _mm512_loadu_si512(f2_hex_values[0]);
	const __m512i high = _mm512_loadu_si512(f2_hex_values[1]);
	const __m512i even = _mm512_loadu_si512(f2_even_bytes[0]);
	const __m512i weights = _mm512_set1_epi16(0x0110);
	size_t i = 0;

	n -= n % 2;
	for (; n - i >= 128; i += 128) {
		__m512i a = hex_values(_mm512_loadu_si512(src + i), low, high);
		__m512i b =
		        hex_values(_mm512_loadu_si512(src + i + 64), low, high);
		if (_mm512_movepi8_mask(_mm512_or_si512(a, b)) != 0)
			break;
		__m512i bytes = _mm512_permutex2var_epi8(
		        _mm512_maddubs_epi16(a, weights), even,
		        _mm512_maddubs_epi16(b, weights));
		_mm512_storeu_si512(dst + i / 2, bytes);
	}
	/* SAFETY: lanes that the masks leave out are not accessed. */
	while (i < n) {
		size_t count = n - i < 64 ? n - i : 64;
		__m512i values = hex_values(
		        _mm512_maskz_loadu_epi8(first_64(count), src + i), low,
		        high);
		__mmask64 bad = _mm512_movepi8_mask(values) & first_64(count);
		if (bad != 0)
			count = (size_t)__builtin_ctzll(bad) / 2 * 2;
		__m512i bytes = _mm512_maddubs_epi16(values, weights);
		_mm256_mask_storeu_epi8(
		        dst + i / 2, _bzhi_u32(0xffffffff, (uint32_t)count / 2),
		        _mm512_cvtepi16_epi8(bytes));
		i += count;
		if (bad != 0)
			break;
	}
	return i / 2;
}

const struct f2_kernels f2_kernels_avx512 = {
        .name = "avx512",
        .latin1_to_utf8 = latin1_to_utf8,
        .latin1_utf8_length = latin1_utf8_length,
        .latin1_ascii_prefix = latin1_ascii_prefix,
        .latin1_to_utf16 = latin1_to_utf16,
        .utf16_to_utf8 = f2_avx512_utf16_to_utf8,
        .utf16_utf8_length = f2_avx512_utf16_utf8_length,
        .utf16_prefix = utf16_prefix,
        .utf16_to_latin1 = utf16_to_latin1,
        .base64_decode = f2_avx512_base64_decode,
        .base64_check = f2_avx512_base64_check,
        .hex_decode = hex_decode,
};

#endif
