/* Locks and condition variables of one futex each, in the place of pthread's: included after <pthread.h> and
 * before the sources of an allocator that uses those.
 *
 * A lock that no one waits for is taken and given back by one instruction each, without a call: musl's
 * functions ask for the type of the mutex first, and are a twentieth of a request of `footprint requests`.
 * Nothing spins here: jemalloc has done that before it comes to wait. Memory of zeros is a free lock, and a
 * program's own libc, whose types may be of any size, has no part in it. */
#ifndef BRAWN_FUTEX_PTHREAD_H
#define BRAWN_FUTEX_PTHREAD_H

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

#include "kernel.h"

typedef struct {
    _Atomic(uint32_t) state; /* 0: free, 1: held, 2: held, and somebody may sleep */
} futex_mutex;

/* How often it was signalled. */
typedef struct {
    _Atomic(uint32_t) signals;
} futex_cond;

/* From linux/futex.h, which a musl toolchain need not have. */
#define FUTEX_WAIT_PRIVATELY 128 /* FUTEX_WAIT | FUTEX_PRIVATE_FLAG */
#define FUTEX_WAKE_PRIVATELY 129 /* FUTEX_WAKE | FUTEX_PRIVATE_FLAG */
#define FUTEX_WAIT_UNTIL 393     /* FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME */
#define FUTEX_ANYBODY 0xffffffffu

static inline int futex_mutex_init(futex_mutex *mutex) {
    atomic_store_explicit(&mutex->state, 0, memory_order_relaxed);
    return 0;
}

static inline int futex_mutex_trylock(futex_mutex *mutex) {
    uint32_t free = 0;
    const bool taken = atomic_compare_exchange_strong_explicit(&mutex->state, &free, 1, memory_order_acquire,
                                                               memory_order_relaxed);
    return taken ? 0 : EBUSY;
}

/* Who has slept does not know whether others still do, and so leaves the lock as one that somebody sleeps
 * for. */
static __attribute__((noinline, cold)) void futex_mutex_wait(futex_mutex *mutex) {
    while (atomic_exchange_explicit(&mutex->state, 2, memory_order_acquire) != 0) {
        KERNEL_SYSCALL(SYS_futex, &mutex->state, FUTEX_WAIT_PRIVATELY, 2, NULL);
    }
}

static inline int futex_mutex_lock(futex_mutex *mutex) {
    if (__builtin_expect(futex_mutex_trylock(mutex) != 0, 0)) {
        futex_mutex_wait(mutex);
    }
    return 0;
}

static __attribute__((noinline, cold)) void futex_mutex_wake(futex_mutex *mutex) {
    KERNEL_SYSCALL(SYS_futex, &mutex->state, FUTEX_WAKE_PRIVATELY, 1);
}

static inline int futex_mutex_unlock(futex_mutex *mutex) {
    if (__builtin_expect(atomic_exchange_explicit(&mutex->state, 0, memory_order_release) == 2, 0)) {
        futex_mutex_wake(mutex);
    }
    return 0;
}

static inline int futex_cond_init(futex_cond *cond) {
    atomic_store(&cond->signals, 0);
    return 0;
}

static inline int futex_cond_signal(futex_cond *cond) {
    atomic_fetch_add(&cond->signals, 1);
    KERNEL_SYSCALL(SYS_futex, &cond->signals, FUTEX_WAKE_PRIVATELY, 1);
    return 0;
}

/* Until a signal, a point of the real-time clock if there is one, or for no reason, as with any condition. */
static inline int futex_cond_wait(futex_cond *cond, futex_mutex *mutex, const struct timespec *until) {
    const uint32_t seen = atomic_load(&cond->signals);
    futex_mutex_unlock(mutex);
    const long result =
        KERNEL_CALL((syscall)(SYS_futex, &cond->signals, FUTEX_WAIT_UNTIL, seen, until, NULL, FUTEX_ANYBODY));
    const int error = result < 0 ? kernel_errno : 0;
    futex_mutex_lock(mutex);
    return error == ETIMEDOUT ? ETIMEDOUT : 0;
}

/* No attribute makes any difference. */
#define pthread_mutexattr_t char
#define pthread_mutexattr_init(attribute) (*(attribute) = 0)
#define pthread_mutexattr_destroy(attribute) ((void)(attribute), 0)
#define pthread_mutexattr_settype(attribute, type) ((void)(attribute), 0)

#define pthread_mutex_t futex_mutex
#undef PTHREAD_MUTEX_INITIALIZER
#define PTHREAD_MUTEX_INITIALIZER {0}
#define pthread_mutex_init(mutex, attribute) ((void)(attribute), futex_mutex_init(mutex))
#define pthread_mutex_destroy(mutex) ((void)(mutex), 0)
#define pthread_mutex_lock(mutex) futex_mutex_lock(mutex)
#define pthread_mutex_trylock(mutex) futex_mutex_trylock(mutex)
#define pthread_mutex_unlock(mutex) futex_mutex_unlock(mutex)

#define pthread_cond_t futex_cond
#define pthread_cond_init(cond, attribute) ((void)(attribute), futex_cond_init(cond))
#define pthread_cond_signal(cond) futex_cond_signal(cond)
#define pthread_cond_wait(cond, mutex) futex_cond_wait(cond, mutex, NULL)
#define pthread_cond_timedwait(cond, mutex, until) futex_cond_wait(cond, mutex, until)

#endif
