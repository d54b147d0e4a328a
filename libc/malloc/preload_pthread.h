/* Locks that are as large as the larger of musl's and glibc's, for an allocator that has pthread's. Included
 * after <pthread.h> and before the sources of the allocator. Both libcs take memory of zeros for a free lock.
 *
 * Condition variables are made of futexes here: an unversioned reference to glibc's is bound to those of
 * 2002, which allocate. */
#ifndef BRAWN_PRELOAD_PTHREAD_H
#define BRAWN_PRELOAD_PTHREAD_H

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

#include "kernel.h"

typedef union {
    pthread_mutex_t libc;
    char room[64];
} preload_mutex;

typedef union {
    pthread_mutexattr_t libc;
    char room[16];
} preload_mutexattr;

/* How often it was signalled. */
typedef struct {
    _Atomic(uint32_t) signals;
} preload_cond;

/* From linux/futex.h, which a musl toolchain need not have. */
#define PRELOAD_FUTEX_WAKE 129       /* FUTEX_WAKE | FUTEX_PRIVATE_FLAG */
#define PRELOAD_FUTEX_WAIT_UNTIL 393 /* FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME */
#define PRELOAD_FUTEX_ANYBODY 0xffffffffu

static inline int preload_cond_init(preload_cond *cond) {
    atomic_store(&cond->signals, 0);
    return 0;
}

static inline int preload_cond_signal(preload_cond *cond) {
    atomic_fetch_add(&cond->signals, 1);
    KERNEL_SYSCALL(SYS_futex, &cond->signals, PRELOAD_FUTEX_WAKE, 1);
    return 0;
}

/* Until a signal, a point of the real-time clock if there is one, or for no reason, as with any condition. */
static inline int preload_cond_wait(preload_cond *cond, preload_mutex *mutex, const struct timespec *until) {
    const uint32_t seen = atomic_load(&cond->signals);
    pthread_mutex_unlock(&mutex->libc);
    const long result = KERNEL_CALL((syscall)(SYS_futex, &cond->signals, PRELOAD_FUTEX_WAIT_UNTIL, seen,
                                              until, NULL, PRELOAD_FUTEX_ANYBODY));
    const int error = result < 0 ? kernel_errno : 0;
    pthread_mutex_lock(&mutex->libc);
    return error == ETIMEDOUT ? ETIMEDOUT : 0;
}

#define pthread_mutex_t preload_mutex
#define pthread_mutex_init(mutex, attribute)                                                                 \
    pthread_mutex_init(&(mutex)->libc, preload_libc_attribute(attribute))
#define pthread_mutex_destroy(mutex) pthread_mutex_destroy(&(mutex)->libc)
#define pthread_mutex_lock(mutex) pthread_mutex_lock(&(mutex)->libc)
#define pthread_mutex_trylock(mutex) pthread_mutex_trylock(&(mutex)->libc)
#define pthread_mutex_unlock(mutex) pthread_mutex_unlock(&(mutex)->libc)

static inline pthread_mutexattr_t *preload_libc_attribute(preload_mutexattr *attribute) {
    return attribute == NULL ? NULL : &attribute->libc;
}

#define pthread_mutexattr_t preload_mutexattr
#define pthread_mutexattr_init(attribute) pthread_mutexattr_init(&(attribute)->libc)
#define pthread_mutexattr_destroy(attribute) pthread_mutexattr_destroy(&(attribute)->libc)
#define pthread_mutexattr_settype(attribute, type) pthread_mutexattr_settype(&(attribute)->libc, type)

#define pthread_cond_t preload_cond
#define pthread_cond_init(cond, attribute) preload_cond_init(cond)
#define pthread_cond_signal(cond) preload_cond_signal(cond)
#define pthread_cond_wait(cond, mutex) preload_cond_wait(cond, mutex, NULL)
#define pthread_cond_timedwait(cond, mutex, until) preload_cond_wait(cond, mutex, until)

#endif
