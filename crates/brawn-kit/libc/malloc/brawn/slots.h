/* Slots of mallocng's, many at a time. One by one, each block of a list costs a call, all of mallocng's
 * checks and, as a rule, its lock; but the slots of a group are bits of two words, and a list holds mostly
 * neighbours. So a list is filled from one word and given back into the other, in the ways in which mallocng
 * does so itself: `available` changes under its lock, and a slot that is neither the first of its group to be
 * freed nor the last joins `freed` without. For those two mallocng is called, since it has more to do then.
 */
#ifndef BRAWN_SLOTS_H
#define BRAWN_SLOTS_H

#include "list.h"
#include "lock.h"

/* How often what was asked: for brawn_malloc_info. They count what is slow anyway, and never the fast path.
 */
static struct {
    _Atomic(uint64_t) refills, refilled_blocks, returned_blocks, medium_misses, large_hits, large_misses,
        upkeeps;
} counters;

ATOMIC_CALL uint64_t counter_add(_Atomic(uint64_t) *counter, uint64_t by) {
    return atomic_fetch_add_explicit(counter, by, memory_order_relaxed);
}

#define COUNT(name, by) counter_add(&counters.name, (by))

/* The lock around all of mallocng, which an overlay has it take through these two
 * (crates/brawn-libc/src/redirect.rs). musl's own tries ten times and sleeps then, while the holder is mostly
 * at a page fault, which takes longer. */
BEHIND volatile int __malloc_lock[1];

INNER RARE void __brawn_lock(volatile int *it) {
    if (lock_take((lock *)(uintptr_t)it) && __libc.need_locks < 0) {
        __libc.need_locks = 0; /* as in musl: the last other thread has ended */
    }
}

INNER RARE void __brawn_unlock(volatile int *it) {
    lock_give((lock *)(uintptr_t)it, __atomic_load_n(it, __ATOMIC_RELAXED) != 0);
}

/* For the build with the thread sanitizer, which does not see mallocng hand slots over. */
#ifndef SLOTS_HANDED_OVER
#define SLOTS_HANDED_OVER(how) ((void)0)
#endif

#ifndef SLABS

/* The group of a block that begins so many units behind it. */
static inline struct group *group_at(const void *block, unsigned offset) {
    return (struct group *)((unsigned char *)block - UNIT * (size_t)offset - UNIT);
}

/* A block that is all of its slot. Only its header is written. */
static unsigned char *slot_begin(const struct meta *meta, unsigned index) {
    const unsigned offset = index * __malloc_size_classes[meta_class(meta)];
    unsigned char *const start = meta->group->storage + UNIT * (size_t)offset;
    const uint16_t narrow = (uint16_t)offset;
    memcpy(start - 2, &narrow, sizeof narrow);
    start[-3] = (unsigned char)index;
    return start;
}

/* Takes so many slots of those that mallocng would give out next, or as many as there are. */
static RARE uint32_t slots_take(struct meta *meta, unsigned wanted) {
    uint32_t taken = 0;
    if (meta_read(&meta->available) == 0) {
        return 0;
    }
    __brawn_lock(__malloc_lock);
    SLOTS_HANDED_OVER(acquire);
    uint32_t left = meta_read(&meta->available);
    for (; left != 0 && wanted > 0; wanted--) {
        taken |= left & -left;
        left &= left - 1;
    }
    __atomic_store_n(&meta->available, (int)left, __ATOMIC_RELEASE);
    __brawn_unlock(__malloc_lock);
    return taken;
}

/* Gives back slots of one group, whose headers say that they are free already. */
static RARE void slots_give(struct meta *meta, uint32_t slots) {
    SLOTS_HANDED_OVER(release);
    while (slots != 0) {
        const uint32_t freed = meta_read(&meta->freed), free = freed | meta_read(&meta->available);
        const uint32_t one = slots & -slots, all = ((uint32_t)2 << meta_last_index(meta)) - 1;
        if (unlikely(((free | ~all) & slots) != 0)) {
            die_of_header(RESERVED_FREE);
        }
        const uint32_t some = (free | slots) == all ? slots - one : slots;
        int before = (int)freed;
        if (freed == 0 || some == 0) {
            slots -= one;
            __libc_free(slot_begin(meta, (unsigned)__builtin_ctz(one)));
        } else if (__atomic_compare_exchange_n(&meta->freed, &before, (int)(freed | some), true,
                                               __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
            slots -= some;
        }
    }
}

/* Gives back a list, whose blocks lie at their slots' starts. Medium blocks go one by one: they are few, and
 * mallocng of musl 1.2.3 gives the system's pages back for them. */
static RARE void chain_give(struct chain chain) {
    const struct group *group = NULL;
    struct meta *meta = NULL;
    uint32_t slots = 0;
    COUNT(returned_blocks, chain.count);
    /* The blocks of a program that frees in no order lie in as many groups. The reads of their metas happen
     * at once here; below, each would wait for the atomic operation before it. */
    for (const void *block = chain.head; block != NULL; block = list_next(block)) {
        __builtin_prefetch(group_at(block, header_of(block).offset)->meta, 1);
    }
    while (chain.head != NULL) {
        unsigned char *const block = chain.head;
        chain.head = list_next(block);
        const struct header header = header_of(block);
        const struct group *const its = group_at(block, header.offset);
        if (its != group) {
            slots_give(meta, slots);
            slots = 0;
            group = its;
            meta = its->meta;
        }
        const unsigned class = meta_class(meta);
        if (unlikely(header.reserved != RESERVED_CACHED || header.wide != 0 || meta->group != group ||
                     meta_secret(meta) != __malloc_context.secret ||
                     header.offset != header.index * __malloc_size_classes[class % CLASSES])) {
            die("a free block was written to");
        }
        if (class >= SMALL_CLASSES) {
            group = NULL;
            block_take_all(block, header.index);
            __libc_free(block);
            continue;
        }
        slots |= (uint32_t)1 << header.index;
        class_leave(block, class);
        block[-3] = 255;
        memset(block - 2, 0, 2);
    }
    slots_give(meta, slots);
}

#endif
#endif
