/* The hardened build (BRAWN_HARDENED): what a program does wrong is found sooner, for some time and memory.
 *
 * - A block is as large as was asked for, to the byte, and the byte behind it is looked at when it is freed;
 *   the plain build lets a program have all of its slot.
 * - A freed block waits in its thread's quarantine, filled with a pattern. First it takes the place of a
 * block that is chosen at random, then it queues: so it comes back after QUARANTINE_QUEUE more such blocks,
 * in no order that can be foretold, and a write to it meanwhile is found when it leaves.
 * - Large blocks are unmapped at once, so a later use of one ends the program.
 *
 * Without BRAWN_HARDENED nothing of this is there. */
#ifndef BRAWN_HARDENED_H
#define BRAWN_HARDENED_H

#ifdef BRAWN_HARDENED

/* What a free block is filled with: no pointer, no small number, and no text. */
#ifndef QUARANTINE_FILL
#define QUARANTINE_FILL 0xd5
#endif

/* Makes `block` as large as was asked for: the same that mallocng writes for a request. */
static void *block_set_size(void *block, size_t size) {
    if (block == NULL) {
        return NULL;
    }
    const struct slot slot = slot_of(block);
    const size_t left = (size_t)(slot.end - (unsigned char *)block) - size;
    unsigned reserved = (unsigned)left;
    if (left > 0) {
        *(slot.end - left) = 0;
    }
    if (left >= 5) {
        const uint32_t wide = (uint32_t)left;
        memcpy(slot.end - 4, &wide, sizeof wide);
        if (left > 5) {
            *(slot.end - 5) = 0;
        }
        reserved = 5;
    }
    ((unsigned char *)block)[-3] = (unsigned char)(slot.index | reserved << 5);
    return block;
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
static void quarantine_release(struct quarantine *quarantine, void *block) {
    if (block == NULL) {
        return;
    }
    block_unmark(block);
    const struct slot slot = slot_of(block);
    const size_t size = (size_t)(slot.end - slot.start);
    quarantine->bytes -= size;
    for (const unsigned char *at = slot.start; at < slot.end; at += 4) {
        uint32_t word;
        memcpy(&word, at, sizeof word);
        if (unlikely(word != QUARANTINE_FILL * 0x01010101u)) {
            die("a free block was written to");
        }
    }
    front_free(block);
}

/* The one that has queued longest, or NULL. */
static void *quarantine_next(struct quarantine *quarantine) {
    if (quarantine->queued == 0) {
        return NULL;
    }
    const uint32_t first = (quarantine->end - quarantine->queued) % QUARANTINE_QUEUE;
    quarantine->queued--;
    return quarantine->queue[first];
}

static void quarantine_keep(struct quarantine *quarantine, void *block, size_t size) {
    void **const place = &quarantine->waiting[quarantine_random(quarantine) % QUARANTINE_RANDOM];
    void *const displaced = *place;
    *place = block;
    quarantine->bytes += size;
    if (displaced != NULL) {
        if (quarantine->queued == QUARANTINE_QUEUE) {
            quarantine_release(quarantine, quarantine_next(quarantine));
        }
        quarantine->queue[quarantine->end++ % QUARANTINE_QUEUE] = displaced;
        quarantine->queued++;
    }
    for (uint32_t at = 0; quarantine->bytes > QUARANTINE_BYTES && at < QUARANTINE_RANDOM; at++) {
        while (quarantine->bytes > QUARANTINE_BYTES && quarantine->queued > 0) {
            quarantine_release(quarantine, quarantine_next(quarantine));
        }
        if (quarantine->bytes > QUARANTINE_BYTES && &quarantine->waiting[at] != place) {
            void *const first = quarantine->waiting[at];
            quarantine->waiting[at] = NULL;
            quarantine_release(quarantine, first);
        }
    }
}

/* All of it goes: the thread ends, or memory is short. */
static void quarantine_empty(struct quarantine *quarantine) {
    for (uint32_t at = 0; at < QUARANTINE_RANDOM; at++) {
        void *const block = quarantine->waiting[at];
        quarantine->waiting[at] = NULL;
        quarantine_release(quarantine, block);
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
    quarantine_keep(&cache->quarantine, block, size);
}

static size_t quarantine_bytes(const struct cache *cache) {
    return cache->quarantine.bytes;
}

#else

#define quarantine_bytes(cache) 0
#define block_set_size(block, size) (block)
#define quarantine_free(block) front_free(block)

#endif
#endif
