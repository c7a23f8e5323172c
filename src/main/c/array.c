/* Java byte arrays as sources: copied piece by piece, never pinned. */
#include "text.h"

#include <errno.h>
#include <stdlib.h>

static int64_t next_piece(struct f2_source *source, const uint8_t **piece)
{
	struct f2_array *array = (struct f2_array *)source;
	JNIEnv *env = array->env;
	jsize byte_count = array->remaining;
	if ((size_t)byte_count > array->capacity)
		byte_count = (jsize)array->capacity;
	/* SAFETY: Java has checked the range against the array. */
	(*env)->GetByteArrayRegion(env, array->array, array->offset, byte_count,
	                           (jbyte *)array->buffer);
	array->offset += byte_count;
	array->remaining -= byte_count;
	*piece = array->buffer;
	return byte_count;
}

static int64_t join_array(struct f2_source *source)
{
	struct f2_array *array = (struct f2_array *)source;
	size_t byte_count = (size_t)array->remaining;
	if (byte_count <= array->capacity)
		return 0;
	array->block = malloc(byte_count);
	if (array->block == NULL)
		return f2_fault(F2_MEMORY, ENOMEM, 0);
	array->buffer = array->block;
	array->capacity = byte_count;
	return 0;
}

static uint64_t count_array(struct f2_source *source)
{
	return source->max_bytes;
}

static void rewind_array(struct f2_source *source)
{
	struct f2_array *array = (struct f2_array *)source;
	jsize taken = (jsize)source->max_bytes - array->remaining;
	array->offset -= taken;
	array->remaining += taken;
}

void f2_array_init(struct f2_array *array, JNIEnv *env, jbyteArray object,
                   jsize offset, jsize byte_count, uint8_t *buffer,
                   size_t capacity)
{
	*array = (struct f2_array){
	        .source = {.next = next_piece,
	                   .join = join_array,
	                   .count = count_array,
	                   .rewind = rewind_array,
	                   .min_bytes = (uint64_t)byte_count,
	                   .max_bytes = (uint64_t)byte_count,
	                   .whole = (size_t)byte_count <= capacity},
	        .env = env,
	        .array = object,
	        .offset = offset,
	        .remaining = byte_count,
	        .buffer = buffer,
	        .capacity = capacity,
	};
}

void f2_array_free(struct f2_array *array)
{
	free(array->block);
}
