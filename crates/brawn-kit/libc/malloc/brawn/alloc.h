/* How a block leaves the heap and comes back: the thread's own lists, the pools, mallocng, in this order.
 * malloc and free are little more, but for the hardened build, which stands between them and this. */
#ifndef BRAWN_ALLOC_H
#define BRAWN_ALLOC_H

#include "thread.h"

/* The classes of small sizes, by their units. */
static const unsigned char small_class[64] = {
    0,  0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 10, 11, 11, 11, 12, 12, 12, 13, 13, 14,
    14, 14, 14, 14, 15, 15, 15, 15, 15, 15, 16, 16, 16, 16, 16, 17, 17, 17, 17, 17, 17, 18,
    18, 18, 18, 18, 18, 18, 18, 19, 19, 19, 19, 19, 19, 19, 19, 19, 19, 19, 19, 19,
};

#define SMALL_LARGEST ((size_t)(63 * UNIT - IN_BAND))

static COLD void *fail(int error) {
    *kernel_libc_errno() = error;
    return NULL;
}

/* The same for a block of this class, which may have pages that are not zero. */
static RARE void *backend_take(size_t size, unsigned class) {
    want_pages(class);
    void *const block = backend_malloc(size);
    want_pages(0);
    return block;
}

static SLOW void *medium_malloc(size_t size) {
    const unsigned class = class_of_medium(size);
    void *const block = shelf_take(class);
    if (likely(block != NULL)) {
        return block;
    }
    COUNT(medium_misses, 1);
    if (own != &cache_none && own != &cache_closed) {
        cache_visit(own, class);
    }
    return backend_take(class_request(class), class);
}

/* From mallocng; `wanted.dirty` says whether it is zero. */
static RARE void *large_make(size_t size) {
    if (unlikely(size > PTRDIFF_MAX - PAGE)) {
        return fail(ENOMEM);
    }
    wanted.dirty = false;
    void *const block = backend_take(size, CLASS_OF_MAPPINGS);
    if (block != NULL) {
        const struct slot slot = slot_of(block);
        large_resized(0, (size_t)(slot.end - slot.start));
    }
    return block;
}

static SLOW void *large_malloc(size_t size) {
    void *const block = large_take(size);
    return block != NULL ? block : large_make(size);
}

static inline __attribute__((always_inline)) void *front_malloc(size_t size) {
    if (likely(size <= SMALL_LARGEST)) {
        const unsigned class = small_class[(size + IN_BAND + UNIT - 1) / UNIT];
        struct bin *const bin = &own->bins[class];
        if (likely(bin->head != NULL)) {
            return bin_pop(bin);
        }
        return small_miss(class);
    }
    return size <= LARGEST_SLOT ? medium_malloc(size) : large_malloc(size);
}

/* The same out of line. */
static SLOW void *any_malloc(size_t size) {
    return front_malloc(size);
}

/* A small block goes to the thread's own list. */
static inline __attribute__((always_inline)) void small_give(unsigned class, void *block, unsigned index) {
    struct bin *const bin = &own->bins[class];
    if (likely(bin->room > 0)) {
        bin_push(bin, block, index);
        return;
    }
    small_overflow(class, block, index);
}

/* Everything but a small block at its slot's start: frees a block whose slot is known. */
static SLOW void free_slot(const struct slot *slot, void *block) {
    if (unlikely(__atomic_load_n(&secrets.meta, __ATOMIC_ACQUIRE) == 0)) {
        secrets_start(); /* now that there is a block, mallocng has its secret; a thread without a cache links, too */
    }
    block = block_to_start(slot, block);
    const size_t capacity = (size_t)(slot->end - slot->start);
    if (meta_class(slot->meta) == CLASS_OF_MAPPINGS) {
        block_take_all(block, 0);
        large_give(block, capacity);
        return;
    }
    const unsigned class = class_of_capacity(meta_class(slot->meta), capacity);
    if (class >= SMALL_CLASSES) {
        shelf_give(class, block, slot->index);
        return;
    }
    class_enter(block, slot->meta, slot->index, class);
    small_give(class, block, slot->index);
}

static SLOW void free_any(void *block) {
    const struct slot slot = slot_of(block);
    (void)slot_size(&slot, block);
    free_slot(&slot, block);
}

/* For the checks of the front end alone, which compare what the table says with what the headers say. */
#ifndef CLASS_IS_KNOWN
#define CLASS_IS_KNOWN(block, class, index) ((void)0)
#endif

/* Whether the table tells of a small block here, and its header and its slot's end are as they must be: it is
 * not free, it is all of its slot, and neither it nor the block before it was written past its end. What
 * mallocng checks besides it checks when the block goes back. */
static inline __attribute__((always_inline)) bool small_look(const unsigned char *block, unsigned *class,
                                                             unsigned *index) {
    return likely(table_look(block, class) && block[-4] == 0 && (*index = block[-3]) <= 31 &&
                  block[class_capacity(*class)] == 0);
}

static inline __attribute__((always_inline)) void front_free(void *block) {
    if (block == NULL) {
        return;
    }
    unsigned class, index;
    if (unlikely(!small_look(block, &class, &index))) {
        free_any(block);
        return;
    }
    CLASS_IS_KNOWN(block, class, index);
    small_give(class, block, index);
}

#endif
