/* The choice among the kernel variants. */
#include "kernels.h"

#include <string.h>

const struct f2_kernels *f2_kernels_pick(const char *name)
{
	if (name == NULL || strcmp(name, f2_kernels_scalar.name) == 0)
		return &f2_kernels_scalar;
	return NULL;
}
