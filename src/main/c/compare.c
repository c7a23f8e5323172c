/* onlyIfChanged: whether a file holds already what would be written to it. */
#include "files2.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How much of a file is in memory at a time: of a small one on the stack, of
 * which a native method has 80 KiB for sure; of a large one elsewhere, where a
 * fourth of the calls is worth asking for it. */
enum { SMALL_BLOCK_BYTES = 16 * 1024, LARGE_BLOCK_BYTES = 64 * 1024 };

/* Where the file is read to. One more byte has room. */
struct block {
	uint8_t *bytes;
	size_t capacity;
};

/* last: the file must end behind them. */
static bool next_bytes_are(int fd, const struct block *block,
                           const uint8_t *bytes, uint64_t byte_count, bool last)
{
	while (byte_count > 0) {
		size_t ask = byte_count < block->capacity ? (size_t)byte_count
		                                          : block->capacity;
		/* One more to see the end, which the size may be wrong about:
		 * another may have grown the file, or the size is an old one.
		 */
		if (last && ask == byte_count)
			ask++;
		ssize_t count = read(fd, block->bytes, ask);
		if (count < 0 && errno == EINTR)
			continue;
		/* Its end comes early where another has cut it meanwhile. */
		if (count <= 0 || (uint64_t)count > byte_count ||
		    memcmp(block->bytes, bytes, (size_t)count) != 0)
			return false;
		bytes += count;
		byte_count -= (uint64_t)count;
	}
	return true;
}

static bool content_is(int fd, uint64_t size, const struct block *block,
                       struct f2_source *source)
{
	const uint8_t *piece = NULL;
	int64_t byte_count;
	while ((byte_count = source->next(source, &piece)) > 0) {
		if ((uint64_t)byte_count > size ||
		    !next_bytes_are(fd, block, piece, (uint64_t)byte_count,
		                    (uint64_t)byte_count == size))
			return false;
		size -= (uint64_t)byte_count;
	}
	/* Where memory ran out the write will say so. */
	return byte_count == 0 && size == 0;
}

bool f2_holds(const char *path, struct f2_source *source)
{
	struct f2_stat found;
	/* Not opened to be looked at: opening a pipe would let a writer go that
	 * waits for a reader, and what it writes would be lost. */
	if (f2_look(-1, path, &found) != 0 || !found.regular ||
	    found.size < source->min_bytes || found.size > source->max_bytes)
		return false;
	int fd;
	/* What has become a pipe meanwhile must not stop this, nor a terminal
	 * become the process's own. */
	do {
		fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	} while (fd < 0 && errno == EINTR);
	if (fd < 0)
		return false;
	uint8_t small[SMALL_BLOCK_BYTES + 1];
	struct block block = {small, SMALL_BLOCK_BYTES};
	uint8_t *large = found.size > SMALL_BLOCK_BYTES
	                         ? malloc(LARGE_BLOCK_BYTES + 1)
	                         : NULL;
	if (large != NULL)
		block = (struct block){large, LARGE_BLOCK_BYTES};
	bool same = content_is(fd, found.size, &block, source);
	free(large);
	source->rewind(source);
	(void)close(fd); /* nothing was written that it could lose */
	return same;
}
