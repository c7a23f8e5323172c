/*
 * Prints kernels_tables.h, the constant tables of the wide kernels. Each is
 * derived here from what it means; the build runs this program on the machine
 * that compiles.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum {
	VECTOR = 64, /* bytes of the widest vector */
	SECOND = 64, /* index of the second source of a two-source lookup */
};

static void print(const char *comment, const char *name, const uint8_t *bytes,
                  size_t rows, size_t row_bytes)
{
	printf("\n/* %s */\nstatic const uint8_t %s[%zu][%zu] "
	       "__attribute__((aligned(64))) = {\n",
	       comment, name, rows, row_bytes);
	for (size_t row = 0; row < rows; row++) {
		printf("\t{");
		for (size_t i = 0; i < row_bytes; i++)
			printf("%s%u,", i % 16 == 0 ? "\n\t " : " ",
			       (unsigned)bytes[row * row_bytes + i]);
		printf("},\n");
	}
	printf("};\n");
}

static void lanes(void)
{
	uint8_t bytes[VECTOR] = {0};

	for (unsigned i = 0; i < VECTOR; i += 2)
		bytes[i] = (uint8_t)(i / 2);
	print("The number of each 16-bit lane.", "f2_lanes_16", bytes, 1,
	      VECTOR);
	for (unsigned i = 0; i < VECTOR; i++)
		bytes[i] = (uint8_t)(2 * i);
	print("The even bytes of two vectors.", "f2_even_bytes", bytes, 1,
	      VECTOR);
}

static void slots(void)
{
	uint8_t bytes[2 * VECTOR];

	for (unsigned i = 0; i < 2 * VECTOR; i++)
		bytes[i] = (uint8_t)(i / 2 + (i % 2 == 1 ? SECOND : 0));
	print("The bytes of two vectors in turn.", "f2_two_slots", bytes, 2,
	      VECTOR);

	/* 96 bytes for 32 units; what follows is not used. */
	memset(bytes, 0, sizeof bytes);
	for (unsigned unit = 0; unit < VECTOR / 2; unit++) {
		bytes[3 * unit] = (uint8_t)(2 * unit);
		bytes[3 * unit + 1] = (uint8_t)(SECOND + 2 * unit);
		bytes[3 * unit + 2] = (uint8_t)(SECOND + 2 * unit + 1);
	}
	print("Of each unit the low byte of the first vector and both bytes\n"
	      " * of the second.",
	      "f2_three_slots", bytes, 2, VECTOR);

	memset(bytes, 0, sizeof bytes);
	for (unsigned unit = 0; unit < VECTOR / 2; unit++)
		bytes[3 * unit + 2] = 0xff;
	print("Marks the last of the three slots of each unit.",
	      "f2_last_slots", bytes, 2, VECTOR);
}

/* The 16-byte shuffles that squeeze out what units do not have. A row is chosen
 * by the classes of the units; 0x80 makes a zero behind their bytes. */
static void squeezes(void)
{
	uint8_t bytes[256][16];

	memset(bytes, 0x80, sizeof bytes);
	for (unsigned wide = 0; wide < 256; wide++) {
		uint8_t *next = bytes[wide];
		for (unsigned unit = 0; unit < 8; unit++) {
			if ((wide >> unit & 1) != 0)
				*next++ = (uint8_t)(2 * unit);
			*next++ = (uint8_t)(2 * unit + 1);
		}
	}
	print("Of eight 16-bit lanes both bytes where the row's bit is set, "
	      "the\n"
	      " * upper byte elsewhere.",
	      "f2_keep_2", bytes[0], 256, 16);

	/* Bits 4 to 7: three bytes; bits 0 to 3: two bytes or three. */
	memset(bytes, 0x80, sizeof bytes);
	for (unsigned classes = 0; classes < 256; classes++) {
		uint8_t *next = bytes[classes];
		for (unsigned unit = 0; unit < 4; unit++) {
			if ((classes >> unit & 0x10) != 0)
				*next++ = (uint8_t)(4 * unit);
			if ((classes >> unit & 0x01) != 0)
				*next++ = (uint8_t)(4 * unit + 2);
			*next++ = (uint8_t)(4 * unit + 3);
		}
	}
	print("Of four 32-bit lanes byte 0 where the row's bit of 4 to 7 is\n"
	      " * set, byte 2 where that of 0 to 3 is, and byte 3.",
	      "f2_keep_3", bytes[0], 256, 16);
}

/* The value of each character of both base64 alphabets; no_value for others. */
static void base64_values(uint8_t *values, unsigned count, uint8_t no_value)
{
	const char *symbols = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	                      "abcdefghijklmnopqrstuvwxyz0123456789";

	memset(values, no_value, count);
	for (unsigned value = 0; symbols[value] != '\0'; value++)
		values[(uint8_t)symbols[value]] = (uint8_t)value;
	values['+'] = values['-'] = 62;
	values['/'] = values['_'] = 63;
}

/* What a symbol at each of the four places of a group adds to its three bytes,
 * the first byte lowest. */
static void base64_places(void)
{
	enum { NO_SYMBOL = 0xff, FLAG = 1 << 24 };
	uint8_t values[256];

	base64_values(values, 256, NO_SYMBOL);
	printf("\n/* What each character adds to a little-endian word of "
	       "three\n"
	       " * bytes at each place of its group; F2_NO_SYMBOL for others. "
	       "*/\n"
	       "enum { F2_NO_SYMBOL = 0x%x };\n"
	       "static const uint32_t f2_base64_places[4][256] = {\n",
	       (unsigned)FLAG);
	for (unsigned place = 0; place < 4; place++) {
		printf("\t{");
		for (unsigned c = 0; c < 256; c++) {
			uint32_t bits = (uint32_t)values[c] << (18 - 6 * place);
			uint32_t word = bits >> 16 | (bits & 0xff00) |
			                (bits & 0xff) << 16;
			if (values[c] == NO_SYMBOL)
				word = FLAG;
			printf("%s0x%06x,", c % 8 == 0 ? "\n\t " : " ",
			       (unsigned)word);
		}
		printf("},\n");
	}
	printf("};\n");
}

/* Characters that a value table has no value for have this one. */
enum { NO_VALUE = 0x80 };

static void values(void)
{
	uint8_t bytes[2 * VECTOR];
	const char *digits = "0123456789abcdef";

	memset(bytes, NO_VALUE, sizeof bytes);
	for (unsigned value = 0; digits[value] != '\0'; value++)
		bytes[(uint8_t)digits[value]] = (uint8_t)value;
	for (unsigned value = 10; value < 16; value++)
		bytes['A' + value - 10] = (uint8_t)value;
	print("The value of each hex digit.", "f2_hex_values", bytes, 2,
	      VECTOR);

	base64_values(bytes, sizeof bytes, NO_VALUE);
	print("The value of each character of both base64 alphabets.",
	      "f2_base64_values", bytes, 2, VECTOR);

	/* In each 4 bytes the madd steps leave 24 bits, lowest byte first. */
	memset(bytes, 0, sizeof bytes);
	for (unsigned i = 0; i < VECTOR / 4 * 3; i++)
		bytes[i] = (uint8_t)(i / 3 * 4 + 2 - i % 3);
	print("The three bytes of each decoded group, the highest first.",
	      "f2_base64_bytes", bytes, 1, VECTOR);
}

int main(void)
{
	printf("/* Made by make_tables.c. */\n"
	       "#ifndef F2_KERNELS_TABLES_H\n"
	       "#define F2_KERNELS_TABLES_H\n"
	       "\n"
	       "#include <stdint.h>\n");
	lanes();
	slots();
	squeezes();
	base64_places();
	values();
	printf("\n#endif\n");
	return fflush(stdout) != 0 || ferror(stdout) != 0;
}
