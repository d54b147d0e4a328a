/* musl's condition variable, for one look at it: whether anyone waits. Everything else about it is musl's. */
#ifndef BRAWN_COND_H
#define BRAWN_COND_H

#include "locks.h"
#include <stddef.h>

struct cond {
    const void *shared; /* NULL if only this process has it */
    int sequence, waiters;
    int clock, unused;
    const void *head;
    int lock, unused_2;
    const void *tail; /* who waits longest, of this process alone */
};
_Static_assert(offsetof(struct cond, tail) == 40, "as musl has it");

/*
 * Without musl's lock around it. A waiter is in the list before it gives back the mutex, so a thread that took that mutex since,
 * and changed what is waited for, sees it; for others there is no order that they could rely on.
 */
static inline int nobody_waits(const struct cond *cond) {
    return cond->shared == NULL && __atomic_load_n(&cond->tail, __ATOMIC_RELAXED) == NULL;
}

#endif
