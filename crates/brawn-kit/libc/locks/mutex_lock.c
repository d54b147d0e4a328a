/* pthread_mutex_lock, and what pthread_cond_wait calls for it. Without an atomic instruction while there is one thread. */

#include "locks.h"

PUBLIC int __pthread_mutex_lock(struct mutex *mutex);
HIDDEN int __brawn_mutex_relock(struct mutex *mutex);

int __pthread_mutex_lock(struct mutex *mutex) {
    if (unlikely(mutex->type != NORMAL)) {
        return __brawn_mutex_lock_other(mutex);
    }
    if (one_thread()) {
        if (likely(load(&mutex->lock) == 0)) {
            store(&mutex->lock, HELD);
            return 0;
        }
    } else if (likely(compare_exchange(&mutex->lock, 0, HELD) == 0)) {
        return 0;
    }
    return __brawn_mutex_wait(mutex, NULL);
}

WEAK_ALIAS(__pthread_mutex_lock, pthread_mutex_lock);

/* A broadcast lets threads sleep on the mutex that have never called lock. Such a thread was woken in place of one that
 * sleeps there by its own call, and when it unlocks it is its turn to wake that one. */
int __brawn_mutex_relock(struct mutex *mutex) {
    if (mutex->type == NORMAL && !one_thread() &&
        (__atomic_load_n(&mutex->asleep, __ATOMIC_SEQ_CST) != 0 || load(&mutex->chain) != 0) &&
        exchange(&mutex->lock, HELD | ASLEEP) == 0) {
        return 0;
    }
    return __pthread_mutex_lock(mutex);
}
