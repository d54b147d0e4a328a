/* Chunks, and which there are. That is told by `chunk_tags`: a chunk has one place in it, by its address.
 * A chunk that is not aligned, or whose place is taken, has no entry: there are no slabs in it, and blocks
 * of the hardened build take the long way. No address space is held in reserve.
 *
 * In the hardened build a chunk begins with a table, from an address to the class of the block that begins
 * there, without a look at the block: a byte for each GRAIN of its own bytes, with a class and the halves
 * of the grain in which a block of it begins. A grain has blocks of one class, because all but the
 * smallest are no shorter. What may follow one of those in its grain is the next block of its group;
 * behind the last of a group a block of another class may begin, and so that last one does not stand in
 * the table. Only blocks that the front end has taken from mallocng stand there, in its lists or in use,
 * at the start of a small slot; when one goes back, it is taken out. So an address that is no such block's
 * has no class here, and takes the long way by the header, with all of mallocng's checks (layout.h).
 *
 * Two blocks of the smallest class share a grain, and may belong to two threads. Of every other class one
 * begins there at most, and its byte belongs to who has the block. */
#ifndef BRAWN_ADDRESS_H
#define BRAWN_ADDRESS_H

#include "layout.h"

/* A chunk of 256 pages is 1 MiB as a rule, less than a huge page, so that none comes unasked. Beyond so many
 * chunks blocks are mallocng's, and each of its groups has a mapping of its own. Checks of the front end alone set them smaller. */
#ifndef CHUNKS
#define CHUNKS 65536
#define CHUNK_WORDS 4
#define TAGS ((uint32_t)1 << 16) /* so that to take a number modulo this is one instruction */
#endif

enum {
    GRAIN = 2 * UNIT,
    CHUNK_PAGES = 64 * CHUNK_WORDS,
    CHUNK_BYTES = CHUNK_PAGES * PAGE,
#ifdef SLABS
    HEAD_SHARE = 64, /* of a chunk, one page in so many is its head (slab.h) */
#else
    HEAD_SHARE = GRAIN, /* or the table below */
#endif
    HEAD_PAGES = CHUNK_PAGES / HEAD_SHARE,
    CLASS_BITS = 31, /* in a byte of the table; its highest two bits are for the halves of the grain */
    FIRST_HALF = 64,
};

/* The numbers of chunks that have a table, counted from address 0; 0 where there is none. */
static uint32_t chunk_tags[TAGS];

static inline uint32_t chunk_tag(const void *place) {
    return (uint32_t)((uintptr_t)place / CHUNK_BYTES);
}

static inline bool has_table(const void *place) {
    const uint32_t tag = chunk_tag(place);
    return __atomic_load_n(&chunk_tags[tag % TAGS], __ATOMIC_RELAXED) == tag;
}

static RARE void tag_set(const void *chunk) {
    uint32_t none = 0;
    (void)__atomic_compare_exchange_n(&chunk_tags[chunk_tag(chunk) % TAGS], &none, chunk_tag(chunk), false,
                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

static RARE void tag_clear(const void *chunk) {
    uint32_t tag = chunk_tag(chunk);
    (void)__atomic_compare_exchange_n(&chunk_tags[tag % TAGS], &tag, 0, false, __ATOMIC_RELAXED,
                                      __ATOMIC_RELAXED);
}

#ifndef SLABS
static inline unsigned char *table_byte(const void *place) {
    const uintptr_t address = (uintptr_t)place;
    return (unsigned char *)((address & -(uintptr_t)CHUNK_BYTES) + address % CHUNK_BYTES / GRAIN);
}

/* FIRST_HALF, or twice as much for a block that begins in the grain's second half. */
static inline unsigned char table_half(const void *block) {
    return (unsigned char)(FIRST_HALF + (uintptr_t)block % GRAIN * (FIRST_HALF / UNIT));
}

/* Whether a block of the front end begins here, and of which class. */
static inline bool table_look(const void *block, unsigned *class) {
    if ((uintptr_t)block % UNIT != 0 || !has_table(block)) {
        return false;
    }
    const unsigned char byte = __atomic_load_n(table_byte(block), __ATOMIC_RELAXED);
    *class = byte & CLASS_BITS;
    return (byte & table_half(block)) != 0;
}

/* A block comes from mallocng. */
static inline void class_enter(void *block, const struct meta *meta, unsigned index, unsigned class) {
    if (has_table(block) && (class != 0 || index != meta_last_index(meta))) {
        unsigned char *const byte = table_byte(block);
        const unsigned char half = table_half(block);
        if (class == 0) {
            __atomic_fetch_or(byte, half, __ATOMIC_RELAXED);
        } else {
            __atomic_store_n(byte, (unsigned char)(class | half), __ATOMIC_RELAXED);
        }
    }
}

/* A block of this class goes back to mallocng. */
static inline void class_leave(void *block, unsigned class) {
    if (has_table(block)) {
        unsigned char *const byte = table_byte(block);
        if (class == 0) {
            __atomic_fetch_and(byte, (unsigned char)~table_half(block), __ATOMIC_RELAXED);
        } else {
            __atomic_store_n(byte, 0, __ATOMIC_RELAXED);
        }
    }
}

/* The same, where it may stand here or not. */
static RARE void class_forget(void *block) {
    unsigned class;
    if (table_look(block, &class)) {
        class_leave(block, class);
    }
}

#endif
#endif
