/* A short lock: a few turns, then sleep. With more threads than processors the holder may be waiting for this
 * very processor, so spinning on would keep it from going on (measured: docs/log/heap.md).
 *
 * As musl does, no lock is taken while there is one thread. */
#ifndef BRAWN_LOCK_H
#define BRAWN_LOCK_H

#include <stdatomic.h>

#include "address.h"

/* From linux/futex.h, which a musl toolchain need not have. */
enum { FUTEX_WAIT_PRIVATE = 128, FUTEX_WAKE_PRIVATE = 129 };

/* Pauses before the last look at a taken lock; twice as many as before the look before. */
#ifndef LOCK_PAUSES
#define LOCK_PAUSES 64
#endif

typedef _Atomic(uint32_t) lock; /* 0: free, 1: held, 2: held, and somebody may sleep */

static inline bool threads_exist(void) {
    return __libc.need_locks != 0;
}

static inline void lock_pause(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb" ::: "memory");
#endif
}

static COLD void lock_wait(lock *it) {
    for (int pauses = 1; pauses <= LOCK_PAUSES; pauses *= 2) {
        for (int pause = 0; pause < pauses; pause++) {
            lock_pause();
        }
        uint32_t free = 0;
        if (atomic_load_explicit(it, memory_order_relaxed) == 0 &&
            atomic_compare_exchange_strong_explicit(it, &free, 1, memory_order_acquire,
                                                    memory_order_relaxed)) {
            return;
        }
    }
    while (atomic_exchange_explicit(it, 2, memory_order_acquire) != 0) {
        KERNEL_SYSCALL(SYS_futex, it, FUTEX_WAIT_PRIVATE, 2, NULL);
    }
}

static inline void lock_take_always(lock *it) {
    uint32_t free = 0;
    if (unlikely(!atomic_compare_exchange_strong_explicit(it, &free, 1, memory_order_acquire,
                                                          memory_order_relaxed))) {
        lock_wait(it);
    }
}

static inline void lock_give_always(lock *it) {
    if (unlikely(atomic_exchange_explicit(it, 0, memory_order_release) == 2)) {
        KERNEL_SYSCALL(SYS_futex, it, FUTEX_WAKE_PRIVATE, 1);
    }
}

/* Where an atomic operation is a loop of five instructions, a call is shorter. */
#ifdef __x86_64__
#define ATOMIC_CALL static inline
#else
#define ATOMIC_CALL static SLOW
#endif

/* Whether it was taken: `lock_give` must hear it. */
ATOMIC_CALL bool lock_take(lock *it) {
    const bool needed = threads_exist();
    if (needed) {
        lock_take_always(it);
    }
    return needed;
}

ATOMIC_CALL void lock_give(lock *it, bool taken) {
    if (taken) {
        lock_give_always(it);
    }
}

#endif
