/*
 * Encoder kernels: text units in memory to bytes in memory, no I/O, no
 * allocation, no state but what the caller hands in.
 *
 * Every kernel reads only src[0..n) and writes only inside the bound stated
 * for it: the most bytes that n units can make, and F2_SLACK more where it
 * says so. The caller provides that room, also when the result is shorter. src
 * and dst never overlap. All functions are safe for many threads.
 */
#ifndef F2_KERNELS_H
#define F2_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { F2_SLACK = 64 };

/* A forgiving base64 decoder between two pieces of one text; starts as zero. */
struct f2_base64 {
	uint32_t bits;  /* the values of the open group, 6 bits each */
	uint32_t count; /* how many there are: 0 to 3 */
	bool ended;     /* '=' was seen: all that follows is ignored */
};

/* A strict base64 checker between two pieces of one text; starts as zero. */
struct f2_base64_check {
	uint64_t index;   /* characters checked so far */
	uint64_t symbols; /* of them, alphabet characters */
	uint64_t group;   /* index where the open group began */
	uint32_t padding; /* '=' seen so far */
	bool ended;       /* only white space may follow */
};

struct f2_kernels {
	/* The variant: "scalar", "avx2" or "avx512". */
	const char *name;

	/* Latin-1 to UTF-8. Returns the bytes made, at most 2 * n; may write
	 * F2_SLACK more. */
	size_t (*latin1_to_utf8)(uint8_t *dst, const uint8_t *src, size_t n);

	/* The exact number of bytes that latin1_to_utf8 makes. */
	size_t (*latin1_utf8_length)(const uint8_t *src, size_t n);

	/* The index of the first byte >= 0x80, or n. */
	size_t (*latin1_ascii_prefix)(const uint8_t *src, size_t n);

	/* Latin-1 to UTF-16LE: writes exactly 2 * n bytes. */
	void (*latin1_to_utf16)(uint8_t *dst, const uint8_t *src, size_t n);

	/* UTF-16 to UTF-8; returns the bytes made, at most 3 * n; may write
	 * F2_SLACK more. lone == NULL: each unpaired surrogate becomes
	 * EF BF BD. Otherwise encoding stops before the first one and *lone is
	 * its index, or n where there is none (bytes past the returned count
	 * may then have been written, inside the bound). A high surrogate at
	 * n - 1 is lone: the caller does not cut inside a pair. */
	size_t (*utf16_to_utf8)(uint8_t *dst, const uint16_t *src, size_t n,
	                        size_t *lone);

	/* The exact number of bytes that utf16_to_utf8 makes with replacement.
	 * lone != NULL: *lone is the index of the first unpaired surrogate, or
	 * n. */
	size_t (*utf16_utf8_length)(const uint16_t *src, size_t n,
	                            size_t *lone);

	/* The index of the first unit above limit (0x7f or 0xff), or n. */
	size_t (*utf16_prefix)(const uint16_t *src, size_t n, uint16_t limit);

	/* UTF-16 to its low bytes: writes exactly n bytes. */
	void (*utf16_to_latin1)(uint8_t *dst, const uint16_t *src, size_t n);

	/* Forgiving base64 as Node decodes it: both alphabets, anything else
	 * skipped, '=' ends the text. Takes all n characters; a text may be cut
	 * anywhere, the state carries the open group. Returns the bytes made,
	 * at most 3 * (n / 4) + 4; may write F2_SLACK more. With last the 2 or
	 * 3 open values are written too; a single one is dropped. */
	size_t (*base64_decode)(struct f2_base64 *state, uint8_t *dst,
	                        const uint8_t *src, size_t n, bool last);

	/* Strict base64: both alphabets, white space (space, \t, \n, \f, \r)
	 * only between groups of four and at the end, padding absent or
	 * correct. Takes all n characters. Returns -1, or the index in the
	 * whole text of the first character that no correct text could have
	 * there; the state is spent then. With last the end is checked too: a
	 * single left-over character or missing '=' is a fault at the start of
	 * its group. The decoded length is symbols * 6 / 8. */
	int64_t (*base64_check)(struct f2_base64_check *state,
	                        const uint8_t *src, size_t n, bool last);

	/* Hex pairs to bytes, both cases; stops before the first bad pair and
	 * ignores an odd last digit. Returns the bytes made, at most n / 2, and
	 * writes nothing more. */
	size_t (*hex_decode)(uint8_t *dst, const uint8_t *src, size_t n);
};

/* The portable variant. */
extern const struct f2_kernels f2_kernels_scalar;

/*
 * The variant to use: the one called name ("scalar", "avx2", "avx512"), or the
 * fastest this processor runs when name is NULL. Returns NULL where the
 * processor lacks what the named variant needs, or no variant has that name.
 */
const struct f2_kernels *f2_kernels_pick(const char *name);

#endif
