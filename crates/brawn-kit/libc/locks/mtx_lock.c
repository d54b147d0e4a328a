#include "locks.h"

PUBLIC int mtx_lock(struct mutex *mutex);
PUBLIC int __pthread_mutex_lock(struct mutex *mutex);
HIDDEN int __brawn_musl_mtx_lock(struct mutex *mutex);

int mtx_lock(struct mutex *mutex) {
    return mutex->type == 0 ? __pthread_mutex_lock(mutex) : __brawn_musl_mtx_lock(mutex);
}
