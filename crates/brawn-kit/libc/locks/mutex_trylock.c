#include "locks.h"

PUBLIC int __pthread_mutex_trylock(struct mutex *mutex);
HIDDEN int __brawn_musl___pthread_mutex_trylock(struct mutex *mutex);

int __pthread_mutex_trylock(struct mutex *mutex) {
    if (unlikely(mutex->type != NORMAL)) {
        return __brawn_mutex_own(mutex) ? 0 : __brawn_musl___pthread_mutex_trylock(mutex);
    }
    if (!one_thread()) {
        return compare_exchange(&mutex->lock, 0, HELD) == 0 ? 0 : BRAWN_EBUSY;
    }
    if (load(&mutex->lock) != 0) {
        return BRAWN_EBUSY;
    }
    store(&mutex->lock, HELD);
    return 0;
}

WEAK_ALIAS(__pthread_mutex_trylock, pthread_mutex_trylock);
