#include "locks.h"

enum { FORGETS = 56 };

/*
 * Each look takes the word from the owner's cache, who could take and give back the mutex a hundred times in that time: so
 * each comes twice as late as the one before, and all together take what musl's hundred looks take. Whether they pay is
 * learned for each mutex, and written by who has it.
 *
 * Who has slept takes the mutex with the mark that others may sleep, and each unlock that finds the mark wakes one. So a
 * thread that takes the mutex again before the woken one is there does not wake a second. musl's own functions go by the
 * number of sleepers, which stays until the woken thread runs: a system call for each unlock.
 */
int __brawn_mutex_wait(struct mutex *mutex, const struct timespec *until) {
    int looked = 1;
    for (int pauses = looks_pay(load(&mutex->wasted)) ? 3 : 64; pauses < 64; pauses *= 2) {
        relax_for(pauses);
        const int seen = load(&mutex->lock);
        if (seen == 0 && compare_exchange(&mutex->lock, 0, HELD) == 0) {
            store(&mutex->wasted, load(&mutex->wasted) / 2);
            return 0;
        }
        if (seen < 0) {
            looked = 0;
            break;
        }
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
    if (error == 0 && looked) {
        store(&mutex->wasted, looks_wasted(load(&mutex->wasted), FORGETS));
    }
    __atomic_fetch_sub(&mutex->asleep, 1, __ATOMIC_SEQ_CST);
    return error;
}
