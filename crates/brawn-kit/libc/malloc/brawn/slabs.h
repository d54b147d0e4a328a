/* Slots of slabs, many at a time, in the plain build: a list is filled from the bits of a slab and given
 * back into them, under one lock. A class that has little lies in pieces of pages that it shares with
 * others; a slab of its own comes with more. A slab whose slots are all free gives its pages back. */
#ifndef BRAWN_SLABS_H
#define BRAWN_SLABS_H

#include "pages.h"

#ifdef SLABS

enum {
    YOUNG_BYTES = 1024, /* in pieces, of one class */
    YOUNG_FREES =
        128, /* of its blocks in pieces: a class that is used so often has slabs, which are faster */
};

static struct {
    _Alignas(64) lock lock;
    struct slab *free[SIZES];    /* slabs that have free slots */
    struct slab *of_pieces;      /* every page of pieces */
    uint32_t count[SMALL_SIZES]; /* slabs */
    uint16_t young[SMALL_SIZES]; /* bytes in pieces */
    _Atomic(uint8_t)
        freed[SMALL_SIZES]; /* blocks in pieces: up to YOUNG_FREES, as far as threads do not overtake */
} slabs;

/* For the checks of the front end alone: who reads or changes lists of slabs has the lock. */
#ifndef SLABS_LOCKED
#define SLABS_LOCKED() ((void)0)
#endif

/* Slots that belong to who has this. */
struct taken {
    unsigned char *start;
    uint64_t slots[SLAB_WORDS];
    unsigned count;
    unsigned begun; /* those before this one were taken before, and given back */
};

/* Who gives up slots is done with them. One that was written to since then, or is in use because it was
 * freed twice, does not say any more that it is free. */
static inline void slot_is_whole(const struct taken *taken, unsigned slot, const void *block) {
    if (unlikely(slot < taken->begun && !block_is_marked(block))) {
        die("a free block was written to");
    }
}

static SLOW void slab_enter(struct slab **list, struct slab *slab) {
    SLABS_LOCKED();
    slab->previous = NULL;
    slab->next = *list;
    if (*list != NULL) {
        (*list)->previous = slab;
    }
    *list = slab;
}

static SLOW void slab_leave(struct slab **list, struct slab *slab) {
    SLABS_LOCKED();
    *(slab->previous != NULL ? &slab->previous->next : list) = slab->next;
    if (slab->next != NULL) {
        slab->next->previous = slab->previous;
    }
}

/* Pages that tell of a slab, or NULL. */
static RARE unsigned char *slab_pages_map(unsigned told, unsigned others, unsigned count) {
    if (__atomic_load_n(&secrets.list, __ATOMIC_RELAXED) == 0) {
        secrets_start();
    }
    /* Of a small class, aligned to its size. */
    unsigned char *const start =
        pages_take((size_t)count * PAGE, count, told <= SMALL_SIZES ? FOR_SLAB_ALIGNED : FOR_SLAB);
    if (start != NULL) {
        recent_grow((size_t)count * PAGE);
        unsigned char *const tell = &head_of(start)->told[page_in_chunk(start)];
        memset(tell, (int)others, count);
        *tell = (unsigned char)told;
    }
    return start;
}

/* No one knows of the slab any more. */
static RARE void slab_pages_unmap(const void *start, unsigned count) {
    union chunk_head *const head = head_of(start);
    const size_t first = page_in_chunk(start);
    memset(&head->told[first], 0, count);
    recent_shrink((size_t)count * PAGE);
    pages_release(CHUNK_NUMBER(head), first, first + count);
}

/* A slab of which nothing is set but what its pages tell. */
static RARE struct slab *slab_map(unsigned told, unsigned count) {
    const unsigned char *const start = slab_pages_map(told, told, count);
    if (start == NULL) {
        return NULL;
    }
    struct slab *const slab = &head_of(start)->slabs[page_in_chunk(start)];
    memset(slab, 0, sizeof *slab);
    for (unsigned page = 0; page < count; page++) {
        slab[page].before = page;
    }
    return slab;
}

/* A block that is alone on its pages, or NULL. */
static RARE void *alone_take(unsigned class, unsigned count) {
    return slab_pages_map(class + 1, INSIDE, count);
}

/* The first `wanted` set bits, or all. */
static inline uint64_t bits_take(uint64_t *from, unsigned *wanted) {
    const uint64_t all = *from;
    uint64_t left = all;
    for (; left != 0 && *wanted > 0; --*wanted) {
        left &= left - 1;
    }
    *from = left;
    return all & ~left;
}

/* The caller has the lock, or is the only one who knows the slab, which has free slots. */
static SLOW void slab_take(struct slab *slab, unsigned wanted, struct taken *taken) {
    const unsigned before = wanted;
    taken->start = slab_start(slab);
    for (unsigned word = 0; word < SLAB_WORDS; word++) {
        taken->slots[word] = bits_take(&slab->free[word], &wanted);
    }
    taken->count = before - wanted;
    taken->begun = slab->begun;
    for (unsigned word = SLAB_WORDS; word-- > 0;) {
        if (taken->slots[word] != 0) {
            const unsigned end = 64 * (word + 1) - (unsigned)__builtin_clzll(taken->slots[word]);
            slab->begun = (uint16_t)(end > slab->begun ? end : slab->begun);
            break;
        }
    }
    slab->free_count = (uint16_t)(slab->free_count - taken->count);
}

/* The fewest pages that slots of so many bytes fill well. */
static RARE unsigned medium_slab_pages(unsigned bytes) {
    unsigned all = (bytes + PAGE - 1) / PAGE * PAGE;
    while (all % bytes * SLAB_WASTE > all) {
        all += PAGE;
    }
    return all / PAGE;
}

static RARE struct slab *slab_make(unsigned class) {
    const unsigned bytes = (unsigned)class_bytes(class);
    const unsigned count =
        class < SMALL_SIZES ? (small_sizes[class].mask + 1) / PAGE : medium_slab_pages(bytes);
    unsigned slots = count * PAGE / bytes;
    struct slab *const slab = slab_map(class + 1, count);
    if (slab != NULL) {
        slab->class = (unsigned char)class;
        slab->pages = (unsigned char)count;
        slab->slots = slab->free_count = (uint16_t)slots;
        for (unsigned word = 0; word < SLAB_WORDS && slots > 64 * word; word++) {
            const unsigned more = slots - 64 * word;
            slab->free[word] = run_mask(0, more < 64 ? more : 64);
        }
    }
    return slab;
}

static inline unsigned piece_count(size_t bytes) {
    return (unsigned)((bytes + PIECE - 1) / PIECE);
}

/* Whether this class may have pieces that it does not have yet. */
static inline bool is_young(unsigned class) {
    return class < SMALL_SIZES && slabs.count[class] == 0 && slabs.freed[class] < YOUNG_FREES &&
           slabs.young[class] + piece_count(class_bytes(class)) * PIECE <= YOUNG_BYTES;
}

/* The slots of a piece, which say that they are free from the start: all of it is touched with its first
 * block. */
static RARE uint16_t piece_begin(unsigned char *start, unsigned pieces, size_t bytes) {
    const unsigned slots = pieces > 1 ? 1 : PIECE / (unsigned)bytes;
    for (unsigned slot = 0; slot < slots; slot++) {
        block_mark(start + slot * bytes, 0);
    }
    return (uint16_t)run_mask(0, slots);
}

/* The first piece of this class with a free slot, or PIECES. */
static RARE unsigned piece_find(const struct slab *slab, unsigned class) {
    unsigned at = 0;
    while (at < PIECES && (slab->piece_class[at] != class + 1 || slab->piece_free[at] == 0)) {
        at++;
    }
    return at;
}

/* Makes unused pieces this class's. A block of 512 or 1,024 bytes is aligned to them. */
static RARE unsigned piece_make(struct slab *slab, unsigned class, size_t bytes) {
    const unsigned pieces = piece_count(bytes), step = pieces == 3 ? 1 : pieces;
    for (unsigned at = 0; at + pieces <= PIECES; at += step) {
        unsigned unused = 0;
        while (unused < pieces && slab->piece_class[at + unused] == 0) {
            unused++;
        }
        if (unused == pieces) {
            memset(&slab->piece_class[at], GOES_ON, pieces);
            slab->piece_class[at] = (unsigned char)(class + 1);
            slab->piece_free[at] = piece_begin(slab_start(slab) + at * PIECE, pieces, bytes);
            slabs.young[class] = (uint16_t)(slabs.young[class] + pieces * PIECE);
            return at;
        }
    }
    return PIECES;
}

/* Slots of this class's pieces. The caller has the lock. */
static RARE bool pieces_take(unsigned class, unsigned wanted, struct taken *taken) {
    SLABS_LOCKED();
    const size_t bytes = class_bytes(class);
    for (int anew = 0; anew <= is_young(class); anew++) {
        for (struct slab *slab = slabs.of_pieces; slab != NULL; slab = slab->next) {
            const unsigned at = anew ? piece_make(slab, class, bytes) : piece_find(slab, class);
            if (at < PIECES) {
                const unsigned before = wanted;
                uint64_t free = slab->piece_free[at];
                *taken = (struct taken){.start = slab_start(slab) + at * PIECE, .begun = SLAB_SLOTS};
                taken->slots[0] = bits_take(&free, &wanted);
                taken->count = before - wanted;
                slab->piece_free[at] = (uint16_t)free;
                return true;
            }
        }
    }
    return false;
}

/* Takes so many slots of this class, or at least one. */
static SLOW bool slots_take(unsigned class, unsigned wanted, struct taken *taken) {
    for (;;) {
        bool locked = lock_take(&slabs.lock);
        struct slab *slab = slabs.free[class];
        bool found = slab != NULL;
        if (found) {
            slab_take(slab, wanted, taken);
            if (slab->free_count == 0) {
                slab_leave(&slabs.free[class], slab);
            }
        } else if (class < SMALL_SIZES) {
            found = pieces_take(class, wanted, taken);
        }
        const bool young = !found && is_young(class);
        lock_give(&slabs.lock, locked);
        if (found) {
            return true;
        }
        slab = young ? slab_map(OF_PIECES, 1) : slab_make(class);
        if (slab == NULL) {
            return false;
        }
        if (!young) {
            slab_take(slab, wanted, taken);
        }
        locked = lock_take(&slabs.lock);
        if (young) {
            slab_enter(&slabs.of_pieces, slab);
        } else {
            if (class < SMALL_SIZES) {
                slabs.count[class]++;
            }
            if (slab->free_count > 0) {
                slab_enter(&slabs.free[class], slab);
            }
        }
        lock_give(&slabs.lock, locked);
        if (!young) {
            return true;
        }
    }
}

/* Which slot begins so many bytes from the first of this class. */
static inline unsigned slot_at(size_t offset, unsigned class) {
    return class < SMALL_SIZES ? (unsigned)(offset * small_sizes[class].reciprocal >> 32)
                               : (unsigned)offset / (unsigned)class_bytes(class);
}

static inline void slot_is_in_use(bool free) {
    if (unlikely(free)) {
        die_of_second_free();
    }
}

/* A slot of a page of pieces is free. Whether all of the page is. */
static RARE bool piece_give(struct slab *slab, const void *block) {
    const unsigned at = (unsigned)((uintptr_t)block % PAGE / PIECE), class = slab->piece_class[at] - 1u;
    if (unlikely(class >= SMALL_SIZES)) {
        die_of_address();
    }
    const size_t bytes = class_bytes(class);
    const unsigned pieces = piece_count(bytes), slots = pieces > 1 ? 1 : PIECE / (unsigned)bytes;
    const unsigned slot = slot_at((uintptr_t)block % PIECE, class);
    slot_is_in_use(slot >= slots || (slab->piece_free[at] >> slot & 1) != 0);
    slab->piece_free[at] = (uint16_t)(slab->piece_free[at] | 1u << slot);
    if (slab->piece_free[at] != (uint16_t)run_mask(0, slots)) {
        return false;
    }
    memset(&slab->piece_class[at], 0, pieces);
    slabs.young[class] = (uint16_t)(slabs.young[class] - pieces * PIECE);
    static const unsigned char none[PIECES];
    return memcmp(slab->piece_class, none, PIECES) == 0;
}

/* A slot is free. Whether all of its slab is, which then is in no list. */
static SLOW bool slot_give(struct slab *slab, unsigned told, const void *block) {
    SLABS_LOCKED();
    if (told == OF_PIECES) {
        const bool unused = piece_give(slab, block);
        if (unused) {
            slab_leave(&slabs.of_pieces, slab);
        }
        return unused;
    }
    const unsigned class = slab->class;
    const unsigned slot = slot_at((size_t)((const unsigned char *)block - slab_start(slab)), class);
    const uint64_t bit = (uint64_t)1 << slot % 64;
    slot_is_in_use(told != class + 1u || slot >= slab->slots || (slab->free[slot / 64] & bit) != 0);
    slab->free[slot / 64] |= bit;
    if (slab->free_count++ == 0) {
        slab_enter(&slabs.free[class], slab);
    }
    if (slab->free_count < slab->slots) {
        return false;
    }
    slab_leave(&slabs.free[class], slab);
    if (class < SMALL_SIZES) {
        slabs.count[class]--;
    }
    return true;
}

/* Gives back a list. */
static SLOW void chain_give(struct chain chain) {
    COUNT(returned_blocks, chain.count);
    /* The blocks of a program that frees in no order lie in as many slabs. Their records are fetched here all
     * at once, and without the lock. */
    for (const void *block = chain.head; block != NULL; block = list_next(block)) {
        __builtin_prefetch(&head_of(block)->slabs[page_in_chunk(block)], 1);
    }
    struct slab *empty = NULL;
    void *alone = NULL;
    const bool locked = lock_take(&slabs.lock);
    while (chain.head != NULL) {
        void *const block = chain.head;
        chain.head = list_next(block);
        unsigned told = page_told(block);
        if (unlikely(!block_is_marked(block) || told == 0)) {
            die("a free block was written to");
        }
        if (told - SMALL_SIZES - 1 < SHELVES && alone_pages(told - 1) != 0) {
            list_link(block, alone);
            alone = block;
            continue;
        }
        struct slab *const slab = slab_of(block, &told);
        if (slot_give(slab, told, block)) {
            slab->next = empty;
            empty = slab;
        }
    }
    lock_give(&slabs.lock, locked);
    while (empty != NULL) {
        struct slab *const slab = empty;
        empty = slab->next;
        const unsigned char *const start = slab_start(slab);
        slab_pages_unmap(start, page_told(start) == OF_PIECES ? 1 : slab->pages);
    }
    while (alone != NULL) {
        const void *const block = alone;
        alone = list_next(block);
        slab_pages_unmap(block, alone_pages(page_told(block) - 1));
    }
}

/* A block that no list has. */
static RARE void block_give(void *block) {
    block_mark(block, 0);
    list_link(block, NULL);
    chain_give((struct chain){block, 1});
}

/* A block in a piece is freed: whether a list may have it. */
static inline bool piece_is_kept(unsigned class) {
    const uint8_t freed = atomic_load_explicit(&slabs.freed[class], RELAXED);
    if (freed < YOUNG_FREES) {
        atomic_store_explicit(&slabs.freed[class], freed + 1, RELAXED);
    }
    return freed < YOUNG_FREES;
}

#endif
#endif
