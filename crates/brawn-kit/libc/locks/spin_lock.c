#include "locks.h"

PUBLIC int pthread_spin_lock(int *lock);

int pthread_spin_lock(int *lock) {
    while (unlikely(exchange(lock, HELD) != 0)) {
        do {
            relax();
        } while (load(lock) != 0);
    }
    return 0;
}
