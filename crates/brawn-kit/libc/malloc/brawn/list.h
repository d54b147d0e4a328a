/* Lists of free blocks, linked through the blocks.
 *
 * A link is written turned by a secret and by the place where it stands. It is only followed when it gives
 * an aligned address that a program can have, and a block is only handed out while it still says that it
 * is free. So who writes to free memory can stop the program, but hardly have it write somewhere else. */
#ifndef BRAWN_LIST_H
#define BRAWN_LIST_H

#include <sys/auxv.h>

#include "address.h"

/* What every malloc and free reads, in a cache line that no one writes to: beside mallocng's state or a lock
 * each would be a miss whenever another thread was there. */
static struct {
    _Alignas(64) uint64_t list; /* turns the links of lists */
    uint64_t meta;              /* mallocng's, once there is a block; then list is set, too */
    char alone[48];
} secrets;

/* Idempotent, so that threads may race for it. AT_RANDOM's halves also make the stack's canary and mallocng's
 * secret; from a mixture of both neither can be computed. */
static COLD void secrets_start(void) {
    uint64_t halves[2] = {0x9e3779b97f4a7c15, (uint64_t)(uintptr_t)&secrets.list};
    const void *const random = (const void *)(uintptr_t)getauxval(AT_RANDOM);
    if (random != NULL) {
        memcpy(halves, random, sizeof halves);
    }
    uint64_t mixed = halves[0] * 0xd6e8feb86659fd93 + (halves[1] << 29 | halves[1] >> 35);
    mixed ^= mixed >> 32;
    __atomic_store_n(&secrets.list, mixed * 0xd6e8feb86659fd93 | 1, __ATOMIC_RELAXED);
    __atomic_store_n(&secrets.meta, __atomic_load_n(&__malloc_context.secret, __ATOMIC_RELAXED),
                     __ATOMIC_RELEASE);
}

/* Another thread may write the same value at this moment. */
static inline uint64_t secrets_meta(void) {
    return __atomic_load_n(&secrets.meta, __ATOMIC_RELAXED);
}

static inline uint64_t list_turn(const void *place) {
    return __atomic_load_n(&secrets.list, __ATOMIC_RELAXED) ^ ((uintptr_t)place >> 4);
}

static inline uint64_t list_link_of(const void *block) {
    uint64_t link;
    memcpy(&link, block, sizeof link);
    return link ^ list_turn(block);
}

/* 0: it may be a link. */
static inline uint64_t list_link_is_unsound(uint64_t link) {
    return link & 0xffff00000000000f;
}

static inline bool list_link_is_sound(uint64_t link) {
    return list_link_is_unsound(link) == 0;
}

static inline void *list_next(const void *block) {
    const uint64_t link = list_link_of(block);
    if (unlikely(!list_link_is_sound(link))) {
        die("a free block was written to");
    }
    return (void *)(uintptr_t)link;
}

static inline void list_link(void *block, const void *next) {
    const uint64_t link = (uint64_t)(uintptr_t)next ^ list_turn(block);
    memcpy(block, &link, sizeof link);
}

#ifdef SLABS

/* A free block also says that it is one, in its second eight bytes; whoever gets it does not find that
 * there. */
static inline bool block_is_marked(const void *block) {
    uint64_t seal;
    memcpy(&seal, (const char *)block + 8, sizeof seal);
    return seal == ~list_turn(block);
}

static inline void block_mark(void *block, unsigned index) {
    (void)index;
    const uint64_t seal = ~list_turn(block);
    memcpy((char *)block + 8, &seal, sizeof seal);
}

static inline void block_take_all(void *block, unsigned index) {
    (void)index;
    memset((char *)block + 8, 0, 8);
}

static inline void block_unmark(void *block) {
    if (unlikely(!block_is_marked(block))) {
        die("a free block was written to");
    }
    block_take_all(block, 0);
}

#else

/* The header says so. */
#define block_take_all header_take_all
#define block_mark header_mark
#define block_marked header_marked
#define block_unmark header_unmark

#endif

/* A list of known length that moves as a whole. */
struct chain {
    void *head;
    uint32_t count;
};

/* Gives its blocks back to where they are from. */
static void chain_give(struct chain chain);

#endif
