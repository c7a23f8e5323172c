#include "tally.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* More would hide the first ones. */
enum { MAX_REPORTS = 20 };

static char name[400];
static bool open_case;
static bool failed_case;
static size_t passed;
static size_t failed;
static uint64_t random_state;

void tally_begin(void)
{
	const char *text = getenv("FILES2_TEST_SEED");
	char *end = NULL;
	random_state = (uint64_t)time(NULL) * 2654435761;
	if (text != NULL && *text != '\0') {
		random_state = strtoull(text, &end, 0);
		if (*end != '\0') {
			fprintf(stderr, "FILES2_TEST_SEED: not a number: %s\n",
			        text);
			exit(2);
		}
	}
	/* What was printed must not be lost when a guard page is hit. */
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("FILES2_TEST_SEED=%llu\n", (unsigned long long)random_state);
}

static void end_case(void)
{
	if (open_case && failed_case)
		failed++;
	else if (open_case)
		passed++;
	open_case = false;
	failed_case = false;
}

void tally_case(const char *format, ...)
{
	va_list arguments;
	end_case();
	open_case = true;
	va_start(arguments, format);
	vsnprintf(name, sizeof name, format, arguments);
	va_end(arguments);
}

bool tally_check(bool ok, const char *format, ...)
{
	if (ok)
		return true;
	if (!failed_case && failed < MAX_REPORTS) {
		va_list arguments;
		printf("FAILED %s\n    ", name);
		va_start(arguments, format);
		vprintf(format, arguments);
		va_end(arguments);
		printf("\n");
	}
	failed_case = true;
	return false;
}

int tally_end(void)
{
	end_case();
	if (failed > MAX_REPORTS)
		printf("... and %zu more\n", failed - MAX_REPORTS);
	printf("%zu passed, %zu failed\n", passed, failed);
	return failed == 0 ? 0 : 1;
}

size_t random_below(size_t limit)
{
	/* xorshift64* */
	random_state ^= random_state >> 12;
	random_state ^= random_state << 25;
	random_state ^= random_state >> 27;
	if (random_state == 0)
		random_state = 1;
	return (size_t)((random_state * 0x2545f4914f6cdd1d >> 33) % limit);
}
