#include "guarded.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void *require(void *address)
{
	if (address == MAP_FAILED) {
		perror("mmap");
		exit(2);
	}
	return address;
}

struct guarded guarded_map(size_t byte_count)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t usable = (byte_count + page - 1) / page * page;
	uint8_t *whole = require(mmap(NULL, usable + 2 * page, PROT_NONE,
	                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
	require(mmap(whole + page, usable, PROT_READ | PROT_WRITE,
	             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0));
	return (struct guarded){whole + page, usable};
}

uint8_t *guarded_tail(const struct guarded *memory, size_t byte_count)
{
	if (byte_count > memory->byte_count) {
		fprintf(stderr, "guarded_tail: %zu of %zu bytes\n", byte_count,
		        memory->byte_count);
		exit(2);
	}
	return memory->start + memory->byte_count - byte_count;
}

const uint8_t *guarded_copy(const struct guarded *memory, const void *src,
                            size_t byte_count)
{
	uint8_t *copy = guarded_tail(memory, byte_count);
	memcpy(copy, src, byte_count);
	return copy;
}
