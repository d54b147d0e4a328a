/* What threads share: chains of small blocks, which one thread has too many of and another may want, and
 * medium blocks. All of it lies in pools, one for each processor as far as there are threads for them: what
 * a thread finds there was last touched on its own processor, and hardly anybody else wants the lock. Pools
 * are bounded in bytes, and what no one wanted for a second of the program's activity goes back to slabs
 * by and by. */
#ifndef BRAWN_SHARED_H
#define BRAWN_SHARED_H

#include <sched.h>
#include <time.h>

#include "../kit.h"
#include "recent.h"
#include "slab.h"
#include "slots.h"

enum {
    POOL_LOOKS = 16,      /* visits of a thread between two looks at where it runs */
    SHELVES_TO_TRY = 2,   /* classes for a medium block: it has a fifth more than was asked for with each */
    POOL_ROOM_BLOCKS = 8, /* blocks that give way at once */
    POOL_SHARE = 16,      /* of the bytes in use, one in so many may lie in all pools */
    POOL_SLACK = 4,       /* of what may be kept for a program that comes back: a part, for each pool */
};

/* Chains of one class in one pool. Checks of the front end alone set it smaller. */
#ifndef DEPOT_CHAINS
#define DEPOT_CHAINS 256
#endif

/* Pools, at most. */
#ifndef POOLS
#define POOLS 16
#endif

/* Bytes that may lie in one pool: a base, and its part of what there is for each thread, up to the ceiling.
 * Checks of the front end alone set them smaller. */
#ifndef POOL_BASE
#define POOL_BASE ((size_t)512 << 10)
#endif
#ifndef POOLS_PER_THREAD
#define POOLS_PER_THREAD ((size_t)64 << 10)
#endif
#define POOL_CEILING ((size_t)1 << 20)

/* How many chains or blocks of a class there are. Written under the pool's lock, and read without as well.
 */
struct tally {
    _Atomic(uint16_t) count;
    uint16_t lowest; /* of `count` since the last upkeep: so many no one wanted */
    bool used;       /* since the search for room came by */
};

/* Blocks of one medium class. */
struct shelf {
    void *head;
    struct tally tally;
};

/* All of it belongs to who has the lock. */
struct pool {
    _Alignas(64) lock lock;
    uint32_t hand;      /* of the search for room */
    uint32_t bound_for; /* so many more blocks or chains the bound holds */
    size_t bytes, bound;
    uint64_t chains_taken, chains_given, blocks_taken;
    struct shelf shelves[SHELVES];
    struct tally depots[SMALL_SIZES];
    /* The first of each class lie together, so that a program that has few touches little of this. */
    struct chain chains[DEPOT_CHAINS][SMALL_SIZES];
};

static struct pool pools[POOLS];
static _Atomic(uint32_t) processors; /* up to POOLS, or 0: no one has looked yet */

/* Where this thread runs, as it was when it looked. */
static __thread struct {
    struct pool *pool;
    uint32_t looks;
} place;

/* What the program's knob makes of a bound on bytes that lie unused for all threads. Slow paths alone ask. */
#ifdef BRAWN_KIT_KNOBS
static _Atomic(uint32_t) keep_known; /* the knob `keep` and one more, or 0: no one has looked yet */

static COLD size_t keep_look(void) {
    const size_t percent = kit_knob_number("keep", 100);
    atomic_store_explicit(&keep_known, (uint32_t)percent + 1, memory_order_relaxed);
    return percent;
}

static RARE size_t kept(size_t bytes) {
    const uint32_t known = atomic_load_explicit(&keep_known, memory_order_relaxed);
    return bytes * (likely(known != 0) ? known - 1 : keep_look()) / 100;
}
#else
static RARE size_t kept(size_t bytes) {
    return bytes;
}
#endif

static inline uint32_t pools_in_use(void) {
    return atomic_load_explicit(&processors, memory_order_relaxed);
}

static inline uint32_t pool_count(void) {
    const uint32_t threads = (uint32_t)__libc.threads_minus_1 + 1, most = pools_in_use();
    return most == 0 ? 1 : threads < most ? threads : most;
}

static RARE size_t pool_bound(void) {
    const size_t count = pool_count(), threads = (size_t)(unsigned)__libc.threads_minus_1 + 1;
    const size_t bound = POOL_BASE + POOLS_PER_THREAD * threads / count;
    return kept((bound < POOL_CEILING ? bound : POOL_CEILING) + recent_slack() / POOL_SLACK +
                recent_share(POOL_SHARE) / count);
}

static RARE struct pool *pool_look(void) {
    if (pools_in_use() == 0) {
        const long count = KERNEL_CALL(sysconf(_SC_NPROCESSORS_ONLN));
        atomic_store_explicit(&processors,
                              count < 1       ? 1
                              : count < POOLS ? (uint32_t)count
                                              : POOLS,
                              memory_order_relaxed);
    }
    const int processor = KERNEL_CALL(sched_getcpu());
    place.looks = POOL_LOOKS;
    return place.pool = &pools[processor < 0 ? 0 : (uint32_t)processor % pool_count()];
}

/* The pool of this processor, give or take a few visits. */
static inline struct pool *pool_here(void) {
    if (!threads_exist()) {
        return &pools[0];
    }
    return likely(place.looks-- > 0) ? place.pool : pool_look();
}

static inline uint16_t tally_count(const struct tally *tally) {
    return atomic_load_explicit(&tally->count, memory_order_relaxed);
}

static inline void tally_set(struct tally *tally, unsigned count) {
    atomic_store_explicit(&tally->count, (uint16_t)count, memory_order_relaxed);
    if (count < tally->lowest) {
        tally->lowest = (uint16_t)count;
    }
}

/* The last chain of a depot, or none. The caller has the lock. */
static RARE struct chain depot_pop(struct pool *pool, unsigned class) {
    struct tally *const depot = &pool->depots[class];
    const unsigned count = tally_count(depot);
    if (count == 0) {
        return (struct chain){NULL, 0};
    }
    const struct chain chain = pool->chains[count - 1][class];
    tally_set(depot, count - 1);
    pool->bytes -= chain.count * class_bytes(class);
    return chain;
}

/* The first block of a shelf, or none. The caller has the lock. */
static inline void *shelf_pop(struct pool *pool, unsigned class) {
    struct shelf *const shelf = &pool->shelves[class - SMALL_SIZES];
    void *const block = shelf->head;
    if (block != NULL) {
        shelf->head = list_next(block);
        tally_set(&shelf->tally, tally_count(&shelf->tally) - 1u);
        pool->bytes -= class_bytes(class);
    }
    return block;
}

static inline struct tally *pool_tally(struct pool *pool, unsigned class) {
    return class < SMALL_SIZES ? &pool->depots[class] : &pool->shelves[class - SMALL_SIZES].tally;
}

/* Takes out what has not been used for the longest time, as the hand of a clock goes round (a class that was
 * used gets one more round): a few medium blocks, or one chain of small ones. */
static RARE struct chain pool_oldest(struct pool *pool, size_t bound) {
    struct chain out = {NULL, 0};
    for (int turns = 0; turns < 2 * SIZES && pool->bytes > bound && out.count < POOL_ROOM_BLOCKS; turns++) {
        const unsigned class = pool->hand++ % SIZES;
        struct tally *const tally = pool_tally(pool, class);
        if (tally->used || tally_count(tally) == 0) {
            tally->used = false;
        } else if (class >= SMALL_SIZES) {
            void *const block = shelf_pop(pool, class);
            list_link(block, out.head);
            out.head = block;
            out.count++;
        } else if (out.head == NULL) {
            return depot_pop(pool, class);
        }
    }
    return out;
}

/* Gives back so much that no more than `bound` bytes are left. The caller has the lock, and has it again. */
static RARE bool pool_make_room(struct pool *pool, size_t bound, bool locked) {
    struct chain out;
    while (pool->bytes > bound && (out = pool_oldest(pool, bound)).head != NULL) {
        lock_give(&pool->lock, locked);
        chain_give(out);
        locked = lock_take(&pool->lock);
    }
    return locked;
}

/* The smallest block of so many classes from this one on, or NULL. */
static SLOW void *shelf_take_from(struct pool *pool, unsigned class, unsigned classes) {
    void *block = NULL;
    for (const unsigned end = class + classes < SIZES ? class + classes : SIZES; class < end && block == NULL;
         class ++) {
        struct shelf *const shelf = &pool->shelves[class - SMALL_SIZES];
        if (tally_count(&shelf->tally) > 0) {
            const bool locked = lock_take(&pool->lock);
            block = shelf_pop(pool, class);
            shelf->tally.used |= block != NULL;
            pool->blocks_taken += block != NULL;
            lock_give(&pool->lock, locked);
        }
    }
    return block;
}

/* From here, of so many classes from this one on, or from another processor. */
static void *shelf_take(unsigned class, unsigned classes) {
    void *block = shelf_take_from(pool_here(), class, classes);
    for (uint32_t at = 0; block == NULL && at < pools_in_use(); at++) {
        block = shelf_take_from(&pools[at], class, 1);
    }
    if (block != NULL) {
        block_unmark(block);
    }
    return block;
}

/* What may lie here, as it was a few blocks ago. The caller has the lock. */
static inline size_t pool_bound_lately(struct pool *pool) {
    if (unlikely(pool->bound_for == 0)) {
        pool->bound = pool_bound();
        pool->bound_for = POOL_LOOKS;
    }
    pool->bound_for--;
    return pool->bound;
}

/* Keeps medium blocks at their slots' starts. */
static SLOW void shelf_give(unsigned class, struct chain chain) {
    if (chain.count == 0) {
        return;
    }
    struct pool *const pool = pool_here();
    struct shelf *const shelf = &pool->shelves[class - SMALL_SIZES];
    bool locked = lock_take(&pool->lock);
    const size_t bound = pool_bound_lately(pool);
    for (uint32_t left = chain.count; left > 0; left--) {
        void *const block = chain.head;
        chain.head = left > 1 ? list_next(block) : NULL;
        list_link(block, shelf->head);
        shelf->head = block;
    }
    tally_set(&shelf->tally, tally_count(&shelf->tally) + chain.count);
    pool->bytes += chain.count * class_bytes(class);
    if (unlikely(pool->bytes > bound)) {
        locked = pool_make_room(pool, bound, locked);
    }
    lock_give(&pool->lock, locked);
}

static RARE struct chain depot_take_from(struct pool *pool, unsigned class) {
    struct chain chain = {NULL, 0};
    if (tally_count(&pool->depots[class]) > 0) {
        const bool locked = lock_take(&pool->lock);
        chain = depot_pop(pool, class);
        pool->depots[class].used |= chain.head != NULL;
        pool->chains_taken += chain.head != NULL;
        lock_give(&pool->lock, locked);
    }
    return chain;
}

/* A chain from here, or from another processor. */
static RARE struct chain depot_take(unsigned class) {
    struct chain chain = depot_take_from(pool_here(), class);
    for (uint32_t at = 0; chain.head == NULL && at < pools_in_use(); at++) {
        chain = depot_take_from(&pools[at], class);
    }
    return chain;
}

/* Keeps a chain, or gives it back when there is no room. */
static RARE void depot_give(unsigned class, struct chain chain) {
    if (chain.head == NULL) {
        return;
    }
    struct pool *const pool = pool_here();
    struct tally *const depot = &pool->depots[class];
    const size_t bound = pool_bound(), bytes = chain.count * class_bytes(class);
    bool locked = lock_take(&pool->lock);
    /* Of a class that no one takes from, the newest goes: it still lies in the processor's cache. */
    if (pool->bytes + bytes > bound && depot->used) {
        depot->used = false;
        locked = pool_make_room(pool, bound > bytes ? bound - bytes : 0, locked);
    }
    const unsigned count = tally_count(depot);
    if (count < DEPOT_CHAINS && pool->bytes + bytes <= bound) {
        pool->chains[count][class] = chain;
        tally_set(depot, count + 1);
        pool->bytes += bytes;
        pool->chains_given++;
        chain.head = NULL;
    }
    lock_give(&pool->lock, locked);
    chain_give(chain);
}

/* Gives back everything that was never wanted since the last upkeep: half of it, so that a slow rhythm is not
 * mistaken for the end; or, for `malloc_trim` and when memory is short, all that is here. */
static RARE bool pool_release(struct pool *pool, bool everything) {
    bool any = false;
    bool locked = lock_take(&pool->lock);
    for (unsigned class = 0; class < SIZES; class ++) {
        struct tally *const tally = pool_tally(pool, class);
        uint32_t wanted = everything ? UINT32_MAX : (tally->lowest + 1u) / 2;
        for (; wanted > 0 && tally_count(tally) > 0; wanted--) {
            struct chain chain = {NULL, 1};
            if (class < SMALL_SIZES) {
                chain = depot_pop(pool, class);
            } else {
                chain.head = shelf_pop(pool, class);
                list_link(chain.head, NULL);
            }
            lock_give(&pool->lock, locked);
            any = true;
            chain_give(chain);
            locked = lock_take(&pool->lock);
        }
        tally->lowest = tally_count(tally);
    }
    lock_give(&pool->lock, locked);
    return any;
}

static RARE bool shared_release(bool everything) {
    bool any = false;
    for (uint32_t at = 0; at < POOLS && (at == 0 || at < pools_in_use()); at++) {
        any |= pool_release(&pools[at], everything);
    }
    return any;
}

/* Milliseconds, coarse: no system call. */
static inline uint64_t now(void) {
    struct timespec time = {0, 0};
    (void)KERNEL_CALL((clock_gettime)(CLOCK_MONOTONIC_COARSE, &time));
    return (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;
}

#endif
