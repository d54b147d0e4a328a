/* The Brawn heap: slabs with caches in front of them. It takes the place of a libc.a's heap; the hardened build
 * keeps musl's mallocng behind it. docs/explain/heap.md tells how it works and what it may keep. Its ten words:
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
 *              v                         v
 *       SLAB   | # | . | # | . | ...      slots of one class, a bit for each; one lock
 *     +--------v---------------------------------+
 *     | CHUNK, 1 MiB | slab | slab | large | free |  <-- large blocks
 *     +--------+---------------------------------+
 *              v mmap, munmap, madvise
 *
 *   block    what malloc gives; it is one slot of a slab
 *   class    a size of blocks (sizes.h)
 *   slab     pages of a chunk, cut into slots of one class, or of several (struct slab)
 *   list     free blocks of one class that one thread holds, linked through their first bytes (struct bin)
 *   reserve  full lists that a thread keeps because it comes back for them (struct spare)
 *   chain    a full list on its way between threads
 *   pool     what threads share: one for each processor, with one lock
 *   chunk    1 MiB of address space from which pages are cut
 *   large    more than 128 KiB: a mapping of its own, of a chunk or the kernel's
 *   swing    how far a program's use rose again after its last low; it widens every bound
 *
 * The hardened build has no slabs: its blocks are slots of mallocng, with headers. The front end is everything
 * here but backend.h and its like. Each file includes the one before:
 *
 *   layout.h   how mallocng lays out memory, and all checks of headers
 *   address.h  which chunks there are; in the hardened build, from an address to its class
 *   list.h     encoded lists        lock.h     the one kind of lock
 *   sizes.h    the classes          slab.h     from an address to its slab
 *   slots.h    in the hardened build, mallocng's slots, many at a time
 *   recent.h   the swing            shared.h   the pools
 *   large.h    blocks with a mapping of their own
 *   chunks.h   which pages are in use, and how many may be kept
 *   pages.h    pages for slabs and large blocks
 *   slabs.h    slots of slabs, many at a time
 *   thread.h   what a thread keeps  quarantine.h, freed blocks that wait
 *   alloc.h    how a block leaves the heap and comes back
 *   hardened.h the hardened build   family.h   malloc and its family
 *   stats.h    figures at the end
 *   backend.h  what stands behind   names.h    what else the functions are called
 *   guest.h    in a library, with no libc.a around it
 *
 * None of this uses a `malloc` by that name: those are weak here, and a program may bring its own. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* sched_getcpu */
#endif
#ifdef BRAWN_ALONE
#include "alone.h"

#include "names.h"
#else
#include "stats.h"
#endif
