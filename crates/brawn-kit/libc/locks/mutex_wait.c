#include "locks.h"

/*
 * Who has slept takes the mutex with the mark that others may sleep, and each unlock that finds the mark wakes one. So a
 * thread that takes the mutex again before the woken one is there does not wake a second. musl's own functions go by the
 * number of sleepers, which stays until the woken thread runs: a system call for each unlock.
 */
int __brawn_mutex_wait(struct mutex *mutex, const struct timespec *until) {
    for (int spins = spins_first(); spins > 0; spins--) {
        const int seen = load(&mutex->lock);
        if (seen == 0 && compare_exchange(&mutex->lock, 0, HELD) == 0) {
            return 0;
        }
        if (seen < 0) {
            break;
        }
        relax();
    }
    int error = 0;
    __atomic_fetch_add(&mutex->asleep, 1, __ATOMIC_SEQ_CST);
    while (exchange(&mutex->lock, HELD | ASLEEP) != 0) {
        error = __timedwait(&mutex->lock, HELD | ASLEEP, CLOCK_REALTIME, until, FUTEX_PRIVATE);
        if (error != 0 && error != BRAWN_EINTR) {
            break;
        }
        error = 0;
    }
    __atomic_fetch_sub(&mutex->asleep, 1, __ATOMIC_SEQ_CST);
    return error;
}
