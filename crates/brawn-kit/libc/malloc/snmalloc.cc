/* snmalloc as the heap of a libc.a: its headers in this one translation unit, without a C++ runtime or
 * standard library. See kit.h and family.h. */

#include "kit.h"

/* Every header that the sources want, before the system calls get other names. */
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <strings.h>
#include <sys/uio.h>
#include <time.h>

#define KERNEL_HUGE_PAGES kit_knob_is_on("allow_thp", true)

extern "C" {
#include <sys/membarrier.h> /* musl's says no language */
}
#include "gate.h"
#include "kernel_redirect.h"
/* These are names of methods as well; the calls read /dev/urandom where the kernel is older than 3.17. */
#undef open
#undef read
#undef close

#if defined(__aarch64__)
/* Kernels with pages of 4, 16 and 64 KiB exist: the largest serves them all. */
#define SNMALLOC_PAGESIZE 65536
#endif
#define SNMALLOC_USE_SELF_VENDORED_STL 1
/* A thread's first allocation asks for a call when it ends. */
#define SNMALLOC_USE_CXX11_THREAD_ATEXIT_DIRECT
#define __cxa_thread_atexit_impl kit_at_thread_exit
#define __dso_handle kit_nothing
#define SNMALLOC_USE_WAIT_ON_ADDRESS 0
/* Without it the standard library would be asked, which is not there. */
#define SNMALLOC_PLATFORM_HAS_GETENTROPY
#if defined(__x86_64__) && !defined(__GCC_HAVE_SYNC_COMPARE_AND_SWAP_16)
/* Asked for by a template that nothing uses; the oldest processors lack the instruction. */
#define __GCC_HAVE_SYNC_COMPARE_AND_SWAP_16
#endif

/* Threads that hold one of its locks keep others from forking. Its own way to say so counts them in one place
 * for all, and takes a fork in a signal handler for an error; the gate stands in. */
#define PreventFork PreventForkOfUpstream
#include <snmalloc/ds_aal/prevent_fork.h>
#undef PreventFork
namespace snmalloc {
struct PreventFork {
    PreventFork() {
        gate_enter();
    }
    ~PreventFork() {
        gate_leave();
    }
};
} // namespace snmalloc

/* Blocks go back to their thread's queue in two steps, and a thread that ends waits for the second of each. In
 * a child of fork it would wait for ever for a thread that is not there, so fork must not come between the two:
 * the temporary lives until the call has returned. */
#include <snmalloc/mem/metadata.h>
#include <snmalloc/mem/remoteallocator.h>
#define enqueue(first, last, domesticate) enqueue((snmalloc::PreventFork{}, first), last, domesticate)
#include <snmalloc/snmalloc.h>
#undef enqueue

/* No lock was held and no queue half linked when the child was made. */
static void gate_child_work(void) {
}

extern "C" {

void *kit_nothing;
static pthread_key_t kit_key;
static bool kit_started;

static void kit_thread_exit(void *) {
    snmalloc::ThreadAlloc::teardown();
    gate_give_place_back();
}

/* Takes the key whose destructor runs when a thread ends: before there are other threads, where that can be
 * had; two that race to be the first wait for each other. */
static __attribute__((noinline, cold)) void kit_start(void) {
    static bool starting;
    while (__atomic_exchange_n(&starting, true, __ATOMIC_ACQUIRE)) {
        KERNEL_SYSCALL(SYS_sched_yield);
    }
    if (!__atomic_load_n(&kit_started, __ATOMIC_RELAXED)) {
        kit_keep_marker();
        if (pthread_key_create(&kit_key, kit_thread_exit) != 0) {
            kit_abort("no thread-specific key is left");
        }
        __atomic_store_n(&kit_started, true, __ATOMIC_RELEASE);
    }
    __atomic_store_n(&starting, false, __ATOMIC_RELEASE);
}

int kit_at_thread_exit(void (*function)(void *), void *argument, void *object) {
    (void)function, (void)argument, (void)object;
    if (!__atomic_load_n(&kit_started, __ATOMIC_ACQUIRE)) {
        kit_start();
    }
    return pthread_setspecific(kit_key, &kit_key);
}

static inline void *heap_malloc(size_t size) {
    return snmalloc::libc::malloc(size);
}

static inline void *heap_calloc(size_t size) {
    return snmalloc::libc::calloc(1, size);
}

static inline void heap_free(void *block) {
    snmalloc::libc::free(block);
}

static inline void *heap_realloc(void *block, size_t size) {
    return snmalloc::libc::realloc(block, size != 0 ? size : 1); /* of nothing, it would free */
}

static inline void *heap_aligned_alloc(size_t alignment, size_t size) {
    return snmalloc::libc::memalign(alignment, size != 0 ? size : 1); /* of nothing, it would not align */
}

static inline size_t heap_usable_size(void *block) {
    return snmalloc::libc::malloc_usable_size(block);
}

static inline void heap_atfork(int who) {
    gate_fork(who);
}

/* The tables for all address space are reserved now: later the program may have set a limit on it. */
static __attribute__((constructor(101))) void kit_constructor(void) {
    kit_start();
    heap_free(heap_malloc(1));
}

#include "family.h"
}
