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

/* Whether a slot is still filled. Its size is a multiple of 16 less 4; the loop has no way out, so that the
 * compiler can make vectors of it. */
static bool quarantine_is_whole(const unsigned char *start, size_t size) {
    const uint64_t fill = (uint64_t)QUARANTINE_FILL * 0x0101010101010101;
    uint64_t words[2], differences = 0;
    uint32_t last;
    for (size_t at = 0; at + sizeof words <= size; at += sizeof words) {
        memcpy(words, start + at, sizeof words);
        differences |= (words[0] ^ fill) | (words[1] ^ fill);
    }
    memcpy(words, start + size - 12, sizeof words[0]);
    memcpy(&last, start + size - 4, sizeof last);
    return (differences | (words[0] ^ fill) | (last ^ (uint32_t)fill)) == 0;
}

static uint32_t quarantine_random(struct quarantine *quarantine) {
    if (quarantine->random == 0) {
        quarantine->random = list_turn(quarantine) * 0x9e3779b97f4a7c15 | 1;
    }
    quarantine->random ^= quarantine->random << 13;
    quarantine->random ^= quarantine->random >> 7;
    quarantine->random ^= quarantine->random << 17;
    return (uint32_t)(quarantine->random >> 32);
}

/* A block leaves: it must be as it came. */
static void quarantine_release(struct quarantine *quarantine, struct waiting it) {
    if (it.block == NULL) {
        return;
    }
    block_unmark(it.block);
    quarantine->bytes -= it.size;
    if (unlikely(!quarantine_is_whole(it.block, it.size))) {
        die("a free block was written to");
    }
    front_free(it.block);
}

/* The one that has queued longest; there is one. */
static struct waiting quarantine_next(struct quarantine *quarantine) {
    return quarantine->queue[(quarantine->end - quarantine->queued--) % QUARANTINE_QUEUE];
}

static struct waiting quarantine_take(struct quarantine *quarantine, uint32_t at) {
    const struct waiting it = quarantine->waiting[at];
    quarantine->waiting[at] = (struct waiting){NULL, 0};
    return it;
}

static void quarantine_keep(struct quarantine *quarantine, struct waiting it) {
    const uint32_t place = quarantine_random(quarantine) % QUARANTINE_RANDOM;
    const struct waiting displaced = quarantine->waiting[place];
    quarantine->waiting[place] = it;
    quarantine->bytes += it.size;
    if (displaced.block != NULL) {
        if (quarantine->queued == QUARANTINE_QUEUE) {
            quarantine_release(quarantine, quarantine_next(quarantine));
        }
        quarantine->queue[quarantine->end++ % QUARANTINE_QUEUE] = displaced;
        quarantine->queued++;
    }
    while (unlikely(quarantine->bytes > QUARANTINE_BYTES) && quarantine->queued > 0) {
        quarantine_release(quarantine, quarantine_next(quarantine));
    }
    for (uint32_t at = 1; unlikely(quarantine->bytes > QUARANTINE_BYTES) && at < QUARANTINE_RANDOM; at++) {
        quarantine_release(quarantine, quarantine_take(quarantine, (place + at) % QUARANTINE_RANDOM));
    }
}

/* All of it goes: the thread ends, or memory is short. */
static void quarantine_empty(struct quarantine *quarantine) {
    for (uint32_t at = 0; at < QUARANTINE_RANDOM; at++) {
        quarantine_release(quarantine, quarantine_take(quarantine, at));
    }
    while (quarantine->queued > 0) {
        quarantine_release(quarantine, quarantine_next(quarantine));
    }
}

/* What free does here. Whatever the block is, all checks are made now; a block that is too large to wait, or
 * whose thread has nothing of its own any more, goes at once. */
static void quarantine_free(void *block) {
    if (block == NULL) {
        return;
    }
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
    memset(block, QUARANTINE_FILL, size);
    block_mark(block, slot.index);
    quarantine_keep(&cache->quarantine, (struct waiting){block, size});
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
#define block_set_size(block, size) (block)
#define quarantine_free(block) front_free(block)
#define quarantine_free_slot(slot, block) free_slot(slot, block)

#endif
#endif
