# The encoder kernels: their files, the flags of each and their tables, for the
# Makefiles that build them. The includer
#   - adds CFLAGS_name last to the flags of name.c,
#   - sets BUILD, the folder of object files, and has a rule that makes it,
#   - sets MAIN, this folder, where it is not the current one.

MAIN    ?= .
KERNELS := kernels kernels_scalar kernels_scalar_base64

# At O3 gcc 12 unrolls the ASCII loop to half its speed.
CFLAGS_kernels_scalar        := -O2
CFLAGS_kernels_scalar_base64 := -O2 -I$(BUILD)

ifneq (,$(filter x86_64-%,$(shell $(CC) -dumpmachine)))

KERNELS_AVX2   := kernels_avx2 kernels_avx2_utf16 kernels_avx2_base64
KERNELS_AVX512 := kernels_avx512 kernels_avx512_utf16 kernels_avx512_base64
KERNELS        += $(KERNELS_AVX2) $(KERNELS_AVX512)

# has_avx2 and has_avx512 in kernels.c ask for each of these.
AVX2   := -mavx2 -mbmi -mbmi2 -mpopcnt
AVX512 := $(AVX2) -mavx512f -mavx512bw -mavx512vl -mavx512dq -mavx512vbmi \
	-mavx512vbmi2
WIDE   := -O3 -falign-functions=64 -falign-loops=64 -I$(BUILD)

$(foreach name,$(KERNELS_AVX2),$(eval CFLAGS_$(name) := $(WIDE) $(AVX2)))
$(foreach name,$(KERNELS_AVX512),$(eval CFLAGS_$(name) := $(WIDE) $(AVX512)))

endif

$(KERNELS:%=$(BUILD)/%.o): $(BUILD)/kernels_tables.h

# Runs on the machine that compiles, also when that is not the target.
BUILD_CC ?= cc

$(BUILD)/make_tables: $(MAIN)/tables/make_tables.c | $(BUILD)
	$(BUILD_CC) -std=c11 -O1 -o $@ $<

$(BUILD)/kernels_tables.h: $(BUILD)/make_tables
	$< >$@
