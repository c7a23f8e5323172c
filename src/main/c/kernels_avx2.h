/* The AVX2 kernels; kernels.h says what each does. */
#ifndef F2_KERNELS_AVX2_H
#define F2_KERNELS_AVX2_H

#include "kernels.h"

/* The whole variant. Only for processors that f2_kernels_pick has asked. */
extern const struct f2_kernels f2_kernels_avx2;

size_t f2_avx2_utf16_to_utf8(uint8_t *dst, const uint16_t *src, size_t n,
                             size_t *lone);
size_t f2_avx2_utf16_utf8_length(const uint16_t *src, size_t n, size_t *lone);
size_t f2_avx2_base64_decode(struct f2_base64 *state, uint8_t *dst,
                             const uint8_t *src, size_t n, bool last);
int64_t f2_avx2_base64_check(struct f2_base64_check *state, const uint8_t *src,
                             size_t n, bool last);

#endif
