/* The heap outside of a libc.a: in a library to preload, and in one that has the heap for itself
 * (crates/brawn-heap). Nobody tells it how many threads there are: it counts those that have a cache, and takes
 * every lock. Of the first thread it does not say so, as in musl. */
#ifndef BRAWN_GUEST_H
#define BRAWN_GUEST_H

#include "layout.h"

struct libc __libc = {.need_locks = 1};

static int caches;

static void caches_change(int by) {
    const int before = __atomic_fetch_add(&caches, by, __ATOMIC_RELAXED);
    if (before > 0 && before + by > 0) {
        __atomic_fetch_add(&__libc.threads_minus_1, by, __ATOMIC_RELAXED);
    }
}
#define CACHES_CHANGE(by) caches_change(by)

#include "backend.h"

/* With -1 before a fork, then with 0 in the parent or 1 in the child, which loses other threads' caches. */
static void guest_atfork(int who) {
    if (who < 0) {
        __ldso_atfork(who);
    } else if (who > 0) {
        caches = own != &cache_none && own != &cache_closed;
        __libc.threads_minus_1 = 0;
    }
    __brawn_atfork(who);
}

#endif
