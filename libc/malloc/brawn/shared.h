/* What threads share: chains of small blocks, which one thread has too many of and another may want, and
 * medium blocks. Everything here is bounded in bytes for the whole process, and what nobody wanted for a
 * second of the program's activity goes back to mallocng by and by. */
#ifndef BRAWN_SHARED_H
#define BRAWN_SHARED_H

#include <time.h>

#include "list.h"
#include "lock.h"

enum {
    SMALL_CLASSES = 20, /* up to 1,004 bytes: kept by threads, in chains by all */
    DEPOT_CHAINS = 16,  /* chains of one class */
    SHELVES = CLASSES - SMALL_CLASSES,
};

/* Bytes that may lie here: some for the process, some for each thread, never more than the ceiling. */
#define SHARED_BASE ((size_t)256 << 10)
#define SHARED_PER_THREAD ((size_t)32 << 10)
#define SHARED_CEILING ((size_t)1 << 20)

/* Chains of blocks of one small class. */
struct depot {
    _Alignas(64) lock lock;
    _Atomic(uint32_t) count;
    uint32_t lowest; /* of `count` since the last upkeep: so many nobody wanted */
    uint64_t taken, given;
    struct chain chains[DEPOT_CHAINS];
};

/* Blocks of one medium class. */
struct shelf {
    _Alignas(64) lock lock;
    _Atomic(uint32_t) count;
    uint32_t lowest;
    void *head;
    uint64_t taken;
    bool used; /* since the search for room came by */
};

static struct depot depots[SMALL_CLASSES];
static struct shelf shelves[SHELVES];
static _Alignas(64) _Atomic(size_t) shared_bytes;
static _Atomic(uint32_t) room_cursor;

/* How often what was asked: for brawn_malloc_info. They count what is slow anyway, and never the fast path.
 */
static struct {
    _Atomic(uint64_t) refills, refilled_blocks, returned_blocks, medium_misses, large_hits, large_misses,
        upkeeps;
} counters;

#define COUNT(name, by) atomic_fetch_add_explicit(&counters.name, (by), memory_order_relaxed)

static inline size_t class_bytes(unsigned class) {
    return UNIT * (size_t)__malloc_size_classes[class];
}

/* The request for which mallocng gives a whole slot of this class. */
static inline size_t class_request(unsigned class) {
    const size_t capacity = class_capacity(class);
    return capacity > LARGEST_SLOT ? LARGEST_SLOT : capacity;
}

static inline size_t shared_bound(void) {
    const size_t bound = SHARED_BASE + SHARED_PER_THREAD * ((size_t)(unsigned)__libc.threads_minus_1 + 1);
    return bound < SHARED_CEILING ? bound : SHARED_CEILING;
}

/* Adds to the bytes that lie here (or, modulo 2^64, takes away), and returns the sum. */
static inline size_t shared_add(size_t bytes) {
    if (!threads_exist()) {
        const size_t sum = atomic_load_explicit(&shared_bytes, memory_order_relaxed) + bytes;
        atomic_store_explicit(&shared_bytes, sum, memory_order_relaxed);
        return sum;
    }
    return atomic_fetch_add_explicit(&shared_bytes, bytes, memory_order_relaxed) + bytes;
}

static inline void shared_subtract(size_t bytes) {
    shared_add((size_t)0 - bytes);
}

/* Back to mallocng. */
static void backend_free_chain(struct chain chain) {
    COUNT(returned_blocks, chain.count);
    while (chain.head != NULL) {
        void *const block = chain.head;
        chain.head = list_next(block);
        block_unmark(block);
        __libc_free(block);
    }
}

static inline void shelf_count(struct shelf *shelf, uint32_t by) {
    const uint32_t count = atomic_load_explicit(&shelf->count, memory_order_relaxed) + by;
    atomic_store_explicit(&shelf->count, count, memory_order_relaxed);
    if (count < shelf->lowest) {
        shelf->lowest = count;
    }
}

/* Takes up to `count` blocks off a shelf. */
static struct chain shelf_cut(unsigned class, uint32_t count) {
    struct shelf *const shelf = &shelves[class - SMALL_CLASSES];
    struct chain cut = {NULL, 0};
    const bool locked = lock_take(&shelf->lock);
    while (cut.count < count && shelf->head != NULL) {
        void *const block = shelf->head;
        shelf->head = list_next(block);
        list_link(block, cut.head);
        cut.head = block;
        cut.count++;
    }
    shelf_count(shelf, 0 - cut.count);
    lock_give(&shelf->lock, locked);
    shared_subtract(cut.count * class_bytes(class));
    return cut;
}

/* There is too much: gives back what has not been used for the longest time, one block at a time, as the hand
 * of a clock goes round (a class that was used gets one more round). */
static SLOW void shared_make_room(void) {
    for (int turns = 0; turns < 2 * SHELVES; turns++) {
        if (atomic_load_explicit(&shared_bytes, memory_order_relaxed) <= shared_bound()) {
            return;
        }
        const uint32_t at = atomic_fetch_add_explicit(&room_cursor, 1, memory_order_relaxed) % SHELVES;
        struct shelf *const shelf = &shelves[at];
        if (atomic_load_explicit(&shelf->count, memory_order_relaxed) == 0) {
            continue;
        }
        if (shelf->used) {
            shelf->used = false; /* a hint: no lock */
            continue;
        }
        backend_free_chain(shelf_cut(at + SMALL_CLASSES, 1));
    }
}

/* A block of this class, or of the next. */
static inline void *shelf_take(unsigned class) {
    for (unsigned at = class - SMALL_CLASSES; at < SHELVES && at <= class - SMALL_CLASSES + 1; at++) {
        struct shelf *const shelf = &shelves[at];
        if (atomic_load_explicit(&shelf->count, memory_order_relaxed) == 0) {
            continue;
        }
        const bool locked = lock_take(&shelf->lock);
        void *const block = shelf->head;
        if (block != NULL) {
            shelf->head = list_next(block);
            shelf_count(shelf, UINT32_MAX);
            shelf->used = true;
            shelf->taken++;
        }
        lock_give(&shelf->lock, locked);
        if (block != NULL) {
            shared_subtract(class_bytes(at + SMALL_CLASSES));
            block_unmark(block);
            return block;
        }
    }
    return NULL;
}

/* Keeps a block at its slot's start. */
static inline void shelf_give(unsigned class, void *block, unsigned index) {
    struct shelf *const shelf = &shelves[class - SMALL_CLASSES];
    block_mark(block, index);
    const size_t bytes = shared_add(class_bytes(class));
    const bool locked = lock_take(&shelf->lock);
    list_link(block, shelf->head);
    shelf->head = block;
    shelf_count(shelf, 1);
    lock_give(&shelf->lock, locked);
    if (unlikely(bytes > shared_bound())) {
        shared_make_room();
    }
}

static struct chain depot_take(unsigned class) {
    struct depot *const depot = &depots[class];
    struct chain chain = {NULL, 0};
    if (atomic_load_explicit(&depot->count, memory_order_relaxed) == 0) {
        return chain;
    }
    const bool locked = lock_take(&depot->lock);
    const uint32_t count = atomic_load_explicit(&depot->count, memory_order_relaxed);
    if (count > 0) {
        chain = depot->chains[count - 1];
        depot->taken++;
        atomic_store_explicit(&depot->count, count - 1, memory_order_relaxed);
        if (count - 1 < depot->lowest) {
            depot->lowest = count - 1;
        }
    }
    lock_give(&depot->lock, locked);
    if (chain.count > 0) {
        shared_subtract(chain.count * class_bytes(class));
    }
    return chain;
}

/* Keeps a chain, or gives it back when there is no room. */
static void depot_give(unsigned class, struct chain chain) {
    struct depot *const depot = &depots[class];
    if (chain.head == NULL) {
        return;
    }
    const size_t bytes = chain.count * class_bytes(class);
    bool kept = false;
    if (shared_add(bytes) > shared_bound()) {
        shared_make_room();
    }
    if (atomic_load_explicit(&shared_bytes, memory_order_relaxed) <= shared_bound()) {
        const bool locked = lock_take(&depot->lock);
        const uint32_t count = atomic_load_explicit(&depot->count, memory_order_relaxed);
        kept = count < DEPOT_CHAINS;
        if (kept) {
            depot->chains[count] = chain;
            depot->given++;
            atomic_store_explicit(&depot->count, count + 1, memory_order_relaxed);
        }
        lock_give(&depot->lock, locked);
    }
    if (!kept) {
        shared_subtract(bytes);
        backend_free_chain(chain);
    }
}

/* Gives back everything that was never wanted since the last upkeep: half of it, so that a slow rhythm is not
 * mistaken for the end; or, for `malloc_trim` and when memory is short, all that is here. */
static SLOW bool shared_release(bool everything) {
    bool any = false;
    for (unsigned class = 0; class < SMALL_CLASSES; class ++) {
        struct depot *const depot = &depots[class];
        uint32_t wanted = everything ? DEPOT_CHAINS : (depot->lowest + 1) / 2;
        for (; wanted > 0; wanted--) {
            const struct chain chain = depot_take(class);
            if (chain.head == NULL) {
                break;
            }
            backend_free_chain(chain);
            any = true;
        }
        depot->lowest = atomic_load_explicit(&depot->count, memory_order_relaxed);
    }
    for (unsigned at = 0; at < SHELVES; at++) {
        struct shelf *const shelf = &shelves[at];
        const uint32_t wanted = everything ? UINT32_MAX : (shelf->lowest + 1) / 2;
        if (wanted > 0 && atomic_load_explicit(&shelf->count, memory_order_relaxed) > 0) {
            const struct chain cut = shelf_cut(at + SMALL_CLASSES, wanted);
            any |= cut.head != NULL;
            backend_free_chain(cut);
        }
        shelf->lowest = atomic_load_explicit(&shelf->count, memory_order_relaxed);
    }
    return any;
}

/* In a child of fork, which holds all locks: blocks that other threads had counted and were about to put
 * here, or had taken and were about to count, are lost to it, and must not narrow the bound for ever. */
static void shared_recount(void) {
    size_t bytes = 0;
    for (unsigned class = 0; class < SMALL_CLASSES; class ++) {
        for (uint32_t at = 0; at < depots[class].count; at++) {
            bytes += depots[class].chains[at].count * class_bytes(class);
        }
    }
    for (unsigned at = 0; at < SHELVES; at++) {
        bytes += shelves[at].count * class_bytes(at + SMALL_CLASSES);
    }
    shared_bytes = bytes;
}

/* Milliseconds, coarse: no system call. */
static inline uint64_t now(void) {
    struct timespec time = {0, 0};
    (void)KERNEL_CALL((clock_gettime)(CLOCK_MONOTONIC_COARSE, &time));
    return (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;
}

#endif
