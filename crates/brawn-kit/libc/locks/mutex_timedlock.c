#include "locks.h"

PUBLIC int __pthread_mutex_timedlock(struct mutex *restrict mutex, const struct timespec *restrict until);
HIDDEN int __brawn_musl___pthread_mutex_timedlock(struct mutex *mutex, const struct timespec *until);

int __pthread_mutex_timedlock(struct mutex *restrict mutex, const struct timespec *restrict until) {
    if (mutex->type != NORMAL) {
        return __brawn_musl___pthread_mutex_timedlock(mutex, until);
    }
    return compare_exchange(&mutex->lock, 0, HELD) == 0 ? 0 : __brawn_mutex_wait(mutex, until);
}

WEAK_ALIAS(__pthread_mutex_timedlock, pthread_mutex_timedlock);
