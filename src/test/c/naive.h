/*
 * What the kernels must do, written from the definitions, a character at a
 * time and with nothing shared with src/main/c: the tests compare against it.
 */
#ifndef NAIVE_H
#define NAIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* UTF-16 to UTF-8, lone surrogates as U+FFFD; the number of bytes. *lone is
 * the index of the first lone one or n, *before_lone the bytes made before. */
size_t naive_utf16_to_utf8(uint8_t *dst, const uint16_t *src, size_t n,
                           size_t *lone, size_t *before_lone);

size_t naive_latin1_to_utf8(uint8_t *dst, const uint8_t *src, size_t n);

/* A whole text, as Node decodes it; the number of bytes. */
size_t naive_base64_decode(uint8_t *dst, const uint8_t *src, size_t n);

/* The index of the first fault of a whole text or -1. *symbols counts the
 * alphabet characters of a correct text. */
int64_t naive_base64_check(const uint8_t *src, size_t n, uint64_t *symbols);

size_t naive_hex_decode(uint8_t *dst, const uint8_t *src, size_t n);

#endif
