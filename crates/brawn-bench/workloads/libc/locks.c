// Locks and what belongs to a thread, in a process that has only one.

#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <threads.h>

#include "rows.h"

static pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER, recursive, checked;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_spinlock_t spin;
static pthread_key_t key;
static mtx_t mtx;
static sem_t semaphore;
static int calls;

static void of_type(pthread_mutex_t *mutex, int type) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, type);
    pthread_mutex_init(mutex, &attributes);
}

static void prepare(void) {
    of_type(&recursive, PTHREAD_MUTEX_RECURSIVE);
    of_type(&checked, PTHREAD_MUTEX_ERRORCHECK);
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    pthread_key_create(&key, NULL);
    mtx_init(&mtx, mtx_plain);
    sem_init(&semaphore, 0, 0);
}

static void first(void) {
    calls++;
}

static int fresh_mutex(void) {
    pthread_mutex_t mutex;
    int error = pthread_mutex_init(&mutex, NULL) + pthread_mutex_lock(&mutex);
    return error + pthread_mutex_unlock(&mutex) + pthread_mutex_destroy(&mutex);
}

static int fresh_key(void) {
    pthread_key_t fresh;
    return pthread_key_create(&fresh, free) + pthread_key_delete(fresh);
}

static uint64_t specific(uint64_t i) {
    pthread_setspecific(key, (void *)(uintptr_t)i);
    return (uintptr_t)pthread_getspecific(key);
}

static int streams(void) {
    flockfile(stderr);
    funlockfile(stderr);
    return 0;
}

static int cancel_state(void) {
    int before, now;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    pthread_setcancelstate(before, &now);
    return now == PTHREAD_CANCEL_DISABLE;
}

static int jumped(void) {
    static jmp_buf place;
    static volatile int count;
    count = 0;
    if (setjmp(place) < 1 && count++ < 1)
        longjmp(place, 1);
    return count;
}

static int jumped_with_mask(void) {
    static sigjmp_buf place;
    static volatile int count;
    count = 0;
    if (sigsetjmp(place, 1) < 1 && count++ < 1)
        siglongjmp(place, 1);
    return count;
}

CALLS(lock_plain, pthread_mutex_lock(&plain) + pthread_mutex_unlock(&plain))
CALLS(lock_recursive, pthread_mutex_lock(&recursive) + pthread_mutex_unlock(&recursive))
CALLS(lock_checked, pthread_mutex_lock(&checked) + pthread_mutex_unlock(&checked))
CALLS(try_plain, pthread_mutex_trylock(&plain) + pthread_mutex_unlock(&plain))
CALLS(lock_c11, mtx_lock(&mtx) + mtx_unlock(&mtx))
CALLS(lock_spin, pthread_spin_lock(&spin) + pthread_spin_unlock(&spin))
CALLS(lock_read, pthread_rwlock_rdlock(&rwlock) + pthread_rwlock_unlock(&rwlock))
CALLS(lock_write, pthread_rwlock_wrlock(&rwlock) + pthread_rwlock_unlock(&rwlock))
CALLS(lock_fresh, fresh_mutex())
CALLS(post_wait, sem_post(&semaphore) + sem_wait(&semaphore))
CALLS(post_try, sem_post(&semaphore) + sem_trywait(&semaphore))
CALLS(signal_nobody, pthread_cond_signal(&condition))
CALLS(broadcast_nobody, pthread_cond_broadcast(&condition))
CALLS(call_pthread_once, pthread_once(&once, first) + calls)
CALLS(call_getspecific, pthread_getspecific(key) != NULL)
CALLS(call_setspecific, specific(i + 1))
CALLS(call_key_create, fresh_key())
CALLS(call_self, pthread_equal(pthread_self(), pthread_self()) != 0)
CALLS(call_flockfile, streams())
CALLS(call_cancel_state, cancel_state())
CALLS(call_yield, sched_yield())
CALLS(call_setjmp, jumped())
CALLS(call_sigsetjmp, jumped_with_mask())

static const struct row ROWS[] = {
    {"mutex", lock_plain, 9, QUICK},
    {"mutex-recursive", lock_recursive, 9},
    {"mutex-errorcheck", lock_checked, 9},
    {"mutex-trylock", try_plain, 9},
    {"mutex-init-to-destroy", lock_fresh, 9},
    {"mtx_lock", lock_c11, 9},
    {"spin", lock_spin, 9},
    {"rwlock-read", lock_read, 9},
    {"rwlock-write", lock_write, 9},
    {"sem_post-sem_wait", post_wait, 9},
    {"sem_post-sem_trywait", post_try, 9},
    {"cond_signal-nobody", signal_nobody, 9},
    {"cond_broadcast-nobody", broadcast_nobody, 9},
    {"once", call_pthread_once, 9},
    {"getspecific", call_getspecific, 9},
    {"setspecific-getspecific", call_setspecific, 9},
    {"key_create-key_delete", call_key_create, 9},
    {"self-equal", call_self, 9},
    {"flockfile", call_flockfile, 9},
    {"setcancelstate", call_cancel_state, 9},
    {"sched_yield", call_yield, 9},
    {"setjmp-longjmp", call_setjmp, 9},
    {"sigsetjmp-siglongjmp", call_sigsetjmp, 9},
};

const struct group locks_group = GROUP("locks", prepare, ROWS);
