/* How a block leaves the heap and comes back: the thread's own lists, the pools, slabs, in this order.
 * malloc and free are little more, but for the hardened build, which stands between them and this. */
#ifndef BRAWN_ALLOC_H
#define BRAWN_ALLOC_H

#include "thread.h"

static COLD void *fail(int error) {
    *kernel_libc_errno() = error;
    return NULL;
}

/* The same for a large block, which may have pages that are not zero. */
static RARE void *backend_take(size_t size) {
    want_pages(CLASS_OF_MAPPINGS);
    void *const block = backend_malloc(size);
    want_pages(0);
    return block;
}

/* From mallocng; `wanted.dirty` says whether it is zero. */
static RARE void *large_make(size_t size) {
    if (unlikely(size > PTRDIFF_MAX - PAGE)) {
        return fail(ENOMEM);
    }
    wanted.dirty = false;
    void *const block = backend_take(size);
    if (block != NULL) {
        const struct slot slot = slot_of(block);
        large_resized(0, (size_t)(slot.end - slot.start));
    }
    return block;
}

/* A large block gets another size, perhaps elsewhere. NULL: it has the size that it had. */
static RARE void *large_resize(void *block, size_t before, size_t size) {
    void *const moved = __libc_realloc(block, size);
    if (likely(moved != NULL)) {
        const struct slot slot = slot_of(moved);
        large_resized(before, (size_t)(slot.end - slot.start));
    }
    return moved;
}

/* A mapping that was kept gets the size that is asked for: its pages need not be faulted in again. */
static RARE void *large_fit(void *block, size_t before, size_t size) {
    const int error = errno;
    want_pages(CLASS_OF_MAPPINGS);
    void *const moved = large_resize(block, before, size);
    want_pages(0);
    if (unlikely(moved == NULL)) {
        large_resized(before, 0);
        __libc_free(block);
    }
    errno = error;
    return moved;
}

static SLOW void *large_malloc(size_t size) {
    const bool own_mapping = size > (size_t)LARGE_RUN * PAGE - UNIT - IN_BAND;
    size_t capacity = 0;
    large_visit();
    void *block = large_take(size, own_mapping, &capacity);
    if (block != NULL && !large_serves(capacity, size)) {
        block = large_fit(block, capacity, size);
    }
    return block != NULL ? block : large_make(size);
}

/* Of one of so many classes, this one and the next. */
static inline void *medium_take(unsigned class, unsigned classes) {
    struct bin *const bin = bin_of(class);
    return likely(bin->head != NULL) ? bin_pop(bin) : medium_miss(class, classes);
}

static SLOW void *medium_malloc(size_t size) {
    return medium_take(class_of_medium(size), SHELVES_TO_TRY);
}

static inline __attribute__((always_inline)) void *front_malloc(size_t size) {
    if (likely(size <= SMALL_LARGEST)) {
        const unsigned class = class_of_small(size);
        struct bin *const bin = bin_of(class);
        return likely(bin->head != NULL) ? bin_pop(bin) : small_miss(class);
    }
    return size <= MEDIUM_LARGEST ? medium_malloc(size) : large_malloc(size);
}

/* The same out of line. */
static SLOW void *any_malloc(size_t size) {
    return front_malloc(size);
}

/* A block goes to this list of the thread. */
static inline __attribute__((always_inline)) void bin_give(struct bin *bin, unsigned class, void *block,
                                                           unsigned index) {
    if (likely(bin->room > 0)) {
        bin_push(bin, block, index);
        return;
    }
    class < SMALL_SIZES ? small_overflow(class, block, index) : medium_overflow(class, block, index);
}

static inline __attribute__((always_inline)) void list_give(unsigned class, void *block, unsigned index) {
    bin_give(bin_of(class), class, block, index);
}

#ifdef SLABS

/* A block with a header: mallocng's, which the program has where it is large, where its alignment is, or
 * where no pages for a slab were to be had. */
static SLOW void free_slot(const struct slot *slot, void *block) {
    if (meta_class(slot->meta) != CLASS_OF_MAPPINGS) {
        __libc_free(block);
        return;
    }
    const size_t capacity = (size_t)(slot->end - slot->start);
    if (in_chunk(slot->start)) {
        large_resized(capacity, 0);
        __libc_free(block);
        return;
    }
    block = block_to_start(slot, block);
    header_take_all(block, 0);
    large_give(block, capacity);
}

#else

/* Everything but a small block at its slot's start: frees a block whose slot is known. */
static SLOW void free_slot(const struct slot *slot, void *block) {
    if (unlikely(__atomic_load_n(&secrets.meta, __ATOMIC_ACQUIRE) == 0)) {
        secrets_start(); /* now that there is a block, mallocng has its secret */
    }
    block = block_to_start(slot, block);
    const size_t capacity = (size_t)(slot->end - slot->start);
    if (meta_class(slot->meta) == CLASS_OF_MAPPINGS) {
        header_take_all(block, 0);
        large_give(block, capacity);
        return;
    }
    const unsigned class = class_of_capacity(meta_class(slot->meta), capacity);
    if (class < SMALL_SIZES) {
        class_enter(block, slot->meta, slot->index, class);
    }
    list_give(class, block, slot->index);
}

#endif

static SLOW void free_any(void *block) {
    const struct slot slot = slot_of(block);
    (void)slot_size(&slot, block);
    free_slot(&slot, block);
}

#ifdef SLABS

static SLOW void free_other(void *block) {
    unsigned class;
    if (likely(medium_look(block, &class))) {
        list_give(class, block, 0);
    } else if (!slab_look(block, &class)) {
        free_any(block);
    } else if (piece_is_kept(class)) {
        list_give(class, block, 0);
    } else {
        block_give(block);
    }
}

static inline __attribute__((always_inline)) void front_free(void *block) {
    if (block == NULL) {
        return;
    }
    unsigned class;
    if (unlikely(!small_look(block, &class))) {
        free_other(block);
        return;
    }
    struct bin *const bin = bin_of(class);
    if (unlikely(bin->head == block)) {
        die_of_second_free();
    }
    bin_give(bin, class, block, 0);
}

#else

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
    list_give(class, block, index);
}

#endif
#endif
