/*
 * Java strings and arrays as sources: read in short steps, encoded by the
 * kernels, handed to the write path piece by piece.
 */
#ifndef F2_TEXT_H
#define F2_TEXT_H

#include "files2.h"
#include "kernels.h"

#include <jni.h>

/* The encodings; the numbers are shared with TextEncoding.java. */
enum f2_encoding {
	F2_UTF8 = 0,
	F2_LATIN1 = 1,
	F2_ASCII = 2,
	F2_UTF16LE = 3,
	F2_BASE64 = 4,
	F2_HEX = 5
};

/* What the JVM's String looks like and how this process encodes; set once by
 * files2_bind before any other call. */
struct f2_jvm {
	jfieldID value; /* String.value, byte[]; NULL: read by region */
	jfieldID coder; /* String.coder, 0 Latin-1, 1 UTF-16 */
	bool path_is_utf8;
	const struct f2_kernels *kernels;
};

extern struct f2_jvm f2_jvm;

/* The most text that is read while the collector may be held up. */
enum { F2_CRITICAL_BYTES = 64 * 1024 };

/* Units of text read at a time where the fields can't be reached. */
enum { F2_REGION_UNITS = 1024 };

/* A Java string to read. */
struct f2_string {
	JNIEnv *env;
	jstring string;
	jbyteArray value; /* NULL: read by region */
	bool wide;        /* UTF-16 units, else Latin-1 */
	size_t units;
};

void f2_string_init(struct f2_string *string, JNIEnv *env, jstring object);

/* Copies units from index on to dst, in the string's own width. */
void f2_string_copy(const struct f2_string *string, size_t index, size_t units,
                    void *dst);

/* A string in an encoding as a source. */
struct f2_text {
	struct f2_source source;
	struct f2_string string;
	enum f2_encoding encoding;
	size_t index; /* the next unit to encode */
	bool ended;
	struct f2_base64 base64;
	uint8_t *buffer;
	size_t capacity;
	size_t ready; /* bytes in the buffer that are not handed out yet */
	uint8_t *block;
};

/* Makes text the source of object's bytes, through buffer. report: text that
 * can't be encoded is a fault, found here. Text that fits the buffer is
 * encoded here. Returns 0 or a fault; f2_text_free is due in either case. */
int64_t f2_text_init(struct f2_text *text, JNIEnv *env, jstring object,
                     enum f2_encoding encoding, bool report, uint8_t *buffer,
                     size_t capacity);

void f2_text_free(struct f2_text *text);

/* A Java byte[] as a source. */
struct f2_array {
	struct f2_source source;
	JNIEnv *env;
	jbyteArray array;
	jsize offset;
	jsize remaining;
	uint8_t *buffer;
	size_t capacity;
	uint8_t *block;
};

void f2_array_init(struct f2_array *array, JNIEnv *env, jbyteArray object,
                   jsize offset, jsize byte_count, uint8_t *buffer,
                   size_t capacity);

void f2_array_free(struct f2_array *array);

/* Puts the path that string names into path, as the file system's bytes, of
 * which PATH_MAX have room: the kernel takes no longer name. Returns its
 * length, or a fault: F2_FOREIGN where the JVM would translate the name in a
 * way of its own. */
int64_t f2_path(const struct f2_string *string, char *path);

#endif
