/* Large blocks, each a mapping of its own for mallocng: a run of a chunk, or the kernel's (pages.h). To
 * map, fault in and unmap each is what makes a compiler slow, above all with threads, where every munmap
 * interrupts the other processors. So a few stay, by their number, by their bytes in relation to what the
 * program has in use, and for a second at most while it is active. */
#ifndef BRAWN_LARGE_H
#define BRAWN_LARGE_H

#include "shared.h"

enum {
    LARGE_ENTRIES = 32,
    LARGE_AGE = 1000, /* milliseconds */
    LARGE_SHARE = 16, /* of the bytes in use, one in so many may lie here on top of the base */
    LARGE_WASTE = 4,  /* a block may be larger than asked for by one in so many */
    LARGE_GONE = 8,   /* blocks that went a moment ago */
    LARGE_BACK = 100, /* milliseconds: who comes back for one of them by then would have had use for it */
};

/* A block of so many bytes that grows moves to a kept mapping, if there is one: to copy it is faster than to
 * fault in as much as it grows by. */
#define LARGE_COPY ((size_t)1 << 20)

/* Who grows a block by less than one in so many of its bytes will grow it again, and again. Such a block
 * leaves its chunk for a mapping of its own, which the kernel moves: in a chunk each step would copy all
 * of it. It takes addresses ahead, so that not every step is a system call. No memory: that comes when it
 * is touched. */
#define LARGE_STEP 2
#define LARGE_AHEAD ((size_t)4 << 20)

/* A program that copies one thing again and again, and drops the copy each time, comes back for what it has just
 * freed, of whatever size. That much may stay from then on, as long as it is used (`back`). */
#define LARGE_BASE ((size_t)1 << 20)
#ifdef BRAWN_HARDENED
#define LARGE_CEILING ((size_t)PAGE) /* less than any of them: who uses a freed one shall not find it */
#else
#define LARGE_CEILING ((size_t)64 << 20)
#endif

/* Beyond the recent peak, where it is up to an eighth more, it stays only for a program that would need so many bytes
 * again in a millisecond: their page faults cost a processor 2 to 5 % of its time. */
#define LARGE_RATE ((size_t)128 << 10)

struct large_entry {
    void *block;
    size_t capacity;
    uint64_t since;
};

/* A block that did not stay. */
struct large_gone {
    size_t capacity;
    uint64_t since;
};

static struct {
    _Alignas(64) lock lock;
    uint32_t count;
    _Atomic(size_t) bytes; /* of the entries, which are the first `count`, the oldest first */
    size_t in_use; /* bytes in such blocks that the program has; blocks of libc's own come and go unseen */
    struct large_entry entries[LARGE_ENTRIES];
    struct large_gone gone[LARGE_GONE];
    struct refaults refaults;
    bool back_used;
    size_t back;     /* bytes */
    uint64_t growth; /* when the program last needed more memory than before */
} large;

/* So many addresses more. */
static inline size_t large_ahead(size_t size) {
#ifdef BRAWN_HARDENED
    (void)size; /* it ends where it was asked to */
    return 0;
#else
    return size / 8 < LARGE_AHEAD ? size / 8 : LARGE_AHEAD;
#endif
}

static inline size_t large_bound(void) {
    const size_t room = recent_room(refaults_dear(&large.refaults, LARGE_RATE));
    const size_t back = large.back < room ? large.back : room;
    const size_t usual = LARGE_BASE + large.in_use / LARGE_SHARE;
    const size_t bound = kept(usual > back ? usual : back);
    return bound < LARGE_CEILING ? bound : LARGE_CEILING;
}

static RARE void large_in_use(size_t gone, size_t come) {
    large.in_use += come - (gone < large.in_use ? gone : large.in_use);
}

/* Whether a block of this capacity serves a request. */
static inline bool large_serves(size_t capacity, size_t size) {
    return capacity >= size && capacity - size <= size / LARGE_WASTE;
}

/* It takes the place of one that went too long ago, or else of the smallest, unless that is larger. */
static RARE void large_goes(size_t capacity, uint64_t time) {
    struct large_gone *place = &large.gone[0];
    for (uint32_t at = 0; at < LARGE_GONE; at++) {
        struct large_gone *const gone = &large.gone[at];
        if (time - gone->since > LARGE_BACK) {
            gone->capacity = 0;
        }
        if (gone->capacity < place->capacity) {
            place = gone;
        }
    }
    if (RECENT_COUNTS && capacity > place->capacity) {
        *place = (struct large_gone){capacity, time};
    }
}

/* A request for which nothing is kept. Of what went a moment ago, the largest would have had use. */
static RARE void large_missed(size_t size, uint64_t time) {
    struct large_gone *most = NULL;
    for (struct large_gone *gone = large.gone; gone < large.gone + LARGE_GONE; gone++) {
        if (time - gone->since <= LARGE_BACK && (most == NULL || gone->capacity > most->capacity)) {
            most = gone;
        }
    }
    if (most != NULL && most->capacity > 0) {
        const size_t back = most->capacity < size ? most->capacity : size;
        large.back += back < LARGE_CEILING - large.back ? back : 0;
        large.back_used = true;
        refaults_add(&large.refaults, LARGE_RATE, back, time);
        most->capacity = 0;
    }
}

static RARE void *large_take_entry(uint32_t at) {
    void *const block = large.entries[at].block;
    large.bytes -= large.entries[at].capacity;
    large.count--;
    recent_grow(large.entries[at].capacity);
    memmove(&large.entries[at], &large.entries[at + 1], (large.count - at) * sizeof large.entries[0]);
    return block;
}

/* Takes out the oldest entry if it is from before `since`, or too much with `coming` bytes more. */
static RARE void *large_expire(uint64_t time, size_t coming, uint64_t since) {
    if (large.count == 0) {
        return NULL;
    }
    if (large.entries[0].since < since) {
        return large_take_entry(0);
    }
    if (large.bytes + coming > large_bound() || large.count == LARGE_ENTRIES) {
        large_goes(large.entries[0].capacity, time);
        return large_take_entry(0);
    }
    return NULL;
}

static inline uint64_t large_age(uint64_t time) {
    return time > LARGE_AGE ? time - LARGE_AGE : 0;
}

/* Unmaps what has expired, one by one and without the lock, which others may want meanwhile. */
static RARE bool large_release(uint64_t since) {
    const uint64_t time = now();
    bool any = false;
    for (;;) {
        const bool locked = lock_take(&large.lock);
        void *const block = large_expire(time, 0, since);
        lock_give(&large.lock, locked);
        if (block == NULL) {
            return any;
        }
        any = true;
        header_unmark(block);
        __libc_free(block);
    }
}

/* A round of upkeep. */
static RARE void large_upkeep(uint64_t time) {
    const bool locked = lock_take(&large.lock);
    large.back = large.back_used ? large.back : 0;
    large.back_used = false;
    lock_give(&large.lock, locked);
    (void)large_release(large_age(time));
}

/* The program needs more memory than it ever had. What nobody has asked for since it last did serves better as
 * part of that. */
static RARE void large_growth(uint64_t time) {
    const bool locked = lock_take(&large.lock);
    const uint64_t before = large.growth;
    large.growth = time;
    lock_give(&large.lock, locked);
    (void)large_release(before);
}

/* Which entry serves best: the smallest that is large enough and not much too large, or else, if others do as
 * well, the one whose size is nearest, and of which no more than half would be lost. */
static RARE uint32_t large_find(size_t size, bool any) {
    uint32_t best = LARGE_ENTRIES;
    size_t best_off = SIZE_MAX;
    for (uint32_t at = 0; at < large.count; at++) {
        const size_t capacity = large.entries[at].capacity;
        const bool serves = large_serves(capacity, size);
        const size_t off = serves            ? capacity - size
                           : capacity > size ? PTRDIFF_MAX / 2 + capacity - size
                                             : PTRDIFF_MAX / 2 + size - capacity;
        if ((serves || (any && capacity <= size + size / 2)) && off < best_off) {
            best = at;
            best_off = off;
        }
    }
    return best;
}

/* A kept mapping for so many bytes, or NULL. Of `any` size: then it may still have to be resized, and `capacity`
 * is what it has. */
static RARE void *large_take(size_t size, bool any, size_t *capacity) {
    const uint64_t time = now();
    void *block = NULL;
    const bool locked = lock_take(&large.lock);
    const uint32_t best = large_find(size, any);
    if (best != LARGE_ENTRIES) {
        *capacity = large.entries[best].capacity;
        large_in_use(0, *capacity);
        block = large_take_entry(best);
        large.back_used = true;
    } else if (any) {
        large_missed(size, time);
    }
    lock_give(&large.lock, locked);
    if (block == NULL) {
        COUNT(large_misses, 1);
        return NULL;
    }
    COUNT(large_hits, 1);
    header_unmark(block);
    return block;
}

static RARE void large_resized(size_t before, size_t after) {
    const bool locked = lock_take(&large.lock);
    large_in_use(before, after);
    lock_give(&large.lock, locked);
}

static RARE void large_give(void *block, size_t capacity) {
    const uint64_t time = now();
    header_mark(block, 0);
    /* First, as the bound is what may be kept when it is no longer in use. */
    recent_shrink(capacity);
    bool locked = lock_take(&large.lock);
    large_in_use(capacity, 0);
    if (capacity <= large_bound()) {
        void *expired;
        while ((expired = large_expire(time, capacity, large_age(time))) != NULL) {
            lock_give(&large.lock, locked);
            header_unmark(expired);
            __libc_free(expired);
            locked = lock_take(&large.lock);
        }
        large.entries[large.count++] = (struct large_entry){block, capacity, time};
        large.bytes += capacity;
        block = NULL;
    } else {
        large_goes(capacity, time);
    }
    lock_give(&large.lock, locked);
    if (block != NULL) {
        recent_grow(capacity); /* which it counts down itself */
        header_unmark(block);
        __libc_free(block);
    }
}

#endif
