# The encoder kernels: their files and the flags of each, for the Makefiles that
# build them. The includer adds CFLAGS_name last to the flags of name.c.

KERNELS := kernels kernels_scalar

# At O3 gcc 12 unrolls the ASCII loop to half its speed.
CFLAGS_kernels_scalar := -O2
