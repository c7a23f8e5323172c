/* The choice among the kernel variants. */
#include "kernels.h"

#include <string.h>

#ifdef __x86_64__

#include "kernels_avx2.h"
#include "kernels_avx512.h"

/* Whether the processor has all that the files of a variant were compiled for
 * (kernels.mk), and the operating system saves those registers: the built-in
 * asks both. */
static bool has_avx2(void)
{
	return __builtin_cpu_supports("avx2") &&
	       __builtin_cpu_supports("bmi") &&
	       __builtin_cpu_supports("bmi2") &&
	       __builtin_cpu_supports("popcnt");
}

static bool has_avx512(void)
{
	return has_avx2() && __builtin_cpu_supports("avx512f") &&
	       __builtin_cpu_supports("avx512bw") &&
	       __builtin_cpu_supports("avx512vl") &&
	       __builtin_cpu_supports("avx512dq") &&
	       __builtin_cpu_supports("avx512vbmi") &&
	       __builtin_cpu_supports("avx512vbmi2");
}

#endif

const struct f2_kernels *f2_kernels_pick(const char *name)
{
#ifdef __x86_64__
	__builtin_cpu_init();
	if ((name == NULL || strcmp(name, "avx512") == 0) && has_avx512())
		return &f2_kernels_avx512;
	if ((name == NULL || strcmp(name, "avx2") == 0) && has_avx2())
		return &f2_kernels_avx2;
#endif
	if (name == NULL || strcmp(name, "scalar") == 0)
		return &f2_kernels_scalar;
	return NULL;
}
