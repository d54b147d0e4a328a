#include "cond.h"

PUBLIC int pthread_cond_broadcast(struct cond *cond);
PUBLIC int __brawn_musl_pthread_cond_broadcast(struct cond *cond);

int pthread_cond_broadcast(struct cond *cond) {
    return nobody_waits(cond) ? 0 : __brawn_musl_pthread_cond_broadcast(cond);
}
