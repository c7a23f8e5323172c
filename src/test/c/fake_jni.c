#include "fake_jni.h"
#include "tally.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_BYTES = 8 * 1024 * 1024 };

struct fake_jvm fake_jvm;

/* The one object there is: a string with its array, or an array. */
static struct {
	const uint8_t *bytes;
	size_t byte_count;
	size_t units;
	bool wide;
} object;

static struct guarded memory;
static int value_field;
static int coder_field;

/* The open critical section and what was read in it. */
static bool in_critical;
static const uint8_t *read_from;
static const uint8_t *read_to;

static void no_call_inside(const char *name)
{
	tally_check(!in_critical, "%s inside a critical section", name);
}

static jobject get_object_field(JNIEnv *env, jobject string, jfieldID field)
{
	(void)env;
	no_call_inside("GetObjectField");
	tally_check(field == (jfieldID)&value_field, "another field");
	return string;
}

static jbyte get_byte_field(JNIEnv *env, jobject string, jfieldID field)
{
	(void)env;
	(void)string;
	no_call_inside("GetByteField");
	tally_check(field == (jfieldID)&coder_field, "another field");
	return object.wide ? 1 : 0;
}

static jsize get_array_length(JNIEnv *env, jarray array)
{
	(void)env;
	(void)array;
	no_call_inside("GetArrayLength");
	return (jsize)object.byte_count;
}

static jsize get_string_length(JNIEnv *env, jstring string)
{
	(void)env;
	(void)string;
	no_call_inside("GetStringLength");
	return (jsize)object.units;
}

/* As the JVM: what is not in the array is an exception, here a failure. */
static bool is_in(jsize start, jsize count, size_t limit)
{
	return tally_check(start >= 0 && count >= 0 &&
	                           (size_t)start + (size_t)count <= limit,
	                   "region %d + %d of %zu", start, count, limit);
}

static void get_string_region(JNIEnv *env, jstring string, jsize start,
                              jsize count, jchar *units)
{
	(void)env;
	(void)string;
	no_call_inside("GetStringRegion");
	tally_check((size_t)count <= 4096, "%d units at once", count);
	if (is_in(start, count, object.units))
		memcpy(units, object.bytes + 2 * (size_t)start,
		       2 * (size_t)count);
}

static void get_byte_array_region(JNIEnv *env, jbyteArray array, jsize start,
                                  jsize count, jbyte *bytes)
{
	(void)env;
	(void)array;
	no_call_inside("GetByteArrayRegion");
	if (is_in(start, count, object.byte_count))
		memcpy(bytes, object.bytes + start, (size_t)count);
}

static void *get_critical(JNIEnv *env, jarray array, jboolean *is_copy)
{
	(void)env;
	(void)array;
	(void)is_copy;
	no_call_inside("GetPrimitiveArrayCritical");
	fake_jvm.criticals++;
	if (fake_jvm.refuse_from != 0 &&
	    fake_jvm.criticals >= fake_jvm.refuse_from)
		return NULL;
	in_critical = true;
	read_from = NULL;
	read_to = NULL;
	return (void *)(uintptr_t)object.bytes;
}

static void release_critical(JNIEnv *env, jarray array, void *bytes, jint mode)
{
	(void)env;
	(void)array;
	tally_check(in_critical, "released twice");
	tally_check(bytes == object.bytes && mode == JNI_ABORT,
	            "released with mode %d", mode);
	tally_check(read_to - read_from <= F2_CRITICAL_BYTES,
	            "%td bytes read in one critical section",
	            read_to - read_from);
	in_critical = false;
}

static const struct JNINativeInterface_ functions = {
        .GetObjectField = get_object_field,
        .GetByteField = get_byte_field,
        .GetArrayLength = get_array_length,
        .GetStringLength = get_string_length,
        .GetStringRegion = get_string_region,
        .GetByteArrayRegion = get_byte_array_region,
        .GetPrimitiveArrayCritical = get_critical,
        .ReleasePrimitiveArrayCritical = release_critical,
};

JNIEnv *fake_env(void)
{
	static JNIEnv env = &functions;
	return &env;
}

static void set_object(const void *bytes, size_t byte_count)
{
	if (memory.start == NULL)
		memory = guarded_map(MAX_BYTES);
	object.bytes = guarded_copy(&memory, bytes, byte_count);
	object.byte_count = byte_count;
}

jstring fake_string(enum fake_form form, const uint16_t *units, size_t count)
{
	static uint8_t narrow[MAX_BYTES];
	object.units = count;
	object.wide = form != FORM_LATIN1;
	if (object.wide) {
		set_object(units, 2 * count);
	} else {
		for (size_t i = 0; i < count; i++)
			narrow[i] = (uint8_t)units[i];
		set_object(narrow, count);
	}
	return (jstring)(void *)&object;
}

jbyteArray fake_array(const uint8_t *bytes, size_t count)
{
	set_object(bytes, count);
	return (jbyteArray)(void *)&object;
}

void fake_check_closed(void)
{
	tally_check(!in_critical, "a critical section is left open");
	in_critical = false;
}

/* --- Spied kernels: what they read of the object ----------------------- */

static const struct f2_kernels *real;

static void spy(const void *src, size_t byte_count)
{
	const uint8_t *from = src;
	if (!in_critical || byte_count == 0 || from < object.bytes ||
	    from >= object.bytes + object.byte_count)
		return;
	if (read_from == NULL || from < read_from)
		read_from = from;
	if (read_to == NULL || from + byte_count > read_to)
		read_to = from + byte_count;
}

static size_t latin1_to_utf8(uint8_t *dst, const uint8_t *src, size_t n)
{
	spy(src, n);
	return real->latin1_to_utf8(dst, src, n);
}

static size_t latin1_utf8_length(const uint8_t *src, size_t n)
{
	spy(src, n);
	return real->latin1_utf8_length(src, n);
}

static size_t latin1_ascii_prefix(const uint8_t *src, size_t n)
{
	spy(src, n);
	return real->latin1_ascii_prefix(src, n);
}

static void latin1_to_utf16(uint8_t *dst, const uint8_t *src, size_t n)
{
	spy(src, n);
	real->latin1_to_utf16(dst, src, n);
}

static size_t utf16_to_utf8(uint8_t *dst, const uint16_t *src, size_t n,
                            size_t *lone)
{
	spy(src, 2 * n);
	return real->utf16_to_utf8(dst, src, n, lone);
}

static size_t utf16_utf8_length(const uint16_t *src, size_t n, size_t *lone)
{
	spy(src, 2 * n);
	return real->utf16_utf8_length(src, n, lone);
}

static size_t utf16_prefix(const uint16_t *src, size_t n, uint16_t limit)
{
	spy(src, 2 * n);
	return real->utf16_prefix(src, n, limit);
}

static void utf16_to_latin1(uint8_t *dst, const uint16_t *src, size_t n)
{
	spy(src, 2 * n);
	real->utf16_to_latin1(dst, src, n);
}

static size_t base64_decode(struct f2_base64 *state, uint8_t *dst,
                            const uint8_t *src, size_t n, bool last)
{
	spy(src, n);
	return real->base64_decode(state, dst, src, n, last);
}

static int64_t base64_check(struct f2_base64_check *state, const uint8_t *src,
                            size_t n, bool last)
{
	spy(src, n);
	return real->base64_check(state, src, n, last);
}

static size_t hex_decode(uint8_t *dst, const uint8_t *src, size_t n)
{
	spy(src, n);
	return real->hex_decode(dst, src, n);
}

static const struct f2_kernels spies = {
        .name = "spies",
        .latin1_to_utf8 = latin1_to_utf8,
        .latin1_utf8_length = latin1_utf8_length,
        .latin1_ascii_prefix = latin1_ascii_prefix,
        .latin1_to_utf16 = latin1_to_utf16,
        .utf16_to_utf8 = utf16_to_utf8,
        .utf16_utf8_length = utf16_utf8_length,
        .utf16_prefix = utf16_prefix,
        .utf16_to_latin1 = utf16_to_latin1,
        .base64_decode = base64_decode,
        .base64_check = base64_check,
        .hex_decode = hex_decode,
};

void fake_bind(enum fake_form form, const struct f2_kernels *kernels,
               bool path_is_utf8)
{
	bool by_region = form == FORM_REGION;
	real = kernels;
	f2_jvm = (struct f2_jvm){
	        .value = by_region ? NULL : (jfieldID)&value_field,
	        .coder = by_region ? NULL : (jfieldID)&coder_field,
	        .path_is_utf8 = path_is_utf8,
	        .kernels = &spies};
}

/* --- malloc ------------------------------------------------------------ */

void *__real_malloc(size_t byte_count);
void *__wrap_malloc(size_t byte_count);
void __real_free(void *block);
void __wrap_free(void *block);

void *__wrap_malloc(size_t byte_count)
{
	no_call_inside("malloc");
	if (fake_jvm.refuse_malloc)
		return NULL;
	fake_jvm.blocks++;
	return __real_malloc(byte_count);
}

void __wrap_free(void *block)
{
	no_call_inside("free");
	if (block != NULL)
		fake_jvm.blocks--;
	__real_free(block);
}
