/* The Brawn heap: caches in front of musl's own mallocng, which stays what it is and serves the library's
 * internals as before. docs/explain/heap.md tells how it works and what it may keep. Its ten words:
 *
 *          thread 1                  thread 2
 *     +-----------------+       +-----------------+
 *     | 16:  # > # > #  |       | 16:  #          |   a LIST for each CLASS: free BLOCKS, no lock
 *     | 32:  # > #      |       | 48:  # > #      |
 *     | RESERVE ### ### |       | RESERVE         |   full lists that the thread keeps
 *     +--------+--------+       +--------+--------+
 *              | CHAIN: a full list changes hands, in one short lock
 *     +--------v--------+       +--------v--------+
 *     | POOL, CPU 0     | <---> | POOL, CPU 1     |   chains, and medium blocks
 *     +--------+--------+       +--------+--------+
 *     -- the front end ends here, mallocng begins --
 *              v                         v
 *       GROUP  [meta] > | SLOT | SLOT | SLOT | ...    each slot holds one block; musl's one lock
 *              | pages
 *     +--------v---------------------------------+
 *     | CHUNK, 1 MiB | group | group | free pages |   the front end again: pages for mallocng
 *     +--------+---------------------------------+
 *              v mmap, munmap, madvise
 *
 *   block    what malloc gives; it lies in one slot
 *   slot     a place for one block; all slots of a group have one size
 *   class    a slot size, one of mallocng's 48
 *   group    slots of one class side by side, with a meta, mallocng's record of which are free
 *   list     free blocks of one class that one thread holds, linked through their first bytes (struct bin)
 *   reserve  full lists that a thread keeps because it comes back for them (struct spare)
 *   chain    a full list on its way between threads
 *   pool     what threads share: one for each processor, with one lock
 *   chunk    1 MiB of address space from which the pages of groups are cut
 *   swing    how far a program's use rose again after its last low; it widens every bound
 *
 * The front end is everything here that is not mallocng. Each file includes the one before:
 *
 *   layout.h   how mallocng lays out memory, and all checks
 *   address.h  from an address to the class of a block
 *   list.h     encoded lists        lock.h     the one kind of lock
 *   slots.h    mallocng's slots, many at a time
 *   recent.h   the swing            shared.h   the pools
 *   large.h    blocks with a mapping of their own
 *   pages.h    pages for mallocng's groups
 *   thread.h   what a thread keeps  quarantine.h, freed blocks that wait
 *   alloc.h    how a block leaves the heap and comes back
 *   hardened.h the hardened build   family.h   malloc and its family
 *   stats.h    figures at the end
 *
 * None of this uses a `malloc` by that name: those are weak here, and a program may bring its own. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* sched_getcpu */
#endif
#include "stats.h"
