/* Faults: packed into one negative number, unpacked by ShimBackend.java. */
#include "files2.h"

/* From bit 0: close errno, truncate errno, errno (8 bits each), operation (4
 * bits), count (35 bits: three bytes for each of 2^31 characters fit). Linux
 * has errno up to 133. */
enum {
	TRUNCATE_SHIFT = 8,
	ERROR_SHIFT = 16,
	OPERATION_SHIFT = 24,
	COUNT_SHIFT = 28,
	ERRNO_MASK = 0xff,
	OPERATION_MASK = 0xf
};

static const uint64_t COUNT_MASK = (UINT64_C(1) << 35) - 1;

int64_t f2_fault(enum f2_operation operation, int error, uint64_t count)
{
	uint64_t packed = (count & COUNT_MASK) << COUNT_SHIFT |
	                  (uint64_t)operation << OPERATION_SHIFT |
	                  (uint64_t)(error & ERRNO_MASK) << ERROR_SHIFT;
	return (int64_t)packed | INT64_MIN;
}

int64_t f2_add_errors(int64_t fault, int truncate_error, int close_error)
{
	return fault |
	       (int64_t)(truncate_error & ERRNO_MASK) << TRUNCATE_SHIFT |
	       (int64_t)(close_error & ERRNO_MASK);
}

int f2_error_of(int64_t fault)
{
	return (int)(fault >> ERROR_SHIFT & ERRNO_MASK);
}

int f2_operation_of(int64_t fault)
{
	return (int)(fault >> OPERATION_SHIFT & OPERATION_MASK);
}
