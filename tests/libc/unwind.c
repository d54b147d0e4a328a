// Debuggers, profilers and unwinders find their way from inside the kit's functions to main.
//
// With `heap` or `strings` every instruction of every call of these is interrupted, and what libunwind says of the stack
// there is held to what the calls and returns before it left. Without, a timer interrupts the heap, and from there
// libunwind must come to main. Then each string function runs into a page that may not be touched, with the same promise.
#include "check.h"

#include <malloc.h>
#include <setjmp.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#include <wchar.h>

// LLVM's libunwind, which comes with Rust.
enum { REGISTER_IP = -1, REGISTER_SP = -2 };
extern int __unw_getcontext(void *context);
extern int __unw_init_local(void *cursor, void *context);
extern int __unw_step(void *cursor);
extern int __unw_get_reg(void *cursor, int number, uintptr_t *value);
extern void *_Unwind_FindEnclosingFunction(void *pc);

// In assembly on x86_64 alone; 0 asks the processor again.
extern unsigned char __brawn_string_level __attribute__((weak));

extern void *memrchr(const void *, int, size_t);
extern char *__strchrnul(const char *, int);

// A cursor and a context have less than 1 KiB on either architecture.
typedef struct {
    _Alignas(16) char bytes[4096];
} opaque;

// The operands: N bytes that end where a page begins that may not be touched, and as much room.
enum { LONGEST = 2048, ROOM = 2 * LONGEST + 4096 };
static char *left, *right, *room;
static volatile uintptr_t sink;

#define WIDE(p) ((wchar_t *)(void *)(p))
#define KEEP(value) (sink = (uintptr_t)(value))
// The function, and a call that goes through n bytes, or behind them.
#define STRING_FUNCTIONS(X)                                                                                  \
    X(memcpy, KEEP(memcpy(room, left, n)))                                                                   \
    X(memmove, KEEP(memmove(room, left, n)))                                                                 \
    X(mempcpy, KEEP(mempcpy(room, left, n)))                                                                 \
    X(memccpy, KEEP(memccpy(room, left, 'x', n)))                                                            \
    X(memset, KEEP(memset(left, 'a', n)))                                                                    \
    X(bzero, bzero(right, n))                                                                                \
    X(explicit_bzero, explicit_bzero(right, n))                                                              \
    X(memcmp, KEEP(memcmp(left, right, n)))                                                                  \
    X(bcmp, KEEP(bcmp(left, right, n)))                                                                      \
    X(memchr, KEEP(memchr(left, 'x', n)))                                                                    \
    X(memrchr, KEEP(memrchr(left, 'x', n)))                                                                  \
    X(memmem, KEEP(memmem(left, n, "axy", 3)))                                                               \
    X(swab, swab(left, room, (ssize_t)(n & ~(size_t)1)))                                                     \
    X(strlen, KEEP(strlen(left)))                                                                            \
    X(strnlen, KEEP(strnlen(left, n)))                                                                       \
    X(strchr, KEEP(strchr(left, 'x')))                                                                       \
    X(__strchrnul, KEEP(__strchrnul(left, 'x')))                                                             \
    X(strrchr, KEEP(strrchr(left, 'x')))                                                                     \
    X(strcmp, KEEP(strcmp(left, right)))                                                                     \
    X(strncmp, KEEP(strncmp(left, right, n)))                                                                \
    X(strcasecmp, KEEP(strcasecmp(left, right)))                                                             \
    X(strncasecmp, KEEP(strncasecmp(left, right, n)))                                                        \
    X(strcpy, KEEP(strcpy(room, left)))                                                                      \
    X(stpcpy, KEEP(stpcpy(room, left)))                                                                      \
    X(strncpy, KEEP(strncpy(room, left, n)))                                                                 \
    X(stpncpy, KEEP(stpncpy(room, left, n)))                                                                 \
    X(strcat, (room[0] = 0, KEEP(strcat(room, left))))                                                       \
    X(strncat, (room[0] = 0, KEEP(strncat(room, left, n))))                                                  \
    X(strlcpy, KEEP(strlcpy(room, left, ROOM)))                                                              \
    X(strlcat, (room[0] = 0, KEEP(strlcat(room, left, ROOM))))                                               \
    X(strdup, free(strdup(left)))                                                                            \
    X(strndup, free(strndup(left, n)))                                                                       \
    X(strspn, KEEP(strspn(left, "ab")))                                                                      \
    X(strcspn, KEEP(strcspn(left, "xyz")))                                                                   \
    X(strpbrk, KEEP(strpbrk(left, "xyz")))                                                                   \
    X(strsep, (at = left, KEEP(strsep(&at, "xyz"))))                                                         \
    X(strtok_r, KEEP(strtok_r(left, "xyz", &at)))                                                            \
    X(strstr, KEEP(strstr(left, "axy")))                                                                     \
    X(strcasestr, KEEP(strcasestr(left, "axy")))                                                             \
    X(wmemcpy, KEEP(wmemcpy(WIDE(room), WIDE(left), n / 4)))                                                 \
    X(wmemmove, KEEP(wmemmove(WIDE(room), WIDE(left), n / 4)))                                               \
    X(wmemset, KEEP(wmemset(WIDE(right), 'a', n / 4)))                                                       \
    X(wmemcmp, KEEP(wmemcmp(WIDE(left), WIDE(right), n / 4)))                                                \
    X(wmemchr, KEEP(wmemchr(WIDE(left), 'x', n / 4)))                                                        \
    X(wcslen, KEEP(wcslen(WIDE(left))))                                                                      \
    X(wcsnlen, KEEP(wcsnlen(WIDE(left), n / 4)))                                                             \
    X(wcschr, KEEP(wcschr(WIDE(left), 'x')))                                                                 \
    X(wcsrchr, KEEP(wcsrchr(WIDE(left), 'x')))                                                               \
    X(wcscmp, KEEP(wcscmp(WIDE(left), WIDE(right))))                                                         \
    X(wcsncmp, KEEP(wcsncmp(WIDE(left), WIDE(right), n / 4)))                                                \
    X(wcscpy, KEEP(wcscpy(WIDE(room), WIDE(left))))                                                          \
    X(wcsdup, free(wcsdup(WIDE(left))))

#define DEFINE(name, call)                                                                                   \
    static void call_##name(size_t n) {                                                                      \
        char *at = NULL;                                                                                     \
        (void)at, (void)n;                                                                                   \
        call;                                                                                                \
    }
STRING_FUNCTIONS(DEFINE)

typedef void any_function(void);
static const struct {
    const char *name;
    any_function *function;
    void (*call)(size_t n);
} string_functions[] = {
#define ROW(name, call) {#name, (any_function *)name, call_##name},
    STRING_FUNCTIONS(ROW)
#undef ROW
};
enum { STRING_FUNCTIONS_COUNT = sizeof string_functions / sizeof *string_functions };

static void use_heap(void) {
    static const size_t sizes[] = {0, 1, 24, 100, 1000, 5000, 40000, 300000};
    void *blocks[sizeof sizes / sizeof *sizes], *aligned = NULL;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        blocks[i] = malloc(sizes[i]);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        blocks[i] = realloc(blocks[i], sizes[i] + sizes[i] / 2 + 1);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        free(blocks[i]);
    free(calloc(10, 10));
    free(aligned_alloc(64, 128));
    free(memalign(256, 100));
    CHECK(posix_memalign(&aligned, 4096, 5000) == 0, "posix_memalign");
    KEEP(malloc_usable_size(aligned));
    free(aligned);
}

// n bytes before the page that may not be touched; in the last of them the end of the text.
static void set_operands(char *end_left, char *end_right, size_t n) {
    left = end_left - n;
    right = end_right - n;
    for (size_t i = 0; i < n; i++)
        left[i] = right[i] = 'a';
}

static const void *function_of(uintptr_t pc) {
    return _Unwind_FindEnclosingFunction((void *)pc);
}

int main(int argc, char **argv);

static uintptr_t pc_of(const ucontext_t *state) {
#if defined(__x86_64__)
    return (uintptr_t)state->uc_mcontext.gregs[REG_RIP];
#else
    return (uintptr_t)state->uc_mcontext.pc;
#endif
}

// A cursor on the frame that a signal interrupted. libunwind does not know musl's signal frames on x86_64.
static void start_at(opaque *cursor, opaque *context, const ucontext_t *state) {
    uintptr_t *const to = (uintptr_t *)(void *)context;
    __unw_getcontext(context);
#if defined(__x86_64__)
    static const int order[] = {REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RDI, REG_RSI,
                                REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
    enum { REGISTERS = sizeof order / sizeof *order };
    for (int i = 0; i < REGISTERS; i++)
        to[i] = (uintptr_t)state->uc_mcontext.gregs[order[i]];
#else
    enum { REGISTERS = 33 };
    for (int i = 0; i < 31; i++)
        to[i] = (uintptr_t)state->uc_mcontext.regs[i];
    to[31] = (uintptr_t)state->uc_mcontext.sp;
    to[32] = (uintptr_t)state->uc_mcontext.pc;
#endif
    __unw_init_local(cursor, context);
    // It takes every address for one that a call returns to, and leaves out what the table says of the stack from exactly
    // there on. So once it knows the function, it gets the address behind.
    uintptr_t *at = (uintptr_t *)(void *)cursor;
    while (at < (uintptr_t *)(void *)(cursor + 1) - REGISTERS && memcmp(at, to, REGISTERS * sizeof *to) != 0)
        at++;
    CHECK(at[REGISTERS - 1] == pc_of(state), "a cursor of libunwind has another form");
    at[REGISTERS - 1]++;
}

static long walks;

#if defined(__x86_64__)

static const struct {
    const char *name;
    any_function *function;
} heap_functions[] = {
#define ROW(name) {#name, (any_function *)name}
    ROW(malloc),        ROW(calloc),         ROW(realloc),  ROW(free),
    ROW(aligned_alloc), ROW(posix_memalign), ROW(memalign), ROW(malloc_usable_size),
#undef ROW
};
enum { HEAP_FUNCTIONS_COUNT = sizeof heap_functions / sizeof *heap_functions };

// Where the calls that have not returned left their return addresses, the last one last.
static uintptr_t *returns[64];
static int depth;
static uintptr_t last_pc, last_sp;
static const void *seen[4096];
static int seen_count;
static int outermost;
static bool in_heap;
static long late;

static void mark_seen(const void *function) {
    for (int i = 0; i < seen_count; i++) {
        if (seen[i] == function)
            return;
    }
    CHECK(seen_count < 4096, "too many functions");
    seen[seen_count++] = function;
}

// Each byte of a `rep movsb` or `rep stosb` is a step of its own, which takes 20 us on a virtual machine. All but the last
// are done here.
static void hurry(ucontext_t *state) {
    greg_t *const registers = state->uc_mcontext.gregs;
    const unsigned char *const code = (const unsigned char *)registers[REG_RIP];
    const bool moves = code[0] == 0xf3 && code[1] == 0xa4, sets = code[0] == 0xf3 && code[1] == 0xaa;
    if (!moves && !sets)
        return;
    volatile char *to = (volatile char *)registers[REG_RDI];
    const volatile char *from = (const volatile char *)registers[REG_RSI];
    for (; registers[REG_RCX] > 1; registers[REG_RCX]--)
        *to++ = moves ? *from++ : (char)registers[REG_RAX];
    registers[REG_RDI] = (greg_t)to;
    registers[REG_RSI] = (greg_t)from;
}

static void stepped(int number, siginfo_t *info, void *data) {
    (void)number, (void)info;
    ucontext_t *const state = data;
    hurry(state);
    const uintptr_t pc = pc_of(state), sp = (uintptr_t)state->uc_mcontext.gregs[REG_RSP];
    uintptr_t *const stack = (uintptr_t *)sp;
    while (depth > 0 && (uintptr_t)returns[depth - 1] < sp)
        depth--;
    if (last_pc && sp == last_sp - 8 && *stack > last_pc && *stack <= last_pc + 8 && pc != *stack) {
        CHECK(depth < 64, "too many calls");
        returns[depth++] = stack;
    }
    last_pc = pc;
    last_sp = sp;
    const void *function = function_of(pc);
    if (!function || depth == 0)
        return;
    mark_seen(function);
    walks++;
    opaque cursor, context;
    start_at(&cursor, &context, data);
    for (int i = depth; i-- > 0;) {
        uintptr_t ip = 0, cfa = 0;
        int more = __unw_step(&cursor);
        __unw_get_reg(&cursor, REGISTER_IP, &ip);
        __unw_get_reg(&cursor, REGISTER_SP, &cfa);
        // clang may tell of an argument that it pushed one instruction late. Our own functions push none.
        if (in_heap && i == depth - 1 && cfa == (uintptr_t)returns[i]) {
            late++;
            return;
        }
        CHECK(ip == *returns[i] && cfa == (uintptr_t)(returns[i] + 1),
              "at %p in the function at %p, frame %d: return to %p and a frame at %p, found %p and %p",
              (void *)pc, (void *)function, depth - i, (void *)*returns[i], (void *)(returns[i] + 1),
              (void *)ip, (void *)cfa);
        // musl has no tables.
        if (!function_of(ip - 1))
            return;
        CHECK(more > 0, "at %p: the walk ends at frame %d", (void *)pc, depth - i);
    }
    uintptr_t ip = 0;
    __unw_get_reg(&cursor, REGISTER_IP, &ip);
    // What is left is the code between the two settings of the trap flag, and main.
    for (int i = 0; i < 4 && function_of(ip - 1) != (void *)main; i++) {
        CHECK(__unw_step(&cursor) > 0, "at %p: the walk does not come to main", (void *)pc);
        __unw_get_reg(&cursor, REGISTER_IP, &ip);
    }
    CHECK(function_of(ip - 1) == (void *)main, "at %p: the walk does not come to main", (void *)pc);
    outermost++;
}

// Sets or clears the trap flag: an interrupt behind every instruction.
__attribute__((noinline)) static void step(bool on) {
    last_pc = 0;
    depth = 0;
    if (on)
        __asm__ volatile("pushfq\n\torq $0x100, (%%rsp)\n\tpopfq" ::: "memory", "cc");
    else
        __asm__ volatile("pushfq\n\tandq $~0x100, (%%rsp)\n\tpopfq" ::: "memory", "cc");
}

static bool was_seen(any_function *function) {
    for (int i = 0; i < seen_count; i++) {
        if (seen[i] == (const void *)function)
            return true;
    }
    return false;
}

static void take_steps(void) {
    const struct sigaction action = {.sa_sigaction = stepped, .sa_flags = SA_SIGINFO};
    CHECK(sigaction(SIGTRAP, &action, NULL) == 0, "sigaction");
}

static void heap_by_steps(void) {
    take_steps();
    in_heap = true;
    step(true);
    use_heap();
    step(false);
    in_heap = false;
    CHECK(late * 1000 < walks, "%ld of %ld tables are late", late, walks);
    CHECK(outermost > 0, "no walk came to main");
    for (int f = 0; f < HEAP_FUNCTIONS_COUNT; f++)
        CHECK(was_seen(heap_functions[f].function), "no step in %s", heap_functions[f].name);
}

static void strings_by_steps(char *end_left, char *end_right) {
    static const size_t sizes[] = {4, 20, 100, 1000};
    take_steps();
    unsigned char levels = 1;
    if (&__brawn_string_level) {
        // The first look at the processor.
        __brawn_string_level = 0;
        set_operands(end_left, end_right, LONGEST);
        step(true);
        KEEP(memchr(left, 'x', LONGEST));
        step(false);
        levels = __brawn_string_level;
    }
    for (int level = 0; level <= levels; level++) {
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            for (int f = 0; f < STRING_FUNCTIONS_COUNT; f++) {
                const size_t n = sizes[i];
                set_operands(end_left, end_right, n);
                // The end of the text, of one byte or four.
                for (size_t b = 0; b < 4 && b < n; b++)
                    left[n - 1 - b] = right[n - 1 - b] = 0;
                if (&__brawn_string_level)
                    __brawn_string_level = (unsigned char)level;
                step(true);
                string_functions[f].call(n);
                step(false);
            }
        }
    }
    CHECK(outermost > 0, "no walk came to main");
    for (int f = 0; f < STRING_FUNCTIONS_COUNT; f++)
        CHECK(was_seen(string_functions[f].function), "no step in %s", string_functions[f].name);
}

#else

static void heap_by_steps(void) {
    CHECK(false, "no single steps on this architecture");
}

static void strings_by_steps(char *end_left, char *end_right) {
    (void)end_left, (void)end_right;
    CHECK(false, "no single steps on this architecture");
}

#endif

// Whether a walk from there comes to main. In `stop` the frame where it ended otherwise.
static bool walk_to_main(opaque *cursor, uintptr_t *stop) {
    for (int i = 0; i < 64; i++) {
        uintptr_t ip = 0;
        int more = __unw_step(cursor);
        __unw_get_reg(cursor, REGISTER_IP, &ip);
        if (function_of(ip - 1) == (void *)main)
            return true;
        *stop = ip;
        if (more <= 0)
            return false;
    }
    return false;
}

static sigjmp_buf back;
static const char *running;

static void faulted(int number, siginfo_t *info, void *data) {
    (void)number, (void)info;
    const uintptr_t pc = pc_of(data);
    uintptr_t stop = 0;
    CHECK(function_of(pc), "%s: no table says how to go on from %p", running, (void *)pc);
    opaque cursor, context;
    start_at(&cursor, &context, data);
    CHECK(walk_to_main(&cursor, &stop), "%s: the walk from %p ends at %p", running, (void *)pc, (void *)stop);
    walks++;
    siglongjmp(back, 1);
}

static void by_faults(char *end_left, char *end_right) {
    static const size_t before[] = {0, 4, 12, 20, 40, 100, 200, 1500};
    const struct sigaction action = {.sa_sigaction = faulted, .sa_flags = SA_SIGINFO | SA_NODEFER};
    CHECK(sigaction(SIGSEGV, &action, NULL) == 0, "sigaction");
    for (volatile size_t i = 0; i < sizeof before / sizeof *before; i++) {
        for (volatile int f = 0; f < STRING_FUNCTIONS_COUNT; f++) {
            running = string_functions[f].name;
            set_operands(end_left, end_right, before[i]);
            const long walks_before = walks;
            if (!sigsetjmp(back, 1))
                string_functions[f].call(LONGEST);
            CHECK(walks == walks_before + 1, "%s went past the page's end", running);
        }
    }
}

static volatile long interrupted_heap;
static void by_timer(void);

static void interrupted(int number, siginfo_t *info, void *data) {
    (void)number, (void)info;
    const uintptr_t pc = pc_of(data);
    const void *const function = function_of(pc);
    uintptr_t stop = 0;
    if (!function || function == (void *)use_heap || function == (void *)by_timer || function == (void *)main)
        return;
    opaque cursor, context;
    start_at(&cursor, &context, data);
    // musl has no tables: mallocng, behind the Brawn heap, asks its front for pages.
    if (walk_to_main(&cursor, &stop))
        interrupted_heap++;
    else
        CHECK(stop && !function_of(stop - 1), "the walk from %p ends at %p", (void *)pc, (void *)stop);
}

static void by_timer(void) {
    const struct sigaction action = {.sa_sigaction = interrupted, .sa_flags = SA_SIGINFO | SA_RESTART};
    const struct itimerval often = {{0, 2000}, {0, 2000}}, never = {{0, 0}, {0, 0}};
    CHECK(sigaction(SIGALRM, &action, NULL) == 0, "sigaction");
    CHECK(setitimer(ITIMER_REAL, &often, NULL) == 0, "setitimer");
    for (time_t end = time(NULL) + 30; interrupted_heap < 50 && time(NULL) < end;)
        use_heap();
    CHECK(setitimer(ITIMER_REAL, &never, NULL) == 0, "setitimer");
    CHECK(interrupted_heap >= 50, "the timer interrupted the heap %ld times", interrupted_heap);
}

static char *before_a_guard(void) {
    char *const pages = mmap(NULL, 2 * ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(pages != MAP_FAILED, "mmap");
    CHECK(mprotect(pages + ROOM, ROOM, PROT_NONE) == 0, "mprotect");
    return pages + ROOM;
}

int main(int argc, char **argv) {
    char *const end_left = before_a_guard(), *const end_right = before_a_guard();
    room = before_a_guard() - ROOM;
    if (argc > 2 && strcmp(argv[2], "heap") == 0)
        heap_by_steps();
    else if (argc > 2 && strcmp(argv[2], "strings") == 0)
        strings_by_steps(end_left, end_right);
    else
        by_timer();
    by_faults(end_left, end_right);
    fprintf(stderr, "report: %ld walks\n", walks);
    puts("ok");
    return 0;
}
