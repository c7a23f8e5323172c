/* The texts of the kernel benchmark. */
#ifndef BENCH_TEXTS_H
#define BENCH_TEXTS_H

#include <stddef.h>
#include <stdint.h>

/* A class of text. fill makes n units, the same ones at every run. */
struct text16 {
	const char *name;
	void (*fill)(uint16_t *units, size_t n);
};

struct text8 {
	const char *name;
	void (*fill)(uint8_t *characters, size_t n);
};

/* Each ends with an entry without a name. */
extern const struct text16 utf16_texts[];
extern const struct text8 latin1_texts[];
extern const struct text8 base64_texts[];
extern const struct text8 strict_base64_texts[];
extern const struct text8 hex_texts[];

#endif
