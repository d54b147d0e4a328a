/*
 * Recursive and checked mutexes of a process with one thread, without an atomic instruction. musl keeps a list of what each
 * thread owns, to mark it should the thread end. A mutex that is taken here is a list of itself: musl's unlock, if a second
 * thread has started by then, takes it out of that and changes nothing.
 */
#include "locks.h"
#include <stddef.h>

PUBLIC int __brawn_musl_gettid(void); /* knows it without asking the kernel */
HIDDEN int __brawn_musl___pthread_mutex_timedlock(struct mutex *mutex, const struct timespec *until);
HIDDEN int __brawn_musl___pthread_mutex_unlock(struct mutex *mutex);

static inline int here(const struct mutex *mutex) {
    _Static_assert(RECURSIVE == 1 && CHECKED == 2, "next to each other");
    return (unsigned)mutex->type - RECURSIVE < 2 && one_thread();
}

static inline int own(struct mutex *mutex) {
    if (unlikely(!here(mutex))) {
        return 0;
    }
    if (likely(load(&mutex->lock) == 0)) {
        mutex->previous = mutex->next = &mutex->next;
        store(&mutex->lock, __brawn_musl_gettid());
        return 1;
    }
    if (mutex->type == RECURSIVE && mutex->asleep < INT32_MAX &&
        load(&mutex->lock) == __brawn_musl_gettid()) {
        mutex->asleep++;
        return 1;
    }
    return 0;
}

int __brawn_mutex_own(struct mutex *mutex) {
    return own(mutex);
}

int __brawn_mutex_lock_other(struct mutex *mutex) {
    return likely(own(mutex)) ? 0 : __brawn_musl___pthread_mutex_timedlock(mutex, NULL);
}

int __brawn_mutex_unlock_other(struct mutex *mutex) {
    if (unlikely(!here(mutex)) || load(&mutex->lock) != __brawn_musl_gettid()) {
        return __brawn_musl___pthread_mutex_unlock(mutex);
    }
    if (mutex->type == RECURSIVE && mutex->asleep != 0) {
        mutex->asleep--;
        return 0;
    }
    /* Of a mutex that it has taken, musl knows the list. */
    if (mutex->next != &mutex->next) {
        return __brawn_musl___pthread_mutex_unlock(mutex);
    }
    store(&mutex->lock, 0);
    return 0;
}
