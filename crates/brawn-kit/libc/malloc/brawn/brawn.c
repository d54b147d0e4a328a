/* The Brawn heap: a cache for each thread in front of musl's own mallocng, which stays what it is and serves
 * the library's internals as before. docs/explain/heap.md tells how it works and what it may keep.
 *
 *   layout.h   how mallocng lays out memory, and all checks
 *   list.h     encoded lists        lock.h     the one kind of lock
 *   slots.h    mallocng's slots, many at a time
 *   shared.h   what threads share   large.h    blocks with a mapping of their own
 *   pages.h    pages for mallocng's groups
 *   thread.h   what a thread keeps  family.h   malloc and its family
 *   hardened.h and quarantine.h, the hardened build     stats.h   figures at the end
 *
 * None of this uses a `malloc` by that name: those are weak here, and a program may bring its own. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* sched_getcpu */
#endif
#include "stats.h"
