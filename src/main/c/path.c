/* Path names: the bytes that the JVM would pass for them, or a refusal. */
#include "text.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

/* Where names don't decode, the JDK hands them out with this in it. */
static const uint16_t REPLACEMENT = 0xfffd;

static bool holds(const uint16_t *units, size_t count, uint16_t unit)
{
	for (size_t i = 0; i < count; i++)
		if (units[i] == unit)
			return true;
	return false;
}

/* A name that is not ASCII, or lies there in UTF-16. Not inlined: its arrays
 * would spread the stack of every other call over more pages, and where a
 * system call flushes the TLB each page is dear. */
__attribute__((noinline)) static int64_t
translate(const struct f2_string *string, char *path)
{
	const struct f2_kernels *kernels = f2_jvm.kernels;
	uint16_t units[PATH_MAX];
	uint8_t bytes[3 * PATH_MAX + F2_SLACK];
	size_t count = string->units;
	size_t lone = count;
	bool ascii;
	size_t byte_count;

	f2_string_copy(string, 0, count, units);
	if (string->wide) {
		ascii = kernels->utf16_prefix(units, count, 0x7f) == count;
		byte_count = kernels->utf16_to_utf8(bytes, units, count, &lone);
		if (lone < count || holds(units, count, REPLACEMENT))
			return f2_fault(F2_FOREIGN, 0, 0);
	} else {
		ascii = false;
		byte_count =
		        kernels->latin1_to_utf8(bytes, (uint8_t *)units, count);
	}
	if (!ascii && !f2_jvm.path_is_utf8)
		return f2_fault(F2_FOREIGN, 0, 0);
	if (byte_count >= PATH_MAX)
		return f2_fault(F2_OPEN, ENAMETOOLONG, 0);
	memcpy(path, bytes, byte_count);
	return (int64_t)byte_count;
}

int64_t f2_path(const struct f2_string *string, char *path)
{
	size_t count = string->units;
	if (count == 0)
		return f2_fault(F2_FOREIGN, 0, 0); /* the JDK says what it is */
	if (count >= PATH_MAX)
		return f2_fault(F2_OPEN, ENAMETOOLONG, 0);
	int64_t byte_count = (int64_t)count;
	if (!string->wide)
		f2_string_copy(string, 0, count, path);
	if (string->wide ||
	    f2_jvm.kernels->latin1_ascii_prefix((uint8_t *)path, count) < count)
		byte_count = translate(string, path);
	if (byte_count < 0)
		return byte_count;
	if (memchr(path, 0, (size_t)byte_count) != NULL)
		return f2_fault(F2_FOREIGN, 0, 0);
	path[byte_count] = '\0';
	return byte_count;
}
