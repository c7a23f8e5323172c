/* Memory between two pages that no access survives. */
#ifndef GUARDED_H
#define GUARDED_H

#include <stddef.h>
#include <stdint.h>

struct guarded {
	uint8_t *start;
	size_t byte_count;
};

/* Maps at least byte_count bytes; ends the program when it can't. */
struct guarded guarded_map(size_t byte_count);

/* The last byte_count bytes, flush against the upper guard page. */
uint8_t *guarded_tail(const struct guarded *memory, size_t byte_count);

/* A copy of src[0..byte_count) flush against the upper guard page. */
const uint8_t *guarded_copy(const struct guarded *memory, const void *src,
                            size_t byte_count);

#endif
