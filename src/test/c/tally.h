/* What the tests of the write path share: cases that are counted, and random
 * numbers that can be had again. */
#ifndef TALLY_H
#define TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads the seed from FILES2_TEST_SEED, or from the clock, and prints it. */
void tally_begin(void);

/* Begins a case; the format names it. */
void tally_case(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Fails the running case unless ok; the first time, says why. Returns ok. */
bool tally_check(bool ok, const char *format, ...)
        __attribute__((format(printf, 2, 3)));

/* Prints the counts; returns what main has to. */
int tally_end(void);

/* A number in 0..limit-1, from the seed of this run. */
size_t random_below(size_t limit);

#endif
