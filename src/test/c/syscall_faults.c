/*
 * Lets system calls of one thread fail on purpose, in any program and however
 * it makes them: a library for the Java tests. The thread asks for a seccomp(2)
 * filter that hands the calls of the table to a handler of SIGSYS, which
 * answers in their place or makes them itself. Only calls on files below one
 * folder count, so that a JVM may go on loading its classes.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#if !defined(__x86_64__)
#error "knows the registers of x86-64 only"
#endif

#define EXPORT __attribute__((visibility("default")))

enum { NONE = -1 };

/* Which argument names the file: a descriptor, a path, or the one or the other.
 */
struct call {
	int number;
	int fd;
	int path;
};

static const struct call calls[] = {
        {SYS_open, NONE, 0},         {SYS_openat, 0, 1},
        {SYS_write, 0, NONE},        {SYS_pwrite64, 0, NONE},
        {SYS_writev, 0, NONE},       {SYS_ftruncate, 0, NONE},
        {SYS_fallocate, 0, NONE},    {SYS_fsync, 0, NONE},
        {SYS_fdatasync, 0, NONE},    {SYS_close, 0, NONE},
        {SYS_statx, 0, 1},           {SYS_fstat, 0, NONE},
        {SYS_newfstatat, 0, 1},      {SYS_fstatfs, 0, NONE},
        {SYS_lseek, 0, NONE},        {SYS_fcntl, 0, NONE},
        {SYS_flock, 0, NONE},        {SYS_fchmod, 0, NONE},
        {SYS_fchown, 0, NONE},       {SYS_renameat, 0, 1},
        {SYS_renameat2, 0, 1},       {SYS_rename, NONE, 0},
        {SYS_linkat, 0, 1},          {SYS_unlinkat, 0, 1},
        {SYS_unlink, NONE, 0},       {SYS_getxattr, NONE, 0},
        {SYS_fgetxattr, 0, NONE},    {SYS_listxattr, NONE, 0},
        {SYS_flistxattr, 0, NONE},   {SYS_fsetxattr, 0, NONE},
        {SYS_fremovexattr, 0, NONE},
};

enum { CALLS = sizeof calls / sizeof calls[0], MAX_FOLDER = 1024 };

/* One thread is under test at a time; no other one has the filter. */
static char folder[MAX_FOLDER];
static size_t folder_length;
static struct {
	long number;
	long skipped; /* calls that go well before */
	long times;   /* failures that are left */
	long answer;  /* -errno, 0, or the most bytes that are moved */
	long fired;
} fault;

/* The filter lets pass what is called from here. */
long f2_real_call(long number, const long *arguments);
extern const char f2_real_call_end[];

__asm__(".text\n"
        ".globl f2_real_call\n"
        ".hidden f2_real_call\n"
        ".type f2_real_call, @function\n"
        "f2_real_call:\n"
        "mov %rdi, %rax\n"
        "mov %rsi, %r11\n"
        "mov (%r11), %rdi\n"
        "mov 8(%r11), %rsi\n"
        "mov 16(%r11), %rdx\n"
        "mov 24(%r11), %r10\n"
        "mov 32(%r11), %r8\n"
        "mov 40(%r11), %r9\n"
        "syscall\n"
        "ret\n"
        ".globl f2_real_call_end\n"
        ".hidden f2_real_call_end\n"
        "f2_real_call_end:\n");

static bool is_below(const char *path)
{
	return folder_length > 0 && strncmp(path, folder, folder_length) == 0;
}

static bool is_fd_below(long fd)
{
	char link[32] = "/proc/self/fd/";
	char digits[20];
	char target[MAX_FOLDER + 2];
	size_t count = 0;
	size_t at = strlen(link);

	if (fd < 0)
		return false;
	do {
		digits[count++] = (char)('0' + fd % 10);
		fd /= 10;
	} while (fd > 0);
	while (count > 0)
		link[at++] = digits[--count];
	link[at] = '\0';
	long arguments[6] = {(long)(intptr_t)link, (long)(intptr_t)target,
	                     MAX_FOLDER};
	long length = f2_real_call(SYS_readlink, arguments);
	if (length < 0)
		return false;
	target[length] = '/'; /* so that the folder itself counts, too */
	target[length + 1] = '\0';
	return is_below(target);
}

static bool counts(const struct call *call, const long *arguments)
{
	if (call->path != NONE) {
		const char *path =
		        (const char *)(intptr_t)arguments[call->path];
		if (path != NULL && path[0] == '/')
			return is_below(path);
	}
	return call->fd != NONE && is_fd_below(arguments[call->fd]);
}

static const struct call *find(long number)
{
	for (size_t i = 0; i < CALLS; i++) {
		if (calls[i].number == number)
			return &calls[i];
	}
	return NULL;
}

static bool fires(long number, const long *arguments)
{
	const struct call *call = find(number);

	if (fault.times == 0 || fault.number != number || call == NULL ||
	    !counts(call, arguments))
		return false;
	if (fault.skipped > 0) {
		fault.skipped--;
		return false;
	}
	fault.times--;
	fault.fired++;
	return true;
}

static long answer(long number, long *arguments)
{
	if (!fires(number, arguments))
		return f2_real_call(number, arguments);
	if (number == SYS_close) {
		/* Linux closes the descriptor whatever close(2) returns. */
		f2_real_call(number, arguments);
		return fault.answer;
	}
	if (fault.answer <= 0)
		return fault.answer;
	if (arguments[2] > fault.answer)
		arguments[2] = fault.answer;
	return f2_real_call(number, arguments);
}

static void on_trap(int signal, siginfo_t *info, void *context)
{
	greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
	long arguments[6] = {registers[REG_RDI], registers[REG_RSI],
	                     registers[REG_RDX], registers[REG_R10],
	                     registers[REG_R8],  registers[REG_R9]};

	(void)signal;
	registers[REG_RAX] = answer(info->si_syscall, arguments);
}

/* Allow calls from f2_real_call, trap those of the table, allow all else. */
static size_t build_filter(struct sock_filter *filter)
{
	const uint32_t pointer =
	        offsetof(struct seccomp_data, instruction_pointer);
	uint64_t begin = (uint64_t)(uintptr_t)f2_real_call;
	uint64_t end = (uint64_t)(uintptr_t)f2_real_call_end;
	size_t n = 0;

	/* Both ends are on one page, so the upper halves are equal. */
	filter[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
	                                           pointer + 4);
	filter[n++] = (struct sock_filter)BPF_JUMP(
	        BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(begin >> 32), 0, 4);
	filter[n++] =
	        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, pointer);
	filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K,
	                                           (uint32_t)begin, 0, 2);
	filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K,
	                                           (uint32_t)end, 1, 0);
	filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
	                                           SECCOMP_RET_ALLOW);
	filter[n++] = (struct sock_filter)BPF_STMT(
	        BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
	for (size_t i = 0; i < CALLS; i++) {
		filter[n++] = (struct sock_filter)BPF_JUMP(
		        BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)calls[i].number, 0,
		        1);
		filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
		                                           SECCOMP_RET_TRAP);
	}
	filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
	                                           SECCOMP_RET_ALLOW);
	return n;
}

/*
 * Put the calling thread, for the rest of its life, under test; only calls on
 * what is below the folder will ever fail. Returns 0 or an errno.
 */
EXPORT int f2_faults_install(const char *below)
{
	struct sock_filter filter[2 * CALLS + 16];
	struct sock_fprog program = {.filter = filter};
	struct sigaction action = {.sa_sigaction = on_trap,
	                           .sa_flags = SA_SIGINFO | SA_NODEFER};

	folder_length = strlen(below);
	if (folder_length >= MAX_FOLDER)
		return ENAMETOOLONG;
	memcpy(folder, below, folder_length + 1);
	program.len = (unsigned short)build_filter(filter);
	if (sigaction(SIGSYS, &action, NULL) != 0 ||
	    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
		return errno;
	return 0;
}

/*
 * From the nth call (1 is the first) on, as many as times fail. answer is an
 * errno, negated; 0 for a call that returns 0; or the most bytes it moves.
 */
EXPORT void f2_faults_arm(long number, long nth, long times, long reply)
{
	fault.skipped = nth - 1;
	fault.times = times;
	fault.answer = reply;
	fault.fired = 0;
	fault.number = number;
}

/* No more faults; returns how many there were. */
EXPORT long f2_faults_disarm(void)
{
	fault.times = 0;
	return fault.fired;
}
