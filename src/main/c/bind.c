/* The boundary to Java: one exported function, which binds all others. */
#include "text.h"

#include <errno.h>
#include <limits.h>

/* Bits of the rules argument, shared with ShimBackend.java; the lowest two are
 * enum f2_flush. */
enum {
	RULE_FLUSH = 3,
	RULE_REPORT = 4,
	RULE_TRUNCATE_FIRST = 8,
	RULE_DIRECT = 16, /* data is a direct ByteBuffer, not a byte[] */
	RULE_ONLY_IF_CHANGED = 32,
	RULE_ATOMIC = 64
};

/* Bits of the options of files2_bind, shared with ShimBackend.java. */
enum {
	BIND_REGIONS = 1,      /* read strings by GetStringRegion */
	BIND_PATH_IS_UTF8 = 2, /* sun.jnu.encoding */
	BIND_SCALAR = 4,
	BIND_AVX2 = 8,
	BIND_AVX512 = 16
};

/* What files2_bind answers. */
enum {
	BOUND = 0,
	BOUND_BY_REGION = 1, /* String has not the fields we know */
	WRONG_ABI = -1,
	NO_SUCH_KERNELS = -2,
	REGISTER_FAILED = -3
};

/* Text that surely encodes to no more needs no chunk. */
enum { SMALL_BYTES = 16 * 1024 };

struct f2_jvm f2_jvm;
static jfieldID descriptor_fd;

/* A descriptor that Java may close meanwhile. */
struct java_target {
	struct f2_target target;
	JNIEnv *env;
	jobject descriptor;
};

static int current_fd(struct f2_target *target)
{
	struct java_target *java = (struct java_target *)target;
	return (*java->env)
	        ->GetIntField(java->env, java->descriptor, descriptor_fd);
}

static void target_init(struct java_target *target, JNIEnv *env, jint fd,
                        jobject descriptor)
{
	target->target.fd = fd;
	target->target.current = descriptor != NULL ? current_fd : NULL;
	target->env = env;
	target->descriptor = descriptor;
}

static struct f2_rules rules_of(jint open_flags, jint mode, jint rules)
{
	return (struct f2_rules){
	        .open_flags = open_flags,
	        .mode = mode,
	        .flush = (enum f2_flush)(rules & RULE_FLUSH),
	        .truncate_first = (rules & RULE_TRUNCATE_FIRST) != 0,
	};
}

/* The chunk at address, or the small buffer where Java has none to give. */
static uint8_t *buffer_of(jlong chunk, jint chunk_bytes, uint8_t *small,
                          size_t *capacity)
{
	*capacity = chunk != 0 ? (size_t)chunk_bytes : SMALL_BYTES;
	return chunk != 0 ? (uint8_t *)(intptr_t)chunk : small;
}

static int64_t path_of(JNIEnv *env, jstring object, char *path)
{
	struct f2_string string;
	f2_string_init(&string, env, object);
	return f2_path(&string, path);
}

/* Writes the source to path in the way that rules ask for. */
static int64_t put(const char *path, jint open_flags, jint mode, jint rules,
                   jlong nonce, struct f2_source *source)
{
	if ((rules & RULE_ONLY_IF_CHANGED) != 0 && f2_holds(path, source))
		return 0;
	struct f2_rules plan = rules_of(open_flags, mode, rules);
	if ((rules & RULE_ATOMIC) == 0)
		return f2_write_path(path, &plan, source);
	plan.nonce = (uint64_t)nonce;
	return f2_write_atomically(path, &plan, source);
}

static jlong write_text(JNIEnv *env, jclass owner, jstring file, jstring object,
                        jint encoding, jint open_flags, jint mode, jint rules,
                        jlong chunk, jint chunk_bytes, jlong nonce)
{
	(void)owner;
	char path[PATH_MAX];
	int64_t result = path_of(env, file, path);
	if (result < 0)
		return result;
	uint8_t small[SMALL_BYTES];
	size_t capacity;
	uint8_t *buffer = buffer_of(chunk, chunk_bytes, small, &capacity);
	struct f2_text text;
	result = f2_text_init(&text, env, object, (enum f2_encoding)encoding,
	                      (rules & RULE_REPORT) != 0, buffer, capacity);
	if (result == 0)
		result =
		        put(path, open_flags, mode, rules, nonce, &text.source);
	f2_text_free(&text);
	return result;
}

static jlong write_text_to(JNIEnv *env, jclass owner, jint fd,
                           jobject descriptor, jstring object, jint encoding,
                           jint rules, jlong chunk, jint chunk_bytes)
{
	(void)owner;
	uint8_t small[SMALL_BYTES];
	size_t capacity;
	uint8_t *buffer = buffer_of(chunk, chunk_bytes, small, &capacity);
	struct f2_text text;
	struct java_target target;
	target_init(&target, env, fd, descriptor);
	int64_t result =
	        f2_text_init(&text, env, object, (enum f2_encoding)encoding,
	                     (rules & RULE_REPORT) != 0, buffer, capacity);
	if (result == 0)
		result = f2_write_fd(&target.target,
		                     (enum f2_flush)(rules & RULE_FLUSH),
		                     &text.source);
	f2_text_free(&text);
	return result;
}

/* The bytes of one call: in a byte[] or in a direct ByteBuffer. */
struct data {
	struct f2_array array;
	struct f2_ready ready;
	struct f2_source *source;
};

static void data_init(struct data *data, JNIEnv *env, jobject object,
                      jint offset, jint byte_count, jint rules, uint8_t *buffer,
                      size_t capacity)
{
	data->array.block = NULL;
	if ((rules & RULE_DIRECT) != 0) {
		/* SAFETY: Java has checked that the buffer is direct and holds
		 * the range, and keeps it alive as our argument. */
		const uint8_t *bytes =
		        (*env)->GetDirectBufferAddress(env, object);
		f2_ready_init(&data->ready, bytes + offset, (size_t)byte_count);
		data->source = &data->ready.source;
	} else {
		f2_array_init(&data->array, env, object, offset, byte_count,
		              buffer, capacity);
		data->source = &data->array.source;
	}
}

static jlong write_bytes(JNIEnv *env, jclass owner, jstring file,
                         jobject object, jint offset, jint byte_count,
                         jint open_flags, jint mode, jint rules, jlong chunk,
                         jint chunk_bytes, jlong nonce)
{
	(void)owner;
	char path[PATH_MAX];
	int64_t result = path_of(env, file, path);
	if (result < 0)
		return result;
	uint8_t small[SMALL_BYTES];
	size_t capacity;
	uint8_t *buffer = buffer_of(chunk, chunk_bytes, small, &capacity);
	struct data data;
	data_init(&data, env, object, offset, byte_count, rules, buffer,
	          capacity);
	result = put(path, open_flags, mode, rules, nonce, data.source);
	f2_array_free(&data.array);
	return result;
}

static jlong write_bytes_to(JNIEnv *env, jclass owner, jint fd,
                            jobject descriptor, jobject object, jint offset,
                            jint byte_count, jint rules, jlong chunk,
                            jint chunk_bytes)
{
	(void)owner;
	uint8_t small[SMALL_BYTES];
	size_t capacity;
	uint8_t *buffer = buffer_of(chunk, chunk_bytes, small, &capacity);
	struct data data;
	struct java_target target;
	target_init(&target, env, fd, descriptor);
	data_init(&data, env, object, offset, byte_count, rules, buffer,
	          capacity);
	int64_t result =
	        f2_write_fd(&target.target, (enum f2_flush)(rules & RULE_FLUSH),
	                    data.source);
	f2_array_free(&data.array);
	return result;
}

static jlong open_path(JNIEnv *env, jclass owner, jstring file, jint open_flags,
                       jint mode)
{
	(void)owner;
	char path[PATH_MAX];
	int64_t result = path_of(env, file, path);
	return result < 0 ? result : f2_open(path, open_flags, mode);
}

static jlong open_stream(JNIEnv *env, jclass owner, jstring file,
                         jint open_flags, jint mode, jint rules)
{
	(void)owner;
	char path[PATH_MAX];
	int64_t result = path_of(env, file, path);
	struct f2_rules plan = rules_of(open_flags, mode, rules);
	return result < 0 ? result : f2_open_stream(path, &plan);
}

static jlong finish_stream(JNIEnv *env, jclass owner, jlong stream,
                           jlong written, jint rules, jboolean failed)
{
	(void)env;
	(void)owner;
	return f2_finish(stream, (uint64_t)written,
	                 (enum f2_flush)(rules & RULE_FLUSH), failed != 0);
}

static jlong close_fd(JNIEnv *env, jclass owner, jint fd)
{
	(void)env;
	(void)owner;
	return f2_close(fd);
}

static jlong sync_fd(JNIEnv *env, jclass owner, jint fd, jint rules)
{
	(void)env;
	(void)owner;
	return f2_sync(fd, (enum f2_flush)(rules & RULE_FLUSH), 0);
}

static jlong size_of(JNIEnv *env, jclass owner, jint fd)
{
	(void)env;
	(void)owner;
	return f2_size(fd);
}

static jlong remove_leftover(JNIEnv *env, jclass owner, jstring file)
{
	(void)owner;
	char path[PATH_MAX];
	int64_t result = path_of(env, file, path);
	return result < 0 ? result : f2_remove_leftover(path);
}

/* Encodes into a byte[], without any I/O: for the self-test at start-up.
 * Returns the bytes made, cut to the array's length. */
static jlong encode_text(JNIEnv *env, jclass owner, jstring object,
                         jint encoding, jint rules, jbyteArray target)
{
	(void)owner;
	uint8_t small[SMALL_BYTES];
	struct f2_text text;
	jsize room = (*env)->GetArrayLength(env, target);
	jsize made = 0;
	int64_t result =
	        f2_text_init(&text, env, object, (enum f2_encoding)encoding,
	                     (rules & RULE_REPORT) != 0, small, sizeof small);
	const uint8_t *piece = NULL;
	while (result == 0) {
		int64_t some = text.source.next(&text.source, &piece);
		if (some < 0)
			result = f2_fault(F2_MEMORY, ENOMEM, 0);
		if (some <= 0)
			break;
		if (some > room - made)
			some = room - made;
		/* SAFETY: made + some <= room, the array's length. */
		(*env)->SetByteArrayRegion(env, target, made, (jsize)some,
		                           (const jbyte *)piece);
		made += (jsize)some;
	}
	f2_text_free(&text);
	return result < 0 ? result : made;
}

static jstring kernels_name(JNIEnv *env, jclass owner)
{
	(void)owner;
	return (*env)->NewStringUTF(env, f2_jvm.kernels->name);
}

#define STRING "Ljava/lang/String;"
#define DESCRIPTOR "Ljava/io/FileDescriptor;"
#define OBJECT "Ljava/lang/Object;"

/* JNINativeMethod has no const. */
static JNINativeMethod methods[] = {
        {"writeText", "(" STRING STRING "IIIIJIJ)J",
         (void *)(uintptr_t)write_text},
        {"writeTextTo", "(I" DESCRIPTOR STRING "IIJI)J",
         (void *)(uintptr_t)write_text_to},
        {"writeBytes", "(" STRING OBJECT "IIIIIJIJ)J",
         (void *)(uintptr_t)write_bytes},
        {"writeBytesTo", "(I" DESCRIPTOR OBJECT "IIIJI)J",
         (void *)(uintptr_t)write_bytes_to},
        {"open", "(" STRING "II)J", (void *)(uintptr_t)open_path},
        {"openStream", "(" STRING "III)J", (void *)(uintptr_t)open_stream},
        {"finish", "(JJIZ)J", (void *)(uintptr_t)finish_stream},
        {"closeFd", "(I)J", (void *)(uintptr_t)close_fd},
        {"syncFd", "(II)J", (void *)(uintptr_t)sync_fd},
        {"sizeOfFd", "(I)J", (void *)(uintptr_t)size_of},
        {"removeLeftover", "(" STRING ")J", (void *)(uintptr_t)remove_leftover},
        {"encode", "(" STRING "II[B)J", (void *)(uintptr_t)encode_text},
        {"kernelsName", "()" STRING, (void *)(uintptr_t)kernels_name},
};

/* The field of a JDK class, NULL where the class has none such. */
static jfieldID field(JNIEnv *env, const char *class_name, const char *name,
                      const char *signature)
{
	jclass type = (*env)->FindClass(env, class_name);
	jfieldID id = NULL;
	if (type != NULL) {
		id = (*env)->GetFieldID(env, type, name, signature);
		(*env)->DeleteLocalRef(env, type);
	}
	if ((*env)->ExceptionCheck(env))
		(*env)->ExceptionClear(env);
	return id;
}

static const struct f2_kernels *kernels_of(jint options)
{
	if ((options & BIND_SCALAR) != 0)
		return f2_kernels_pick("scalar");
	if ((options & BIND_AVX2) != 0)
		return f2_kernels_pick("avx2");
	if ((options & BIND_AVX512) != 0)
		return f2_kernels_pick("avx512");
	return f2_kernels_pick(NULL);
}

/* Binds the native methods of owner. Called once, before any of them. Returns
 * BOUND, BOUND_BY_REGION, or why not. */
__attribute__((visibility("default"))) jint
files2_bind(JNIEnv *env, jobject owner, jint abi, jint options);

jint files2_bind(JNIEnv *env, jobject owner, jint abi, jint options)
{
	if (abi != F2_ABI)
		return WRONG_ABI;
	struct f2_jvm jvm = {
	        .path_is_utf8 = (options & BIND_PATH_IS_UTF8) != 0,
	        .kernels = kernels_of(options),
	};
	if (jvm.kernels == NULL)
		return NO_SUCH_KERNELS;
	if ((options & BIND_REGIONS) == 0) {
		jvm.value = field(env, "java/lang/String", "value", "[B");
		jvm.coder = field(env, "java/lang/String", "coder", "B");
		if (jvm.coder == NULL)
			jvm.value = NULL;
	}
	descriptor_fd = field(env, "java/io/FileDescriptor", "fd", "I");
	f2_jvm = jvm;
	if (descriptor_fd == NULL ||
	    (*env)->RegisterNatives(env, owner, methods,
	                            sizeof methods / sizeof methods[0]) != 0)
		return REGISTER_FAILED;
	return f2_jvm.value != NULL ? BOUND : BOUND_BY_REGION;
}
