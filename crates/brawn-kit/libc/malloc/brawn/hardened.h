/* The hardened build (BRAWN_HARDENED): what a program does wrong is found sooner, for some time and memory.
 *
 * - A block is as large as was asked for, to the byte, and the byte behind it is looked at when it is freed;
 *   the plain build lets a program have all of its slot.
 * - A freed block waits in its thread's quarantine, filled with a pattern. First it takes the place of a
 * block that is chosen at random, then it queues: so it comes back after QUARANTINE_QUEUE more such blocks,
 * in no order that can be predicted, and a write to it meanwhile is found when it leaves.
 * - Large blocks are unmapped at once, so a later use of one ends the program.
 *
 * Without BRAWN_HARDENED nothing of this is there. */
#ifndef BRAWN_HARDENED_H
#define BRAWN_HARDENED_H

#include "alloc.h"

#ifdef BRAWN_HARDENED

/* What a free block is filled with: no pointer, no small number, and no text. */
#ifndef QUARANTINE_FILL
#define QUARANTINE_FILL 0xd5
#endif

/* Where the block's slot ends. It is the caller's own, so as a rule there is nothing to check. */
static inline unsigned char *block_end(const void *block) {
    const struct header header = header_of(block);
    const struct group *const group =
        (const struct group *)((const unsigned char *)block - UNIT * (size_t)header.offset - UNIT);
    const unsigned class = header.wide == 0 ? meta_class(group->meta) : CLASSES;
    if (likely(class < SMALL_CLASSES && header.offset == header.index * __malloc_size_classes[class])) {
        return (unsigned char *)block + class_capacity(class);
    }
    return slot_of(block).end;
}

/* Makes `block` as large as was asked for. */
static void *block_set_size(void *block, size_t size) {
    if (block != NULL) {
        block_end_after(block, block_end(block), size);
    }
    return block;
}

/* malloc, where the slot's end follows from the class. */
static inline void *hardened_malloc(size_t size) {
    if (likely(size <= SMALL_LARGEST)) {
        const unsigned class = class_of_small(size);
        struct bin *const bin = bin_of(class);
        if (likely(bin->head != NULL)) {
            unsigned char *const block = bin_pop(bin);
            block_end_after(block, block + class_capacity(class), size);
            return block;
        }
    }
    return block_set_size(any_malloc(size), size);
}

/* As `small_look`, for a block that ends where was asked for. The header must agree with the class in all
 * that it says. */
static inline bool hardened_look(const unsigned char *block, unsigned *class, unsigned *index) {
    if (unlikely(!table_look(block, class))) {
        return false;
    }
    const struct header header = header_of(block);
    const size_t capacity = class_capacity(*class);
    const unsigned char *const end = block + capacity;
    uint32_t left = header.reserved;
    if (left == 5) {
        memcpy(&left, end - 4, sizeof left);
    }
    *index = header.index;
    return likely(header.wide == 0 && header.reserved < RESERVED_CACHED && *end == 0 && left <= capacity &&
                  end[-(ptrdiff_t)left] == 0 &&
                  header.offset == header.index * __malloc_size_classes[*class]);
}

/* 16 bytes of the pattern. The compiler may not know that they are all the same, or it makes calls of
 * memset. */
typedef uint64_t filling __attribute__((vector_size(UNIT)));

static inline uint64_t fill_word(void) {
    uint64_t fill = (uint64_t)QUARANTINE_FILL * 0x0101010101010101;
    __asm__("" : "+r"(fill));
    return fill;
}

/* Fills a slot, whose size is a multiple of 16 less 4. */
static inline void quarantine_fill(unsigned char *at, size_t size) {
    const uint64_t word = fill_word();
    const filling fill = {word, word};
    for (unsigned char *const end = at + size - (UNIT - IN_BAND); at < end; at += UNIT) {
        memcpy(at, &fill, UNIT);
    }
    memcpy(at, &word, 8);
    memcpy(at + 8, &word, 4);
}

/* Whether it is still filled. */
static inline bool quarantine_is_whole(const unsigned char *at, size_t size) {
    const uint64_t word = fill_word();
    const filling fill = {word, word};
    filling differences = {0, 0};
    for (const unsigned char *const end = at + size - (UNIT - IN_BAND); at < end; at += UNIT) {
        filling unit;
        memcpy(&unit, at, UNIT);
        differences |= unit ^ fill;
    }
    uint64_t last;
    uint32_t end;
    memcpy(&last, at, sizeof last);
    memcpy(&end, at + 8, sizeof end);
    return (differences[0] | differences[1] | (last ^ word) | (end ^ (uint32_t)word)) == 0;
}

/* A place among those whose turn is a matter of chance. */
static inline uint32_t quarantine_random(struct quarantine *quarantine) {
    quarantine->random = quarantine->random * 0x5851f42d4c957f2d + (list_turn(quarantine) | 1);
    return (uint32_t)(quarantine->random >> 32) / (UINT32_MAX / QUARANTINE_RANDOM + 1);
}

/* A block leaves: it must be as it came. */
static inline __attribute__((always_inline)) void quarantine_release(struct quarantine *quarantine,
                                                                     struct waiting it) {
    quarantine->bytes -= it.size;
    const unsigned index = block_marked(it.block);
    if (unlikely(index > 31 || !quarantine_is_whole(it.block, it.size))) {
        die("a free block was written to");
    }
    if (likely(it.class < SMALL_CLASSES)) {
        list_give(it.class, it.block, index);
        return;
    }
    block_take_all(it.block, index);
    front_free(it.block);
}

/* The one that has queued longest; there is one. */
static SLOW void quarantine_release_next(struct quarantine *quarantine) {
    quarantine_release(quarantine,
                       quarantine->queue[(quarantine->end - quarantine->queued--) % QUARANTINE_QUEUE]);
}

static SLOW void quarantine_release_at(struct quarantine *quarantine, uint32_t at) {
    const struct waiting it = quarantine->waiting[at];
    if (it.block != NULL) {
        quarantine->waiting[at].block = NULL;
        quarantine_release(quarantine, it);
    }
}

/* There are more bytes than may wait. */
static SLOW void quarantine_shrink(struct quarantine *quarantine, uint32_t place) {
    while (quarantine->bytes > QUARANTINE_BYTES && quarantine->queued > 0) {
        quarantine_release_next(quarantine);
    }
    for (uint32_t at = 1; quarantine->bytes > QUARANTINE_BYTES && at < QUARANTINE_RANDOM; at++) {
        quarantine_release_at(quarantine, (place + at) % QUARANTINE_RANDOM);
    }
}

static inline void quarantine_keep(struct quarantine *quarantine, struct waiting it) {
    const uint32_t place = quarantine_random(quarantine);
    const struct waiting displaced = quarantine->waiting[place];
    quarantine->waiting[place] = it;
    quarantine->bytes += it.size;
    if (unlikely(quarantine->bytes > QUARANTINE_BYTES)) {
        quarantine_shrink(quarantine, place);
    }
    if (displaced.block == NULL) {
        return;
    }
    struct waiting *const last = &quarantine->queue[quarantine->end++ % QUARANTINE_QUEUE], oldest = *last;
    *last = displaced;
    if (likely(quarantine->queued == QUARANTINE_QUEUE)) {
        quarantine_release(quarantine, oldest);
    } else {
        quarantine->queued++;
    }
}

/* All of it goes: the thread ends, or memory is short. */
static void quarantine_empty(struct quarantine *quarantine) {
    for (uint32_t at = 0; at < QUARANTINE_RANDOM; at++) {
        quarantine_release_at(quarantine, at);
    }
    while (quarantine->queued > 0) {
        quarantine_release_next(quarantine);
    }
}

/* What free does here. Whatever the block is, all checks are made now, but those of its group, which are made
 * when a list goes back; a block that is too large to wait, or whose thread has nothing of its own any more,
 * goes at once. */
static SLOW void quarantine_free_any(void *block) {
    const struct slot slot = slot_of(block);
    (void)slot_size(&slot, block);
    struct cache *cache = own;
    if (unlikely(cache == &cache_none)) {
        cache = cache_start();
    }
    const size_t size = (size_t)(slot.end - slot.start);
    if (size > QUARANTINE_LARGEST || cache == NULL || cache == &cache_closed) {
        front_free(block);
        return;
    }
    block = block_to_start(&slot, block);
    quarantine_fill(block, size);
    block_mark(block, slot.index);
    quarantine_keep(&cache->quarantine, (struct waiting){block, (uint32_t)size, CLASSES});
}

static inline void quarantine_free(void *block) {
    if (block == NULL) {
        return;
    }
    struct cache *const cache = own;
    unsigned class, index;
    if (unlikely(cache == &cache_none || cache == &cache_closed || !hardened_look(block, &class, &index))) {
        quarantine_free_any(block);
        return;
    }
    CLASS_IS_KNOWN(block, class, index);
    const size_t size = class_capacity(class);
    quarantine_fill(block, size);
    block_mark(block, index);
    quarantine_keep(&cache->quarantine, (struct waiting){block, (uint32_t)size, class});
}

static void quarantine_free_slot(const struct slot *slot, void *block) {
    (void)slot;
    quarantine_free(block);
}

static size_t quarantine_bytes(const struct cache *cache) {
    return cache->quarantine.bytes;
}

#else

#define quarantine_bytes(cache) 0
#define hardened_malloc(size) front_malloc(size)
#define block_set_size(block, size) (block)
#define quarantine_free(block) front_free(block)
#define quarantine_free_slot(slot, block) free_slot(slot, block)

#endif
#endif
