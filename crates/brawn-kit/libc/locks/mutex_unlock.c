#include "locks.h"

PUBLIC int __pthread_mutex_unlock(struct mutex *mutex);

int __pthread_mutex_unlock(struct mutex *mutex) {
    if (unlikely(mutex->type != NORMAL)) {
        return __brawn_mutex_unlock_other(mutex);
    }
    if (one_thread() && likely(load(&mutex->lock) == HELD)) {
        store(&mutex->lock, 0);
        return 0;
    }
    /* Once it is unlocked, the mutex may be gone. */
    const int chain = load(&mutex->chain);
    if (unlikely(exchange(&mutex->lock, 0) < 0) || unlikely(chain != 0)) {
        wake(&mutex->lock, 1, FUTEX_PRIVATE);
    }
    return 0;
}

WEAK_ALIAS(__pthread_mutex_unlock, pthread_mutex_unlock);
