/* Java strings as sources of encoded bytes. */
#include "text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A step of encoding that would take fewer units than this waits for the next
 * piece, unless the text ends. */
enum { MIN_STEP_UNITS = 1024 };

/* Room for MIN_STEP_UNITS of any encoding beyond an exact length. */
enum { STEP_ROOM = 3 * MIN_STEP_UNITS + F2_SLACK };

/* Wide base64 and hex text is narrowed through a block of this size. */
enum { NARROW_UNITS = 1024 };

void f2_string_init(struct f2_string *string, JNIEnv *env, jstring object)
{
	*string = (struct f2_string){.env = env, .string = object};
	if (f2_jvm.value != NULL) {
		string->value =
		        (*env)->GetObjectField(env, object, f2_jvm.value);
		string->wide =
		        (*env)->GetByteField(env, object, f2_jvm.coder) != 0;
		string->units =
		        (size_t)(*env)->GetArrayLength(env, string->value) >>
		        (string->wide ? 1 : 0);
	} else {
		string->wide = true;
		string->units = (size_t)(*env)->GetStringLength(env, object);
	}
}

void f2_string_copy(const struct f2_string *string, size_t index, size_t units,
                    void *dst)
{
	JNIEnv *env = string->env;
	unsigned shift = string->wide ? 1 : 0;
	if (string->value == NULL)
		(*env)->GetStringRegion(env, string->string, (jsize)index,
		                        (jsize)units, dst);
	else
		(*env)->GetByteArrayRegion(env, string->value,
		                           (jsize)(index << shift),
		                           (jsize)(units << shift), dst);
}

/* One look at a part of the text; only memory may be touched meanwhile. */
struct view {
	const void *units; /* the part; NULL: out of memory */
	void *array;       /* what to release, or NULL */
	uint16_t region[F2_REGION_UNITS];
};

static void view_open(struct view *view, const struct f2_string *string,
                      size_t index, size_t units)
{
	JNIEnv *env = string->env;
	view->array = NULL;
	view->units = view->region;
	/* Short text is copied: that does not hold the collector at all. */
	if (string->value == NULL ||
	    units << (string->wide ? 1 : 0) <= sizeof view->region) {
		f2_string_copy(string, index, units, view->region);
		return;
	}
	view->array =
	        (*env)->GetPrimitiveArrayCritical(env, string->value, NULL);
	/* SAFETY: index + units was checked against the array's length. */
	view->units = view->array == NULL
	                      ? NULL
	                      : (const uint8_t *)view->array +
	                                (index << (string->wide ? 1 : 0));
}

static void view_close(struct view *view, const struct f2_string *string)
{
	JNIEnv *env = string->env;
	if (view->array != NULL)
		(*env)->ReleasePrimitiveArrayCritical(env, string->value,
		                                      view->array, JNI_ABORT);
}

/* --- Bounds ------------------------------------------------------------ */

/* The most bytes that units make. */
static uint64_t bound(const struct f2_text *text, uint64_t units)
{
	switch (text->encoding) {
	case F2_UTF8:
		return text->string.wide ? 3 * units : 2 * units;
	case F2_UTF16LE:
		return 2 * units;
	case F2_BASE64:
		return units == 0 ? 0 : 3 * (units / 4) + 3;
	case F2_HEX:
		return units / 2;
	case F2_LATIN1:
	case F2_ASCII:
	default:
		return units;
	}
}

/* How many units surely fit room. */
static size_t fitting(const struct f2_text *text, size_t room)
{
	switch (text->encoding) {
	case F2_UTF8:
		/* One Latin-1 step finds out for itself: see encode_latin1. */
		if (!text->string.wide)
			return room;
		return room < F2_SLACK ? 0 : (room - F2_SLACK) / 3;
	case F2_UTF16LE:
		return room / 2;
	case F2_BASE64:
		return room < F2_SLACK + 4 ? 0 : (room - F2_SLACK - 4) / 3 * 4;
	case F2_HEX:
		return room * 2;
	case F2_LATIN1:
	case F2_ASCII:
	default:
		return room;
	}
}

/* The most units that one step looks at. */
static size_t step_limit(const struct f2_text *text)
{
	if (text->string.value == NULL)
		return F2_REGION_UNITS;
	if (!text->string.wide)
		return F2_CRITICAL_BYTES;
	bool narrows = text->encoding == F2_BASE64 || text->encoding == F2_HEX;
	return narrows ? NARROW_UNITS : F2_CRITICAL_BYTES / 2;
}

/* --- One step ---------------------------------------------------------- */

/* Latin-1 to UTF-8: text is ASCII up to its first accent far more often than
 * not, and then needs one byte of room a character, not two. */
static size_t encode_latin1(const struct f2_kernels *kernels, uint8_t *dst,
                            size_t room, const uint8_t *src, size_t *units)
{
	if (*units <= (room - F2_SLACK) / 2 && room >= F2_SLACK)
		return kernels->latin1_to_utf8(dst, src, *units);
	size_t ascii = kernels->latin1_ascii_prefix(src, *units);
	memcpy(dst, src, ascii);
	size_t rest = *units - ascii;
	size_t left = room - ascii;
	size_t fits = left < F2_SLACK ? 0 : (left - F2_SLACK) / 2;
	if (rest > fits)
		rest = fits;
	*units = ascii + rest;
	return rest == 0 ? ascii
	                 : ascii + kernels->latin1_to_utf8(dst + ascii,
	                                                   src + ascii, rest);
}

/* base64 and hex of a text of either width. */
static size_t decode(struct f2_text *text, uint8_t *dst, const void *src,
                     size_t *units, bool last)
{
	const struct f2_kernels *kernels = f2_jvm.kernels;
	uint8_t narrow[NARROW_UNITS];
	const uint8_t *bytes = src;
	if (text->string.wide) {
		/* As in Node, a wide unit counts as its low byte. */
		kernels->utf16_to_latin1(narrow, src, *units);
		bytes = narrow;
	}
	if (text->encoding == F2_BASE64)
		return kernels->base64_decode(&text->base64, dst, bytes, *units,
		                              last);
	if (!last)
		*units &= ~(size_t)1;
	size_t made = kernels->hex_decode(dst, bytes, *units);
	if (made < *units / 2)
		text->ended = true;
	return made;
}

/* Encodes up to *units from src to dst, which has room for what they make, and
 * sets *units to what it took. lone: see kernels.h. */
static size_t encode(struct f2_text *text, uint8_t *dst, size_t room,
                     const void *src, size_t *units, bool last, size_t *lone)
{
	const struct f2_kernels *kernels = f2_jvm.kernels;
	bool wide = text->string.wide;
	switch (text->encoding) {
	case F2_UTF8:
		if (!wide)
			return encode_latin1(kernels, dst, room, src, units);
		return kernels->utf16_to_utf8(dst, src, *units, lone);
	case F2_UTF16LE:
		if (wide)
			memcpy(dst, src, 2 * *units);
		else
			kernels->latin1_to_utf16(dst, src, *units);
		return 2 * *units;
	case F2_BASE64:
	case F2_HEX:
		return decode(text, dst, src, units, last);
	case F2_LATIN1:
	case F2_ASCII:
	default:
		if (wide)
			kernels->utf16_to_latin1(dst, src, *units);
		else
			memcpy(dst, src, *units);
		return *units;
	}
}

/* Tells whether a unit is the first of a pair. */
static bool is_high(uint16_t unit)
{
	return (unit & 0xfc00) == 0xd800;
}

/* Fills the buffer from its start. Returns the bytes made, or -1 where memory
 * ran out. *fault: the index of a lone surrogate that ended it, if not NULL. */
static int64_t fill(struct f2_text *text, uint64_t *fault)
{
	const struct f2_string *string = &text->string;
	size_t made = 0;
	struct view view;
	while (!text->ended) {
		size_t remaining = string->units - text->index;
		size_t units = fitting(text, text->capacity - made);
		if (units > step_limit(text))
			units = step_limit(text);
		if (units < MIN_STEP_UNITS && units < remaining && made > 0)
			break;
		if (units > remaining)
			units = remaining;
		bool last = units == remaining;
		view_open(&view, string, text->index, units);
		if (view.units == NULL)
			return -1;
		if (string->wide && !last && units > 1) {
			uint16_t edge;
			memcpy(&edge,
			       (const uint8_t *)view.units + 2 * (units - 1),
			       sizeof edge);
			if (is_high(edge))
				units--; /* its partner may come next */
		}
		size_t lone = units;
		made += encode(text, text->buffer + made, text->capacity - made,
		               view.units, &units, last,
		               fault != NULL ? &lone : NULL);
		view_close(&view, string);
		if (fault != NULL && lone < units) {
			*fault = text->index + lone;
			return (int64_t)made;
		}
		text->index += units;
		text->ended = text->ended || text->index == string->units;
		if (units == 0)
			break;
	}
	return (int64_t)made;
}

/* --- The source -------------------------------------------------------- */

static int64_t next_piece(struct f2_source *source, const uint8_t **piece)
{
	struct f2_text *text = (struct f2_text *)source;
	*piece = text->buffer;
	if (text->ready > 0) {
		int64_t ready = (int64_t)text->ready;
		text->ready = 0;
		return ready;
	}
	/* A piece of skipped base64 characters is empty, and no end. */
	int64_t made = 0;
	while (made == 0 && !text->ended)
		made = fill(text, NULL);
	return made;
}

/* Lets the next piece begin with the first unit. */
static void restart(struct f2_text *text)
{
	text->ready = 0;
	text->index = 0;
	text->ended = text->string.units == 0;
	text->base64 = (struct f2_base64){0};
}

static void rewind_text(struct f2_source *source)
{
	struct f2_text *text = (struct f2_text *)source;
	if (source->whole) {
		text->ready = (size_t)source->max_bytes; /* still there */
		return;
	}
	restart(text);
}

/* Counts by encoding everything once; the text starts anew afterwards. Returns
 * false where memory ran out. */
static bool count_by_encoding(struct f2_text *text, uint64_t *count)
{
	int64_t made = 0;
	*count = 0;
	restart(text);
	while (made >= 0 && !text->ended) {
		made = fill(text, NULL);
		if (made > 0)
			*count += (uint64_t)made;
	}
	restart(text);
	return made >= 0;
}

/* Runs over the text that is not encoded yet: counts UTF-8 and finds the first
 * fault. *fault is its index, or stays. Returns false where memory ran out. */
static bool scan(const struct f2_text *text, uint64_t *count, uint64_t *fault)
{
	const struct f2_kernels *kernels = f2_jvm.kernels;
	const struct f2_string *string = &text->string;
	struct f2_base64_check check = {0};
	struct view view;
	size_t index = text->index;
	*count = 0;
	while (index < string->units) {
		size_t units = string->units - index;
		if (units > step_limit(text))
			units = step_limit(text);
		bool last = index + units == string->units;
		view_open(&view, string, index, units);
		if (view.units == NULL)
			return false;
		size_t good = units;
		int64_t bad = -1;
		switch (text->encoding) {
		case F2_UTF8:
		case F2_UTF16LE:
			if (!string->wide) {
				*count += kernels->latin1_utf8_length(
				        view.units, units);
				break;
			}
			if (!last && units > 1) {
				uint16_t edge;
				memcpy(&edge,
				       (const uint8_t *)view.units +
				               2 * (units - 1),
				       sizeof edge);
				if (is_high(edge))
					good = --units;
			}
			*count += kernels->utf16_utf8_length(view.units, units,
			                                     &good);
			break;
		case F2_LATIN1:
		case F2_ASCII:
			if (string->wide)
				good = kernels->utf16_prefix(
				        view.units, units,
				        text->encoding == F2_ASCII ? 0x7f
				                                   : 0xff);
			else if (text->encoding == F2_ASCII)
				good = kernels->latin1_ascii_prefix(view.units,
				                                    units);
			break;
		case F2_BASE64: {
			const uint8_t *bytes = view.units;
			uint8_t narrow[NARROW_UNITS];
			if (string->wide) {
				/* Wide units are no base64: find them. */
				good = kernels->utf16_prefix(view.units, units,
				                             0xff);
				kernels->utf16_to_latin1(narrow, view.units,
				                         good);
				bytes = narrow;
			}
			bad = kernels->base64_check(&check, bytes, good,
			                            last && good == units);
			break;
		}
		case F2_HEX:
		default:
			if (string->wide)
				good = kernels->utf16_prefix(view.units, units,
				                             0x7f);
			break;
		}
		view_close(&view, string);
		/* An open group may have begun before this step. */
		if (bad < 0 && good < units)
			bad = (int64_t)(index + good);
		if (bad >= 0 && fault != NULL) {
			*fault = (uint64_t)bad;
			return true;
		}
		index += units;
	}
	return true;
}

static bool is_digit(uint16_t unit)
{
	return (unit >= '0' && unit <= '9') || (unit >= 'A' && unit <= 'F') ||
	       (unit >= 'a' && unit <= 'f');
}

/* The strict rule of hex: digits only, an even number of them. Returns false
 * where memory ran out. */
static bool scan_hex(struct f2_text *text, uint64_t *fault)
{
	uint64_t count;
	/* Wide units would decode by their low byte. */
	if (!scan(text, &count, fault) || !count_by_encoding(text, &count))
		return false;
	uint64_t bad = 2 * count;
	if (bad >= text->string.units)
		return true;
	uint16_t unit = 0;
	f2_string_copy(&text->string, (size_t)bad, 1, &unit);
	if (is_digit(unit) && bad + 1 < text->string.units)
		bad++;
	if (bad < *fault)
		*fault = bad;
	return true;
}

/* Takes the number of bytes that the text makes beyond the first piece. Narrow
 * text that makes one byte of each unit is ASCII: its bytes are copied, not
 * looked at again. */
static void set_count(struct f2_text *text, uint64_t rest)
{
	uint64_t count = text->ready + rest;
	text->source.min_bytes = text->source.max_bytes = count;
	if (text->encoding == F2_UTF8 && !text->string.wide &&
	    count == text->string.units)
		text->encoding = F2_LATIN1;
}

static uint64_t count_text(struct f2_source *source)
{
	struct f2_text *text = (struct f2_text *)source;
	if (source->min_bytes != source->max_bytes) {
		uint64_t count;
		bool counted = text->encoding == F2_UTF8
		                       ? scan(text, &count, NULL)
		                       : count_by_encoding(text, &count);
		if (!counted) /* encoding will say so */
			return source->max_bytes;
		set_count(text, count);
	}
	return source->max_bytes;
}

/* Makes the next piece before it is asked for. */
static int64_t make_ready(struct f2_text *text, uint64_t *fault)
{
	int64_t made = fill(text, fault);
	if (made < 0)
		return f2_fault(F2_MEMORY, ENOMEM, 0);
	text->ready = (size_t)made;
	return 0;
}

static int64_t join_text(struct f2_source *source)
{
	struct f2_text *text = (struct f2_text *)source;
	if (text->ended)
		return 0; /* encoded already */
	size_t capacity = (size_t)count_text(source) + STEP_ROOM;
	if (source->min_bytes != source->max_bytes)
		return f2_fault(F2_MEMORY, ENOMEM, 0); /* it is not counted */
	restart(text);
	if (capacity > text->capacity) {
		text->block = malloc(capacity);
		if (text->block == NULL)
			return f2_fault(F2_MEMORY, ENOMEM, 0);
		text->buffer = text->block;
		text->capacity = capacity;
	}
	return make_ready(text, NULL);
}

/* Makes the first piece, which is often all of the text: that needs no file,
 * and no other pass to count it. *fault: see fill. */
static int64_t begin(struct f2_text *text, uint64_t *fault)
{
	struct f2_source *source = &text->source;
	int64_t result = make_ready(text, fault);
	if (result != 0)
		return result;
	source->whole = text->ended;
	uint64_t rest = text->string.units - text->index;
	if (source->whole)
		source->min_bytes = source->max_bytes = text->ready;
	if (source->whole || text->encoding != F2_UTF8)
		return 0;
	source->min_bytes = text->ready + rest;
	source->max_bytes = text->ready + bound(text, rest);
	if (fault == NULL || *fault != UINT64_MAX)
		return 0;
	uint64_t count;
	if (!scan(text, &count, fault))
		return f2_fault(F2_MEMORY, ENOMEM, 0);
	set_count(text, count);
	return 0;
}

int64_t f2_text_init(struct f2_text *text, JNIEnv *env, jstring object,
                     enum f2_encoding encoding, bool report, uint8_t *buffer,
                     size_t capacity)
{
	*text = (struct f2_text){
	        .source = {.next = next_piece,
	                   .join = join_text,
	                   .count = count_text,
	                   .rewind = rewind_text},
	        .encoding = encoding,
	        .buffer = buffer,
	        .capacity = capacity,
	};
	f2_string_init(&text->string, env, object);
	size_t units = text->string.units;
	text->ended = units == 0;
	text->source.whole = text->ended;
	text->source.max_bytes = bound(text, units);
	text->source.min_bytes =
	        encoding == F2_BASE64 || encoding == F2_HEX ? 0 : units;
	if (encoding == F2_UTF16LE)
		text->source.min_bytes = text->source.max_bytes;

	uint64_t fault = UINT64_MAX;
	uint64_t count;
	bool scanned = true;
	if (report && encoding == F2_HEX)
		scanned = scan_hex(text, &fault);
	else if (report && encoding != F2_UTF8) /* it reports by itself */
		scanned = scan(text, &count, &fault);
	if (!scanned)
		return f2_fault(F2_MEMORY, ENOMEM, 0);
	if (fault == UINT64_MAX && !text->ended) {
		int64_t result = begin(text, report ? &fault : NULL);
		if (result != 0)
			return result;
	}
	return fault == UINT64_MAX ? 0 : f2_fault(F2_ENCODE, 0, fault);
}

void f2_text_free(struct f2_text *text)
{
	free(text->block);
}
