/* Which pages of the chunks are in use, and how many of those that are not may wait for who comes next.
 *
 * A chunk has two bits for each page: whether it is in use, and whether it was written to since it came
 * from the system. Who sets a page's bit in `used` owns it. Pages are taken by one thread at a time, under
 * `taking`, behind which no other lock is taken; they come back, and go back to the system, by any,
 * without a lock. So a fork at any moment costs the child what others were giving back at worst, and
 * `taking` is free there again. */
#ifndef BRAWN_CHUNKS_H
#define BRAWN_CHUNKS_H

#include <stdatomic.h>

#include "../../bits.h"
#include "large.h"

enum {
    ROOM_UNKNOWN = 255,      /* more than a chunk can have in a row */
    KEEP_SHARE = 16,         /* of the bytes in use, one in so many may lie in kept pages */
    MARGIN_SHARE = 64,       /* of the bytes in use, one in so many may be more than ever were */
    MARGIN_BASE = 768 << 10, /* or so many bytes */
    AGAIN_BASE = 1 << 20,    /* bytes of what went too early may be kept beyond the recent peak */
    AGAIN_SHARE = 32,        /* and of the peak's, one in so many */
    AGAIN_RATE = 32 << 10,   /* if it would need more bytes than these again in a millisecond */
    PURGE_REST = 2,          /* of the bound, may lie in chunks of which something is in use, until upkeep */
    PAGES_BACK = 100, /* milliseconds: who needs pages by then would have had use for those that went */
};

/* Bytes of kept pages, whatever is in use. Checks of the front end alone set it and the numbers below
 * smaller. */
#ifndef KEEP_BASE
#define KEEP_BASE ((size_t)128 << 10)
#endif

/* Where a chunk with a table says its own number: in what the table would have for itself. */
#ifndef CHUNK_NUMBER
#define CHUNK_NUMBER(start) (*(uint32_t *)(void *)(start))
#endif

/* So many stand together: few programs have more, and so touch one page of all that is told about chunks. */
enum { RACK = CHUNKS < 32 ? CHUNKS : 32 };

struct chunk {
    _Atomic(uint64_t) used[CHUNK_WORDS];
    _Atomic(uint64_t) dirty[CHUNK_WORDS];
};

struct rack {
    _Atomic(uintptr_t) base[RACK]; /* 0: this place is free, and its `used` full */
    _Atomic(uint8_t) room[RACK];   /* no run is longer, in pages; or ROOM_UNKNOWN */
    struct chunk chunks[RACK];
};

static struct {
    _Alignas(64) _Atomic(uint32_t) count; /* chunks that have a place */
    _Atomic(uint32_t) purging;            /* one thread at a time */
    _Atomic(size_t) dirty;                /* pages that are kept */
    _Atomic(size_t) next;                 /* so many kept pages are worth the next look at all chunks */
    _Atomic(size_t) gone;                 /* pages that went back to the system a moment ago */
    _Atomic(uint64_t) gone_since;
    _Atomic(size_t) back; /* of those, what the program came back for */
    struct refaults refaults;
    _Atomic(uint32_t) grown; /* by a chunk, since who looked last */
    uint32_t lowest;         /* no chunk before this one has room, as far as who takes pages knows */
    uint32_t taken;          /* how often */
    lock taking;             /* who takes pages */
    uintptr_t newest;        /* chunk */
    struct rack first;
    struct rack *more[CHUNKS / RACK]; /* each is there before `count` says so, and stays */
} pages;

static inline struct rack *rack_of(uint32_t number) {
    return number < RACK ? &pages.first : pages.more[number / RACK];
}

static inline struct chunk *chunk_of(uint32_t number) {
    return &rack_of(number)->chunks[number % RACK];
}

static inline _Atomic(uintptr_t) *base_of(uint32_t number) {
    return &rack_of(number)->base[number % RACK];
}

static inline _Atomic(uint8_t) *room_of(uint32_t number) {
    return &rack_of(number)->room[number % RACK];
}

static inline size_t page_count(size_t bytes) {
    return (bytes + PAGE - 1) / PAGE;
}

/* mallocng rounds what it unmaps. */
static inline size_t whole(size_t bytes) {
    return (bytes + PAGE - 1) / PAGE * PAGE;
}

static inline unsigned char *page_at(uint32_t number, size_t page) {
    return (unsigned char *)atomic_load_explicit(base_of(number), RELAXED) + page * PAGE;
}

/* Where at least `length` bits in a row are set, the lowest of each such row. */
static inline uint64_t runs_of(uint64_t bits, unsigned length) {
    for (unsigned have = 1; have < length;) {
        const unsigned step = have < length - have ? have : length - have;
        bits &= bits >> step;
        have += step;
    }
    return bits;
}

static inline uint64_t run_mask(unsigned at, unsigned length) {
    return (length == 64 ? ~(uint64_t)0 : ((uint64_t)1 << length) - 1) << at;
}

/* The bits of this word for the pages from `from` to before `to`. */
static inline uint64_t word_mask(unsigned word, size_t from, size_t to) {
    const size_t first = (size_t)64 * word, last = first + 64;
    const size_t begin = from > first ? from : first, end = to < last ? to : last;
    return begin >= end ? 0 : run_mask((unsigned)(begin - first), (unsigned)(end - begin));
}

/* Pages that were never touched, or are no more, for a program that may have given back such ones too early. */
static RARE void pages_missed(size_t fresh) {
    const size_t gone = RECENT_COUNTS ? atomic_load_explicit(&pages.gone, RELAXED) : 0;
    if (gone == 0 || fresh == 0) {
        return;
    }
    const uint64_t time = now();
    const bool lately = time - atomic_load_explicit(&pages.gone_since, RELAXED) <= PAGES_BACK;
    const size_t back = fresh < gone ? fresh : gone;
    atomic_store_explicit(&pages.gone, lately ? gone - back : 0, RELAXED);
    if (lately) {
        atomic_fetch_add_explicit(&pages.back, back, RELAXED);
        refaults_add(&pages.refaults, AGAIN_RATE, back * PAGE, time);
    }
}

static RARE void pages_went(size_t count) {
    const uint64_t time = now();
    const bool lately = time - atomic_load_explicit(&pages.gone_since, RELAXED) <= PAGES_BACK;
    const size_t before = lately ? atomic_load_explicit(&pages.gone, RELAXED) : 0;
    atomic_store_explicit(&pages.gone, before + count, RELAXED);
    atomic_store_explicit(&pages.gone_since, time, RELAXED);
}

/* A round of upkeep. */
static RARE void pages_decay(void) {
    const size_t back = atomic_load_explicit(&pages.back, RELAXED);
    atomic_store_explicit(&pages.back, back - back / RECENT_DECAY, RELAXED);
}

static inline size_t smaller(size_t one, size_t other) {
    return one < other ? one : other;
}

static inline size_t larger(size_t one, size_t other) {
    return one > other ? one : other;
}

/* Bytes of pages that went too early, and may stay from then on. */
static RARE size_t pages_again(void) {
    const size_t back = atomic_load_explicit(&pages.back, RELAXED) * PAGE;
    const size_t most = AGAIN_BASE + recent_read(&recent.peak) / AGAIN_SHARE;
    const size_t beyond = smaller(most, refaults_dear(&pages.refaults, AGAIN_RATE));
    return RECENT_COUNTS ? smaller(back, recent_room(beyond)) : 0;
}

/* Bytes of kept pages that cost little: as many as the program once used besides what it does now, and a few more. */
static RARE size_t pages_margin(void) {
    return recent_under(&recent.most) + larger(recent_share(MARGIN_SHARE), MARGIN_BASE);
}

/* So many pages may be kept. */
static RARE size_t pages_bound(void) {
    const size_t more = larger(larger(recent_slack(), recent_dropped()), pages_again());
    const size_t elsewhere = atomic_load_explicit(&large.bytes, RELAXED);
    const size_t rest = more > elsewhere ? more - elsewhere : 0;
    const size_t share = smaller(recent_share(KEEP_SHARE), pages_margin());
    return kept(larger(larger(rest, share), KEEP_BASE)) / PAGE;
}

/* How many may lie in chunks of which something is in use: beyond the bound, no more than cost little, and half of
 * what went too early before. */
static RARE size_t pages_rest(size_t bound) {
    const size_t room = (pages_margin() + pages_again() / 2) / PAGE, most = PURGE_REST * bound;
    return RECENT_COUNTS ? larger(bound, smaller(most, room)) : most;
}

/* They are zero now, or about to be. Anyone who calls this owns them. */
static RARE uint64_t pages_clean(uint32_t number, unsigned word, uint64_t mask) {
    const uint64_t dirty = atomic_fetch_and_explicit(&chunk_of(number)->dirty[word], ~mask, RELAXED) & mask;
    if (dirty != 0) {
        atomic_fetch_sub_explicit(&pages.dirty, (size_t)kit_popcount(dirty), RELAXED);
    }
    return dirty;
}

/* Of these pages those that make whole pages of the system, which have so many each. */
static inline uint64_t pages_of_system(uint64_t bits, unsigned unit) {
    const uint64_t one = run_mask(0, unit);
    return (runs_of(bits, unit) & UINT64_MAX / one) * one;
}

/* Comes to own the lowest run of so many unused pages in this word that begins at a multiple of `step`, if
 * there is one, and those that were used before come first. To purge by `unit` pages, it is a whole row of
 * such pages, of at least so many. */
static RARE uint64_t run_claim(struct chunk *chunk, unsigned word, unsigned length, unsigned step,
                               unsigned unit) {
    const uint64_t steps = UINT64_MAX / run_mask(0, step);
    uint64_t used = atomic_load_explicit(&chunk->used[word], RELAXED), mask;
    do {
        uint64_t dirty = ~used & atomic_load_explicit(&chunk->dirty[word], RELAXED);
        if (unit > 1) {
            dirty = pages_of_system(dirty, unit);
        }
        uint64_t starts = runs_of(dirty, length) & steps;
        if (starts == 0 && unit == 0) {
            starts = runs_of(~used, length) & steps;
        }
        if (starts == 0) {
            return 0;
        }
        const unsigned at = (unsigned)__builtin_ctzll(starts);
        mask = run_mask(at, length);
        if (unit > 0) {
            /* Adding carries through the row of ones that begins here. */
            mask = dirty & ~(dirty + (starts & -starts));
        }
    } while (!atomic_compare_exchange_weak_explicit(&chunk->used[word], &used, used | mask,
                                                    memory_order_acquire, RELAXED));
    return mask;
}

/* Their owner has them no longer. */
static RARE void run_release(uint32_t number, unsigned word, uint64_t mask) {
    atomic_fetch_and_explicit(&chunk_of(number)->used[word], ~mask, memory_order_release);
    atomic_store_explicit(room_of(number), ROOM_UNKNOWN, RELAXED);
}

/* Comes to own these pages, if no one has any of them. Says how many were written to before. */
static RARE bool pages_claim(uint32_t number, size_t from, size_t to, size_t *dirty) {
    struct chunk *const chunk = chunk_of(number);
    unsigned word = 0;
    for (; word < CHUNK_WORDS; word++) {
        const uint64_t mask = word_mask(word, from, to);
        const uint64_t before =
            atomic_fetch_or_explicit(&chunk->used[word], mask, memory_order_acquire) & mask;
        if (before != 0) {
            atomic_fetch_and_explicit(&chunk->used[word], before | ~mask, RELAXED);
            break;
        }
    }
    if (word < CHUNK_WORDS) {
        while (word-- > 0) {
            atomic_fetch_and_explicit(&chunk->used[word], ~word_mask(word, from, to), RELAXED);
        }
        return false;
    }
    *dirty = 0;
    for (word = 0; word < CHUNK_WORDS; word++) {
        *dirty += (size_t)kit_popcount(pages_clean(number, word, word_mask(word, from, to)));
    }
    return true;
}

#endif
