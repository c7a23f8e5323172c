/* What the fuzz targets share: memory between guard pages, and a failure that
 * libFuzzer keeps the input of. */
#ifndef FUZZ_H
#define FUZZ_H

#include "../../main/c/kernels.h"
#include "guarded.h"

enum { FUZZ_MAX_BYTES = 4096 }; /* Makefile: -max_len */

/* Source bytes, and room for what they can become. */
extern struct guarded fuzz_source;
extern struct guarded fuzz_target;

/* The variants of this processor one after the other: call it with 0, 1, ...
 * until it returns NULL. Maps the memory at the first call. */
const struct f2_kernels *fuzz_variant(size_t index);

/* Aborts with a message that names the variant unless the claim holds. */
void fuzz_require(bool claim, const struct f2_kernels *kernels,
                  const char *message);

/* fuzz_require that the bytes and their numbers are equal. */
void fuzz_same(const uint8_t *expected, size_t expected_n,
               const uint8_t *actual, size_t actual_n,
               const struct f2_kernels *kernels, const char *message);

/* libFuzzer's entry. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
