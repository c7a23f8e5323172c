/*
 * The speed of every encoder kernel, variant and class of text, as CSV.
 *
 *   kernels_bench [-n BYTES] [-v VARIANT] [-k KERNEL] [-t TEXT] [-d FOLDER]
 *
 * -d writes the texts to FOLDER/KERNEL,TEXT for other programs, and does no
 * more. -n sets the bytes of source text (131072, the piece of the write path).
 * A row is the median of 9 samples of 6 ms or more, source and destination
 * warm; the best of them shows how busy the machine was. GB/s count output for
 * what makes UTF-8, input for all else.
 */
#include "../../src/main/c/kernels.h"
#include "bench_texts.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SAMPLES = 9, SAMPLE_NANOS = 6000000 };

/* What a run is measured on; source holds n bytes. */
struct setting {
	const struct f2_kernels *kernels;
	uint8_t *source;
	uint8_t *target;
	size_t n;
};

/* Runs a kernel once; returns the bytes that count. */
typedef size_t runner(const struct setting *s);

static const uint16_t *units_of(const struct setting *s)
{
	return (const void *)s->source;
}

static size_t run_utf16_to_utf8(const struct setting *s)
{
	return s->kernels->utf16_to_utf8(s->target, units_of(s), s->n / 2,
	                                 NULL);
}

static size_t run_utf16_utf8_length(const struct setting *s)
{
	size_t lone;
	s->kernels->utf16_utf8_length(units_of(s), s->n / 2, &lone);
	return s->n;
}

static size_t run_utf16_to_latin1(const struct setting *s)
{
	s->kernels->utf16_to_latin1(s->target, units_of(s), s->n / 2);
	return s->n;
}

static size_t run_utf16_prefix(const struct setting *s)
{
	s->kernels->utf16_prefix(units_of(s), s->n / 2, 0x7f);
	return s->n;
}

static size_t run_latin1_to_utf8(const struct setting *s)
{
	return s->kernels->latin1_to_utf8(s->target, s->source, s->n);
}

static size_t run_latin1_utf8_length(const struct setting *s)
{
	s->kernels->latin1_utf8_length(s->source, s->n);
	return s->n;
}

static size_t run_latin1_to_utf16(const struct setting *s)
{
	s->kernels->latin1_to_utf16(s->target, s->source, s->n);
	return s->n;
}

static size_t run_latin1_ascii_prefix(const struct setting *s)
{
	s->kernels->latin1_ascii_prefix(s->source, s->n);
	return s->n;
}

static size_t run_base64_decode(const struct setting *s)
{
	struct f2_base64 state = {0};
	s->kernels->base64_decode(&state, s->target, s->source, s->n, true);
	return s->n;
}

static size_t run_base64_check(const struct setting *s)
{
	struct f2_base64_check state = {0};
	s->kernels->base64_check(&state, s->source, s->n, true);
	return s->n;
}

static size_t run_hex_decode(const struct setting *s)
{
	s->kernels->hex_decode(s->target, s->source, s->n);
	return s->n;
}

static size_t run_memcpy(const struct setting *s)
{
	memcpy(s->target, s->source, s->n);
	/* Keep the copy although nothing reads it. */
	__asm__ volatile("" : : "r"(s->target) : "memory");
	return s->n;
}

/* The kernels that a class of text is for. */
struct subject {
	const char *name;
	runner *run;
	const struct text16 *texts16; /* one of the two */
	const struct text8 *texts8;
	size_t text_count; /* only the first ones, 0 for all */
};

static const struct subject subjects[] = {
        {"utf16_to_utf8", run_utf16_to_utf8, utf16_texts, NULL, 0},
        {"utf16_utf8_length", run_utf16_utf8_length, utf16_texts, NULL, 6},
        {"utf16_to_latin1", run_utf16_to_latin1, utf16_texts, NULL, 1},
        {"utf16_prefix", run_utf16_prefix, utf16_texts, NULL, 1},
        {"latin1_to_utf8", run_latin1_to_utf8, NULL, latin1_texts, 0},
        {"latin1_utf8_length", run_latin1_utf8_length, NULL, latin1_texts, 2},
        {"latin1_to_utf16", run_latin1_to_utf16, NULL, latin1_texts, 1},
        {"latin1_ascii_prefix", run_latin1_ascii_prefix, NULL, latin1_texts, 1},
        {"base64_decode", run_base64_decode, NULL, base64_texts, 0},
        {"base64_check", run_base64_check, NULL, strict_base64_texts, 0},
        {"hex_decode", run_hex_decode, NULL, hex_texts, 0},
        {"memcpy", run_memcpy, NULL, latin1_texts, 1},
};

/* Time of this thread: the turns of other programs do not count. */
static int64_t nanos(void)
{
	struct timespec now;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* The clock of the core, by additions that wait for each other. */
static double gigahertz(void)
{
	const int64_t additions = 100000000;
	uint64_t sum = 0;
	int64_t begin = nanos();

	for (int64_t i = 0; i < additions / 4; i++) {
		for (int k = 0; k < 4; k++) {
			sum++;
			__asm__ volatile("" : "+r"(sum));
		}
	}
	return (double)additions / (double)(nanos() - begin);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;
	return (x > y) - (x < y);
}

/* One row: the median sample. */
static void measure(const char *kernel, runner *run, const char *text,
                    const struct setting *s)
{
	double nanos_a_run[SAMPLES];
	size_t byte_count = run(s);
	int64_t runs = 1;

	/* Find how many runs fill a sample; this warms up, too. */
	for (;;) {
		int64_t begin = nanos();
		for (int64_t i = 0; i < runs; i++)
			run(s);
		int64_t took = nanos() - begin;
		if (took >= SAMPLE_NANOS)
			break;
		runs = took < SAMPLE_NANOS / 100
		               ? runs * 10
		               : runs * SAMPLE_NANOS / took * 11 / 10 + 1;
	}
	for (size_t i = 0; i < SAMPLES; i++) {
		int64_t begin = nanos();
		for (int64_t r = 0; r < runs; r++)
			run(s);
		nanos_a_run[i] = (double)(nanos() - begin) / (double)runs;
	}
	qsort(nanos_a_run, SAMPLES, sizeof nanos_a_run[0], by_value);
	double median = nanos_a_run[SAMPLES / 2];
	printf("%s,%s,%s,%zu,%.2f,%.2f,%.1f\n", kernel, s->kernels->name, text,
	       s->n, (double)byte_count / median,
	       (double)byte_count / nanos_a_run[0], median);
	fflush(stdout);
}

static void dump(const char *folder, const char *kernel, const char *text,
                 const struct setting *s)
{
	char path[4096];
	int length =
	        snprintf(path, sizeof path, "%s/%s,%s", folder, kernel, text);
	FILE *file = length < (int)sizeof path ? fopen(path, "wb") : NULL;
	bool is_done = file != NULL && fwrite(s->source, 1, s->n, file) == s->n;

	if (file != NULL && fclose(file) != 0)
		is_done = false;
	if (!is_done) {
		perror(path);
		exit(2);
	}
}

/* Measure each of the subject's texts, or write them to the folder. */
static void visit(const struct subject *subject, struct setting *s,
                  const char *only_text, const char *folder)
{
	for (size_t t = 0; subject->text_count == 0 || t < subject->text_count;
	     t++) {
		const char *text;
		if (subject->texts16 != NULL) {
			text = subject->texts16[t].name;
			if (text == NULL)
				break;
			subject->texts16[t].fill((void *)s->source, s->n / 2);
		} else {
			text = subject->texts8[t].name;
			if (text == NULL)
				break;
			subject->texts8[t].fill(s->source, s->n);
		}
		if (only_text != NULL && strcmp(text, only_text) != 0)
			continue;
		if (folder == NULL)
			measure(subject->name, subject->run, text, s);
		else
			dump(folder, subject->name, text, s);
	}
}

static uint8_t *require_memory(size_t byte_count)
{
	/* Page-aligned and touched, so that no page fault is measured. */
	void *memory = NULL;
	if (posix_memalign(&memory, 4096, byte_count) != 0) {
		fprintf(stderr, "no memory for %zu bytes\n", byte_count);
		exit(2);
	}
	memset(memory, 1, byte_count);
	return memory;
}

int main(int argc, char **argv)
{
	static const char *const variants[] = {"scalar", "avx2", "avx512"};
	struct setting s = {.n = 128 * 1024};
	const char *only_variant = NULL;
	const char *only_kernel = NULL;
	const char *only_text = NULL;
	const char *folder = NULL;
	int option;

	while ((option = getopt(argc, argv, "n:v:k:t:d:")) != -1) {
		if (option == 'n') {
			s.n = strtoul(optarg, NULL, 0) / 2 * 2;
		} else if (option == 'v') {
			only_variant = optarg;
		} else if (option == 'k') {
			only_kernel = optarg;
		} else if (option == 't') {
			only_text = optarg;
		} else if (option == 'd') {
			folder = optarg;
			only_variant = "scalar"; /* each text once */
		} else {
			return 2;
		}
	}
	if (s.n == 0 || s.n > (size_t)1 << 30) {
		fprintf(stderr, "-n: 2 to 2^30 bytes\n");
		return 2;
	}
	s.source = require_memory(s.n);
	s.target = require_memory(2 * s.n + F2_SLACK);
	if (folder == NULL) {
		printf("kernel,variant,text,source_bytes,gigabytes_per_second,"
		       "best_gigabytes_per_second,nanos_per_call\n");
		printf("gigahertz-before,,,,%.2f,,\n", gigahertz());
	}
	for (size_t k = 0; k < sizeof subjects / sizeof subjects[0]; k++) {
		if (only_kernel != NULL &&
		    strcmp(subjects[k].name, only_kernel) != 0)
			continue;
		for (size_t v = 0; v < sizeof variants / sizeof variants[0];
		     v++) {
			s.kernels = f2_kernels_pick(variants[v]);
			if (s.kernels == NULL ||
			    (only_variant != NULL &&
			     strcmp(variants[v], only_variant) != 0))
				continue;
			visit(&subjects[k], &s, only_text, folder);
		}
	}
	if (folder == NULL)
		printf("gigahertz-after,,,,%.2f,,\n", gigahertz());
	free(s.source);
	free(s.target);
	return 0;
}
