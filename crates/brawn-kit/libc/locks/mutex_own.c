/*
 * Recursive and checked mutexes of a process with one thread, without an atomic instruction. musl keeps a list of what each
 * thread owns, to mark it should the thread end. A mutex that is taken here is a list of itself: musl's unlock, if a second
 * thread has started by then, takes it out of that and changes nothing.
 */
#include "locks.h"

PUBLIC int __brawn_musl_gettid(void); /* knows it without asking the kernel */

static inline int here(const struct mutex *mutex) {
    _Static_assert(RECURSIVE == 1 && CHECKED == 2, "next to each other");
    return (unsigned)mutex->type - RECURSIVE < 2 && one_thread();
}

int __brawn_mutex_own(struct mutex *mutex) {
    if (unlikely(!here(mutex))) {
        return 0;
    }
    const int owner = load(&mutex->lock), self = __brawn_musl_gettid();
    if (likely(owner == 0)) {
        mutex->previous = mutex->next = &mutex->next;
        store(&mutex->lock, self);
        return 1;
    }
    if (owner == self && mutex->type == RECURSIVE && mutex->asleep < INT32_MAX) {
        mutex->asleep++;
        return 1;
    }
    return 0;
}

int __brawn_mutex_disown(struct mutex *mutex) {
    if (unlikely(!here(mutex)) || load(&mutex->lock) != __brawn_musl_gettid()) {
        return 0;
    }
    if (mutex->type == RECURSIVE && mutex->asleep != 0) {
        mutex->asleep--;
        return 1;
    }
    /* Of a mutex that it has taken, musl knows the list. */
    if (mutex->next != &mutex->next) {
        return 0;
    }
    store(&mutex->lock, 0);
    return 1;
}
