/* The front with everything counted that makes threads wait for each other, for machines with more processors
 * than this one: each thread is told that it runs on a processor of its own, up to COUNT_PROCESSORS, and what
 * it writes that others write as well is counted by cache line, with whether another thread was the last to
 * write there: then the line has to come from that one's processor.
 *
 * Time means nothing in this build. At the end it says how often what happened, for each call of the family.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "stdatomic.h"

enum { THREADS = 1024, LINES = 1 << 14 };

enum what { CALLS, LOCKS, BUSY, WRITES, MOVES, FUTEXES, BACKEND, BACKEND_LOCKS, BACKEND_MOVES, KINDS };

static const char *const names[KINDS] = {
    [CALLS] = "calls",
    [LOCKS] = "locks taken",
    [BUSY] = "locks found taken",
    [WRITES] = "other writes to shared lines",
    [MOVES] = "shared lines that move",
    [FUTEXES] = "futex calls",
    [BACKEND] = "calls of mallocng",
    [BACKEND_LOCKS] = "of the locks, mallocng's",
    [BACKEND_MOVES] = "of these, after another thread's",
};

static struct {
    _Alignas(64) uint64_t sums[KINDS];
} threads[THREADS];
static int thread_count;
static __thread int self;

static int who(void) {
    if (self == 0) {
        self = __atomic_add_fetch(&thread_count, 1, __ATOMIC_RELAXED);
    }
    return self % THREADS;
}

static void count(enum what what) {
    threads[who()].sums[what]++;
}

/* The last thread to write to a line. Lines that share a place here count as moving when they need not. */
static int last_writer[LINES];

static int moves(uintptr_t line) {
    int *const last = &last_writer[line * 0x9e3779b97f4a7c15 >> 50];
    return __atomic_exchange_n(last, who(), __ATOMIC_RELAXED) != who();
}

extern volatile int __malloc_lock[1] __attribute__((visibility("hidden")));

void count_write(const volatile void *place) {
    count(WRITES);
    threads[who()].sums[MOVES] += (uint64_t)moves((uintptr_t)place >> 6);
}

void count_lock(const volatile void *place, int taken) {
    const int moved = moves((uintptr_t)place >> 6);
    count(taken ? LOCKS : BUSY);
    threads[who()].sums[MOVES] += (uint64_t)moved;
    if (place == (const volatile void *)__malloc_lock && taken) {
        count(BACKEND_LOCKS);
        threads[who()].sums[BACKEND_MOVES] += (uint64_t)moved;
    }
}

/* What the front asks the system. */
static int simulated(void) {
    const char *const text = getenv("COUNT_PROCESSORS");
    return text == NULL ? 64 : atoi(text);
}

static long counted_sysconf(int name) {
    return name == _SC_NPROCESSORS_ONLN ? simulated() : sysconf(name);
}

static int counted_getcpu(void) {
    return who() % simulated();
}

#define malloc front_malloc_
#define free front_free_
#define calloc front_calloc_
#define realloc front_realloc_
#define aligned_alloc front_aligned_alloc_
#define posix_memalign front_posix_memalign_
#define sysconf counted_sysconf
#define sched_getcpu counted_getcpu
#define __libc_malloc_impl counted_malloc_impl
#define __libc_free counted_free
#define BRAWN_KIT_NAME "count"
#define BRAWN_KIT_VERSION "0"

#include "../../kernel.h"
#undef KERNEL_SYSCALL
#define KERNEL_SYSCALL(number, ...) counted_syscall(number, ##__VA_ARGS__)
#define counted_syscall(number, ...) (count(FUTEXES), (void)KERNEL_CALL((syscall)(number, ##__VA_ARGS__)))

static void *counted_malloc_impl(size_t size);
static void counted_free(void *block);

#include "../../brawn/brawn.c"

#undef __libc_malloc_impl
#undef __libc_free
void *__libc_malloc_impl(size_t size);
void __libc_free(void *block);

static void *counted_malloc_impl(size_t size) {
    count(BACKEND);
    return __libc_malloc_impl(size);
}

static void counted_free(void *block) {
    count(BACKEND);
    __libc_free(block);
}

/* Every few calls another thread goes on, or on few processors each would have long turns by itself, and no
 * line would ever move. */
static void call(void) {
    count(CALLS);
    if (threads[who()].sums[CALLS] % 8 == 0) {
        sched_yield();
    }
}

#undef malloc
#undef free
#undef calloc
#undef realloc
#undef aligned_alloc
#undef posix_memalign

void *malloc(size_t size) {
    call();
    return front_malloc_(size);
}

void free(void *block) {
    call();
    front_free_(block);
}

void *calloc(size_t number, size_t size) {
    call();
    return front_calloc_(number, size);
}

void *realloc(void *block, size_t size) {
    call();
    return front_realloc_(block, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    call();
    return front_aligned_alloc_(alignment, size);
}

int posix_memalign(void **result, size_t alignment, size_t size) {
    call();
    return front_posix_memalign_(result, alignment, size);
}

static __attribute__((destructor)) void tell(void) {
    uint64_t sums[KINDS] = {0};
    for (int thread = 0; thread < THREADS; thread++) {
        for (int what = 0; what < KINDS; what++) {
            sums[what] += threads[thread].sums[what];
        }
    }
    for (int what = 0; what < KINDS; what++) {
        char line[96];
        const int length = snprintf(line, sizeof line, "count %s: %llu, %.5f for each call\n", names[what],
                                    (unsigned long long)sums[what], (double)sums[what] / (double)sums[CALLS]);
        (void)!write(2, line, (size_t)length);
    }
}
