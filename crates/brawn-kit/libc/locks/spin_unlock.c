#include "locks.h"

PUBLIC int pthread_spin_unlock(int *lock);

int pthread_spin_unlock(int *lock) {
    __atomic_store_n(lock, 0, __ATOMIC_RELEASE);
    return 0;
}
