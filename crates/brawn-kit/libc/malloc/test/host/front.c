/* The front, in a program of the host. With HOST_BACKEND that file is behind it in mallocng's place. With HOST_SIMULATES_THREADS its thread-local variables lie in a
 * section that is swapped, so that one real thread can be several, one after the other, and time is a
 * variable. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#include "host.h"

#define mmap host_mmap
#define mremap host_mremap
#define madvise host_madvise

#include "../names.h"

#define BRAWN_KIT_NAME "test"
#define BRAWN_KIT_VERSION "0"

#ifdef HOST_SIMULATES_THREADS
#include "../../kernel.h"

uint64_t host_milliseconds = 1000000;

#define __thread __attribute__((section("front_locals")))
#define clock_gettime simulated_time
static int simulated_time(clockid_t clock, struct timespec *time) {
    (void)clock;
    time->tv_sec = (time_t)(host_milliseconds / 1000);
    time->tv_nsec = (long)(host_milliseconds % 1000) * 1000000;
    return 0;
}

static int current;
static void *specific[HOST_THREADS];
#define pthread_key_create(key, destructor) (*(key) = 1, 0)
#define pthread_setspecific(key, value) (specific[current] = (void *)(uintptr_t)(const void *)(value), 0)
#endif

#if defined(HOST_HAS_THREAD_SANITIZER) && !defined(HOST_BACKEND)
/* mallocng's own hand-over of a slot, from who frees it to who gets it next, is an atomic operation on the
 * group's meta that the sanitizer does not see. So it hears of the calls: who gets any block comes after all
 * who gave one back. */
void __tsan_acquire(void *), __tsan_release(void *);
void *__libc_malloc_impl(size_t);
void *__libc_realloc(void *, size_t);
void __libc_free(void *);
static char handed_over;
#define SLOTS_HANDED_OVER(how) __tsan_##how(&handed_over)
static void *backend_gives(size_t size) {
    void *const block = __libc_malloc_impl(size);
    __tsan_acquire(&handed_over);
    return block;
}
static void *backend_resizes(void *block, size_t size) {
    __tsan_release(&handed_over);
    void *const moved = __libc_realloc(block, size);
    __tsan_acquire(&handed_over);
    return moved;
}
static void backend_takes(void *block) {
    __tsan_release(&handed_over);
    __libc_free(block);
}
#define __libc_malloc_impl backend_gives
#define __libc_realloc backend_resizes
#define __libc_free backend_takes
#endif

#include "../../brawn/brawn.c"
#ifdef HOST_BACKEND
#include HOST_BACKEND
#endif

#ifdef HOST_SIMULATES_THREADS
extern unsigned char __start_front_locals[], __stop_front_locals[];

enum { LOCALS = 256 };

static unsigned char initial[LOCALS], locals[HOST_THREADS][LOCALS];

void host_switch(int thread) {
    static bool started;
    const size_t size = (size_t)(__stop_front_locals - __start_front_locals);
    if (!started) {
        started = true;
        memcpy(initial, __start_front_locals, size);
        for (int at = 0; at < HOST_THREADS; at++) {
            memcpy(locals[at], initial, size);
        }
    }
    memcpy(locals[current], __start_front_locals, size);
    current = thread;
    memcpy(__start_front_locals, locals[current], size);
}

/* And begins anew. One that began while there were no others has not said yet that it wants to hear of it. */
void host_thread_ends(void) {
    if (own != &cache_none && own != &cache_closed && !own->registered) {
        cache_register(own);
    }
    for (int round = 0; round < 4 && specific[current] != NULL; round++) {
        void *const value = specific[current];
        specific[current] = NULL;
        thread_ends(value);
    }
    memcpy(__start_front_locals, initial, (size_t)(__stop_front_locals - __start_front_locals));
}
#endif
