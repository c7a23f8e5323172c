/*
 * A JVM of a few functions: strings and arrays that lie flush against guard
 * pages, and a check of what is done between GetPrimitiveArrayCritical and its
 * release. Functions that the shim has no business to call are NULL.
 */
#ifndef FAKE_JNI_H
#define FAKE_JNI_H

#include "../../main/c/text.h"
#include "guarded.h"

/* What is forbidden or counted; each breach is a failed case. */
struct fake_jvm {
	unsigned criticals;   /* taken so far */
	unsigned refuse_from; /* the number of the first refused one, 0: none */
	bool refuse_malloc;
	size_t blocks; /* of malloc, not freed yet */
};

extern struct fake_jvm fake_jvm;

enum fake_form { FORM_LATIN1, FORM_WIDE, FORM_REGION };

JNIEnv *fake_env(void);

/* Makes the string that the next calls see; units are copied. Latin-1 form
 * needs units below 0x100. */
jstring fake_string(enum fake_form form, const uint16_t *units, size_t count);

/* The same for a byte[]. */
jbyteArray fake_array(const uint8_t *bytes, size_t count);

/* Sets up f2_jvm for strings of a form. kernels are spied on. */
void fake_bind(enum fake_form form, const struct f2_kernels *kernels,
               bool path_is_utf8);

/* Checks that no critical section is open. */
void fake_check_closed(void);

#endif
