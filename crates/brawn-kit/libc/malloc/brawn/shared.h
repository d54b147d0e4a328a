/* What threads share: chains of small blocks, which one thread has too many of and another may want, and
 * medium blocks. All of it lies in stocks, one for each processor as far as there are threads for them: what
 * a thread finds there was last touched on its own processor, and hardly anybody else wants the lock. Stocks
 * are bounded in bytes, and what no one wanted for a second of the program's activity goes back to mallocng
 * by and by. */
#ifndef BRAWN_SHARED_H
#define BRAWN_SHARED_H

#include <sched.h>
#include <time.h>

#include "../kit.h"
#include "recent.h"
#include "slots.h"

enum {
    SHELVES = CLASSES - SMALL_CLASSES,
    STOCK_LOOKS = 16,      /* visits of a thread between two looks at where it runs */
    SHELVES_TO_TRY = 2,    /* classes for a medium block: it has a fifth more than was asked for with each */
    STOCK_ROOM_BLOCKS = 8, /* blocks that give way at once */
    STOCK_SLACK = 4,       /* of what may be kept for a program that comes back: a part, for each stock */
};

/* Chains of one class in one stock. Checks of the front by itself set it smaller. */
#ifndef DEPOT_CHAINS
#define DEPOT_CHAINS 256
#endif

/* Stocks, at most. */
#ifndef STOCKS
#define STOCKS 16
#endif

/* Bytes that may lie in one stock: a base, and its part of what there is for each thread, up to the ceiling.
 * Checks of the front by itself set them smaller. */
#ifndef STOCK_BASE
#define STOCK_BASE ((size_t)512 << 10)
#endif
#ifndef STOCKS_PER_THREAD
#define STOCKS_PER_THREAD ((size_t)64 << 10)
#endif
#define STOCK_CEILING ((size_t)1 << 20)

/* How many chains or blocks of a class there are. Written under the stock's lock, and read without as well.
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
struct stock {
    _Alignas(64) lock lock;
    uint32_t hand; /* of the search for room */
    size_t bytes;
    uint64_t chains_taken, chains_given, blocks_taken;
    struct shelf shelves[SHELVES];
    struct tally depots[SMALL_CLASSES];
    /* The first of each class lie together, so that a program that has few touches little of this. */
    struct chain chains[DEPOT_CHAINS][SMALL_CLASSES];
};

static struct stock stocks[STOCKS];
static _Atomic(uint32_t) processors; /* up to STOCKS, or 0: no one has looked yet */

/* Where this thread runs, as it was when it looked. */
static __thread struct {
    struct stock *stock;
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

static inline size_t class_bytes(unsigned class) {
    return UNIT * (size_t)__malloc_size_classes[class];
}

/* The request for which mallocng gives a whole slot of this class. */
static inline size_t class_request(unsigned class) {
    const size_t capacity = class_capacity(class);
    return capacity > LARGEST_SLOT ? LARGEST_SLOT : capacity;
}

static inline uint32_t stocks_in_use(void) {
    return atomic_load_explicit(&processors, memory_order_relaxed);
}

static inline uint32_t stock_count(void) {
    const uint32_t threads = (uint32_t)__libc.threads_minus_1 + 1, most = stocks_in_use();
    return most == 0 ? 1 : threads < most ? threads : most;
}

static RARE size_t stock_bound(void) {
    const size_t count = stock_count(), threads = (size_t)(unsigned)__libc.threads_minus_1 + 1;
    const size_t bound = STOCK_BASE + STOCKS_PER_THREAD * threads / count;
    return kept((bound < STOCK_CEILING ? bound : STOCK_CEILING) + recent_slack() / STOCK_SLACK);
}

static RARE struct stock *stock_look(void) {
    if (stocks_in_use() == 0) {
        const long count = KERNEL_CALL(sysconf(_SC_NPROCESSORS_ONLN));
        atomic_store_explicit(&processors,
                              count < 1        ? 1
                              : count < STOCKS ? (uint32_t)count
                                               : STOCKS,
                              memory_order_relaxed);
    }
    const int processor = KERNEL_CALL(sched_getcpu());
    place.looks = STOCK_LOOKS;
    return place.stock = &stocks[processor < 0 ? 0 : (uint32_t)processor % stock_count()];
}

/* The stock of this processor, give or take a few visits. */
static inline struct stock *stock_here(void) {
    if (!threads_exist()) {
        return &stocks[0];
    }
    return likely(place.looks-- > 0) ? place.stock : stock_look();
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
static RARE struct chain depot_pop(struct stock *stock, unsigned class) {
    struct tally *const depot = &stock->depots[class];
    const unsigned count = tally_count(depot);
    if (count == 0) {
        return (struct chain){NULL, 0};
    }
    const struct chain chain = stock->chains[count - 1][class];
    tally_set(depot, count - 1);
    stock->bytes -= chain.count * class_bytes(class);
    return chain;
}

/* The first block of a shelf, or none. The caller has the lock. */
static inline void *shelf_pop(struct stock *stock, unsigned class) {
    struct shelf *const shelf = &stock->shelves[class - SMALL_CLASSES];
    void *const block = shelf->head;
    if (block != NULL) {
        shelf->head = list_next(block);
        tally_set(&shelf->tally, tally_count(&shelf->tally) - 1u);
        stock->bytes -= class_bytes(class);
    }
    return block;
}

static inline struct tally *stock_tally(struct stock *stock, unsigned class) {
    return class < SMALL_CLASSES ? &stock->depots[class] : &stock->shelves[class - SMALL_CLASSES].tally;
}

/* Takes out what has not been used for the longest time, as the hand of a clock goes round (a class that was
 * used gets one more round): a few medium blocks, or one chain of small ones. */
static RARE struct chain stock_oldest(struct stock *stock, size_t bound) {
    struct chain out = {NULL, 0};
    for (int turns = 0; turns < 2 * CLASSES && stock->bytes > bound && out.count < STOCK_ROOM_BLOCKS;
         turns++) {
        const unsigned class = stock->hand++ % CLASSES;
        struct tally *const tally = stock_tally(stock, class);
        if (tally->used || tally_count(tally) == 0) {
            tally->used = false;
        } else if (class >= SMALL_CLASSES) {
            void *const block = shelf_pop(stock, class);
            list_link(block, out.head);
            out.head = block;
            out.count++;
        } else if (out.head == NULL) {
            return depot_pop(stock, class);
        }
    }
    return out;
}

/* Gives back so much that no more than `bound` bytes are left. The caller has the lock, and has it again. */
static RARE bool stock_make_room(struct stock *stock, size_t bound, bool locked) {
    struct chain out;
    while (stock->bytes > bound && (out = stock_oldest(stock, bound)).head != NULL) {
        lock_give(&stock->lock, locked);
        chain_give(out);
        locked = lock_take(&stock->lock);
    }
    return locked;
}

/* The smallest block of so many classes from this one on, or NULL. */
static SLOW void *shelf_take_from(struct stock *stock, unsigned class, unsigned classes) {
    void *block = NULL;
    for (const unsigned end = class + classes < CLASSES ? class + classes : CLASSES;
         class < end && block == NULL; class ++) {
        struct shelf *const shelf = &stock->shelves[class - SMALL_CLASSES];
        if (tally_count(&shelf->tally) > 0) {
            const bool locked = lock_take(&stock->lock);
            block = shelf_pop(stock, class);
            shelf->tally.used |= block != NULL;
            stock->blocks_taken += block != NULL;
            lock_give(&stock->lock, locked);
        }
    }
    return block;
}

/* From here, or from another processor; larger than needed rather than from mallocng. */
static void *shelf_take(unsigned class) {
    void *block = shelf_take_from(stock_here(), class, SHELVES_TO_TRY);
    for (uint32_t at = 0; block == NULL && at < stocks_in_use(); at++) {
        block = shelf_take_from(&stocks[at], class, 1);
    }
    if (block != NULL) {
        block_unmark(block);
    }
    return block;
}

/* Keeps a block at its slot's start. */
static RARE void shelf_give(unsigned class, void *block, unsigned index) {
    struct stock *const stock = stock_here();
    struct shelf *const shelf = &stock->shelves[class - SMALL_CLASSES];
    const size_t bound = stock_bound();
    block_mark(block, index);
    bool locked = lock_take(&stock->lock);
    list_link(block, shelf->head);
    shelf->head = block;
    tally_set(&shelf->tally, tally_count(&shelf->tally) + 1u);
    stock->bytes += class_bytes(class);
    if (unlikely(stock->bytes > bound)) {
        locked = stock_make_room(stock, bound, locked);
    }
    lock_give(&stock->lock, locked);
}

static RARE struct chain depot_take_from(struct stock *stock, unsigned class) {
    struct chain chain = {NULL, 0};
    if (tally_count(&stock->depots[class]) > 0) {
        const bool locked = lock_take(&stock->lock);
        chain = depot_pop(stock, class);
        stock->depots[class].used |= chain.head != NULL;
        stock->chains_taken += chain.head != NULL;
        lock_give(&stock->lock, locked);
    }
    return chain;
}

/* A chain from here, or from another processor. */
static RARE struct chain depot_take(unsigned class) {
    struct chain chain = depot_take_from(stock_here(), class);
    for (uint32_t at = 0; chain.head == NULL && at < stocks_in_use(); at++) {
        chain = depot_take_from(&stocks[at], class);
    }
    return chain;
}

/* Keeps a chain, or gives it back when there is no room. */
static RARE void depot_give(unsigned class, struct chain chain) {
    if (chain.head == NULL) {
        return;
    }
    struct stock *const stock = stock_here();
    struct tally *const depot = &stock->depots[class];
    const size_t bound = stock_bound(), bytes = chain.count * class_bytes(class);
    bool locked = lock_take(&stock->lock);
    if (stock->bytes + bytes > bound) {
        locked = stock_make_room(stock, bound > bytes ? bound - bytes : 0, locked);
    }
    const unsigned count = tally_count(depot);
    if (count < DEPOT_CHAINS && stock->bytes + bytes <= bound) {
        stock->chains[count][class] = chain;
        tally_set(depot, count + 1);
        stock->bytes += bytes;
        stock->chains_given++;
        chain.head = NULL;
    }
    lock_give(&stock->lock, locked);
    chain_give(chain);
}

/* Gives back everything that was never wanted since the last upkeep: half of it, so that a slow rhythm is not
 * mistaken for the end; or, for `malloc_trim` and when memory is short, all that is here. */
static RARE bool stock_release(struct stock *stock, bool everything) {
    bool any = false;
    bool locked = lock_take(&stock->lock);
    for (unsigned class = 0; class < CLASSES; class ++) {
        struct tally *const tally = stock_tally(stock, class);
        uint32_t wanted = everything ? UINT32_MAX : (tally->lowest + 1u) / 2;
        for (; wanted > 0 && tally_count(tally) > 0; wanted--) {
            struct chain chain = {NULL, 1};
            if (class < SMALL_CLASSES) {
                chain = depot_pop(stock, class);
            } else {
                chain.head = shelf_pop(stock, class);
                list_link(chain.head, NULL);
            }
            lock_give(&stock->lock, locked);
            any = true;
            chain_give(chain);
            locked = lock_take(&stock->lock);
        }
        tally->lowest = tally_count(tally);
    }
    lock_give(&stock->lock, locked);
    return any;
}

static RARE bool shared_release(bool everything) {
    bool any = false;
    for (uint32_t at = 0; at < STOCKS && (at == 0 || at < stocks_in_use()); at++) {
        any |= stock_release(&stocks[at], everything);
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
