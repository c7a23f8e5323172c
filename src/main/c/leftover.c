/* Temporary files of writers that were killed. */
#include "files2.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

/* Takes the file's lock, which a live writer holds wherever it runs. Elsewhere
 * than on a local disk a lock may not be what it seems. */
static bool is_abandoned(int fd)
{
	struct f2_stat found;
	if (f2_look(fd, NULL, &found) != 0 || !found.regular ||
	    (f2_place(fd, NULL, &found) & F2_PLACE_FRESH) == 0)
		return false;
	int result;
	do {
		result = flock(fd, LOCK_EX | LOCK_NB);
	} while (result != 0 && errno == EINTR);
	return result == 0;
}

int64_t f2_remove_leftover(const char *path)
{
	int fd;
	do {
		fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	} while (fd < 0 && errno == EINTR);
	if (fd < 0)
		return 0; /* somebody else's, or gone */
	int64_t removed = 0;
	/* The lock may be free because the write is over: then the file has
	 * another name by now, and this one is nobody's any more. */
	if (is_abandoned(fd)) {
		if (unlink(path) == 0)
			removed = 1;
		else if (errno != ENOENT)
			removed = f2_fault(F2_UNLINK, errno, 0);
	}
	(void)close(fd); /* it was only looked at */
	return removed;
}
