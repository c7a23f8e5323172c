/* What the base64 kernels of all variants share. */
#ifndef F2_KERNELS_BASE64_H
#define F2_KERNELS_BASE64_H

#include "kernels.h"

/* base64_decode and base64_check of the portable variant. */
size_t f2_scalar_base64_decode(struct f2_base64 *state, uint8_t *dst,
                               const uint8_t *src, size_t n, bool last);
int64_t f2_scalar_base64_check(struct f2_base64_check *state,
                               const uint8_t *src, size_t n, bool last);

/* How many symbols src begins with. */
typedef size_t f2_symbol_prefix(const uint8_t *src, size_t n);

f2_symbol_prefix f2_scalar_symbol_prefix;

/* base64_check over a variant's own symbol_prefix. */
int64_t f2_base64_check_with(f2_symbol_prefix *symbol_prefix,
                             struct f2_base64_check *state, const uint8_t *src,
                             size_t n, bool last);

/* The length of the line end at src, LF or CRLF; 0 where there is none. */
size_t f2_base64_line_end(const uint8_t *src, size_t n);

#endif
