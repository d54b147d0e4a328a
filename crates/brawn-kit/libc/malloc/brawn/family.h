/* malloc and its family, with musl's manners: errno is ENOMEM when there is no memory and EINVAL for an
 * alignment that is none, which posix_memalign returns as well, malloc(0) returns a block of its own, and
 * free leaves errno alone. */
#ifndef BRAWN_FAMILY_H
#define BRAWN_FAMILY_H

#include "hardened.h"

static void *front_calloc(size_t size) {
    if (size <= MEDIUM_LARGEST) {
        void *const block = front_malloc(size);
        return likely(block != NULL) ? memset(block, 0, size) : NULL;
    }
    /* Fresh from the kernel as a rule, and so zero: no one knows how much of it will ever be touched. */
    void *const block = large_make(size);
    return block == NULL || !wanted.dirty ? block : memset(block, 0, size);
}

static SLOW void *realloc_moves(const struct slot *slot, void *block, size_t size, size_t keep) {
    void *const moved = any_malloc(size);
    if (moved != NULL) {
        memcpy(moved, block, keep < size ? keep : size);
        quarantine_free_slot(slot, block);
    }
    return moved;
}

/* A large block that grows, or shrinks. */
static RARE void *realloc_large(const struct slot *slot, void *block, size_t size) {
    const size_t before = (size_t)(slot->end - slot->start);
    const bool by_steps = size > before && size - before < before / LARGE_STEP;
    if (size > before && before <= LARGE_COPY && !by_steps) {
        size_t capacity;
        void *const moved = large_take(size, false, &capacity);
        if (moved != NULL) {
            memcpy(moved, block, slot_size(slot, block));
            quarantine_free_slot(slot, block);
            return moved;
        }
    }
    const int error = errno;
    want_pages(by_steps ? 0 : CLASS_OF_MAPPINGS);
    void *moved = large_resize(block, before, size + (by_steps ? large_ahead(size) : 0));
    if (moved == NULL && by_steps) {
        errno = error;
        moved = large_resize(block, before, size);
    }
    want_pages(0);
    return moved;
}

#ifdef SLABS

static SLOW void *realloc_in_slabs(void *block, size_t size, unsigned class) {
    const size_t keep = class_bytes(class);
    void *const moved = any_malloc(size);
    if (moved != NULL) {
        memcpy(moved, block, keep < size ? keep : size);
        list_give(class, block, 0);
    }
    return moved;
}

/* In place while the slot has room for the size, give or take two classes. */
static inline bool class_fits(unsigned class, size_t room, size_t size) {
    return size <= room && (class < 3 || size > class_bytes(class - 3));
}

#else

/* In place while the slot has room for the size, give or take a class, so that two classes below would not
 * do: as in mallocng. */
static inline bool class_fits(unsigned class, size_t room, size_t size) {
    return size <= room && (class < 2 || size > class_capacity(class - 2));
}

#endif

static void *front_realloc(void *block, size_t size) {
    if (block == NULL) {
        return any_malloc(size);
    }
#ifdef SLABS
    unsigned known;
    if (slab_look(block, &known)) {
        return class_fits(known, class_bytes(known), size) ? block : realloc_in_slabs(block, size, known);
    }
#endif
    const struct slot slot = slot_of(block);
    const size_t room = (size_t)(slot.end - (unsigned char *)block);
    const size_t used = slot_size(&slot, block);
    const unsigned class = meta_class(slot.meta);
#ifndef SLABS
    if (class < CLASSES && class_fits(class, room, size)) {
        block_take_all(block, slot.index);
        return block;
    }
#endif
    if (class == CLASS_OF_MAPPINGS && size > MEDIUM_LARGEST) {
        /* The addresses that a step took ahead; a block that shrinks by no more stays as it is, too. */
        if (size <= room && room - size < large_ahead(room)) {
            header_take_all(block, slot.index);
            return block;
        }
        return realloc_large(&slot, block, size);
    }
    return realloc_moves(&slot, block, size, used);
}

/* As in musl, an alignment of 0 is any alignment. */
static RARE void *front_aligned(size_t alignment, size_t size, int *error) {
    *error = EINVAL;
    if ((alignment & (alignment - 1)) != 0) {
        return NULL;
    }
    *error = ENOMEM;
    if (alignment > PTRDIFF_MAX / 2 || size > PTRDIFF_MAX - alignment) {
        return NULL;
    }
    if (alignment <= UNIT) {
        return block_set_size(any_malloc(size), size);
    }
#ifdef SLABS
    /* Slabs begin with a page. What is not aligned is mallocng's, because memory is short. */
    if (alignment <= PAGE && size <= MEDIUM_LARGEST) {
        unsigned class = class_of(size);
        while (class_bytes(class) % alignment != 0) {
            class ++;
        }
        void *const exact = class < SMALL_SIZES ? any_malloc(class_bytes(class)) : medium_take(class, 1);
        if (likely((uintptr_t)exact % alignment == 0)) {
            return exact;
        }
        free_any(exact);
    }
    const size_t wide = size + alignment - UNIT;
    unsigned char *const block = wide <= MEDIUM_LARGEST ? backend_malloc(wide) : any_malloc(wide);
#else
    unsigned char *const block = any_malloc(size + alignment - UNIT);
#endif
    if (block == NULL) {
        return NULL;
    }
    const size_t skip = (0 - (uintptr_t)block) & (alignment - 1);
    if (skip != 0) {
        const struct slot slot = slot_of(block);
#ifndef SLABS
        class_forget(block);
#endif
        block_move_up(&slot, block + skip);
    }
    return block_set_size(block + skip, size);
}

PUBLIC void *malloc(size_t size) {
    return hardened_malloc(size);
}

PUBLIC void free(void *block) {
    quarantine_free(block);
}

PUBLIC void *calloc(size_t count, size_t size) {
    size_t total;
    return unlikely(__builtin_mul_overflow(count, size, &total)) ? fail(ENOMEM)
                                                                 : block_set_size(front_calloc(total), total);
}

PUBLIC void *realloc(void *block, size_t size) {
    return block_set_size(front_realloc(block, size), size);
}

PUBLIC void *reallocarray(void *block, size_t count, size_t size) {
    size_t total;
    return unlikely(__builtin_mul_overflow(count, size, &total))
               ? fail(ENOMEM)
               : block_set_size(front_realloc(block, total), total);
}

PUBLIC void *aligned_alloc(size_t alignment, size_t size) {
    int error;
    void *const block = front_aligned(alignment, size, &error);
    return likely(block != NULL) ? block : fail(error);
}

PUBLIC void *memalign(size_t alignment, size_t size) {
    int error;
    void *const block = front_aligned(alignment, size, &error);
    return likely(block != NULL) ? block : fail(error);
}

PUBLIC void *valloc(size_t size) {
    int error;
    void *const block = front_aligned((size_t)sysconf(_SC_PAGESIZE), size, &error);
    return likely(block != NULL) ? block : fail(error);
}

PUBLIC int posix_memalign(void **result, size_t alignment, size_t size) {
    if (alignment < sizeof(void *)) {
        return EINVAL;
    }
    int error;
    void *const block = front_aligned(alignment, size, &error);
    if (block == NULL) {
        (void)fail(error);
        return error;
    }
    *result = block;
    return 0;
}

PUBLIC size_t malloc_usable_size(void *block) {
    if (block == NULL) {
        return 0;
    }
#ifdef SLABS
    unsigned class;
    if (slab_look(block, &class)) {
        return class_bytes(class);
    }
#endif
    const struct slot slot = slot_of(block);
    return slot_size(&slot, block);
}

/* As in glibc: gives back what lies unused, whatever `keep` says, and returns whether there was something. */
PUBLIC int malloc_trim(size_t keep) {
    (void)keep;
    return release_all();
}

/* What `brawn_malloc_info` tells. All but the first four are counted since the start of the program, and only
 * where an operation is slow anyway: what the lists of a thread serve is not counted. */
struct brawn_malloc_info {
    uint64_t own_bytes;          /* in the lists of the calling thread */
    uint64_t shared_bytes;       /* in lists for all threads */
    uint64_t shared_bound;       /* what those may hold */
    uint64_t large_bytes;        /* in mappings kept for later */
    uint64_t refills;            /* visits to slabs for small blocks */
    uint64_t refilled;           /* blocks that they brought */
    uint64_t chains_taken;       /* lists that a thread got from another */
    uint64_t chains_given;       /* and gave away */
    uint64_t medium_hits;        /* medium blocks from the lists */
    uint64_t medium_misses;      /* and from slabs */
    uint64_t large_hits;         /* large blocks from kept mappings */
    uint64_t large_misses;       /* and new ones */
    uint64_t returned;           /* small and medium blocks given back to slabs */
    uint64_t upkeeps;            /* rounds of giving back what no one wanted */
    uint64_t page_bytes;         /* in pages kept for the next slabs */
    uint64_t class_bytes[SIZES]; /* in lists for all threads, by class */
};

/* Writes as much of it as `size` bytes hold, and returns how many bytes there are. */
HOOK COLD size_t brawn_malloc_info(struct brawn_malloc_info *result, size_t size) {
    struct brawn_malloc_info info = {
        .own_bytes = quarantine_bytes(own) + own->spare_bytes,
        .shared_bound = pool_bound() * pool_count(),
        .large_bytes = large.bytes,
        .refills = counters.refills,
        .refilled = counters.refilled_blocks,
        .medium_misses = counters.medium_misses,
        .large_hits = counters.large_hits,
        .large_misses = counters.large_misses,
        .returned = counters.returned_blocks,
        .upkeeps = counters.upkeeps,
        .page_bytes = PAGE * atomic_load_explicit(&pages.dirty, RELAXED),
    };
    for (unsigned class = 0; class < SIZES; class ++) {
        const struct bin *const bin = &own->bins[class];
        info.own_bytes += (size_t)(bin->size - bin->room) * class_bytes(class);
    }
    for (unsigned number = 0; number < POOLS; number++) {
        struct pool *const pool = &pools[number];
        const bool locked = lock_take(&pool->lock);
        info.shared_bytes += pool->bytes;
        info.chains_taken += pool->chains_taken;
        info.chains_given += pool->chains_given;
        info.medium_hits += pool->blocks_taken;
        for (unsigned class = 0; class < SMALL_SIZES; class ++) {
            for (uint32_t at = 0; at < tally_count(&pool->depots[class]); at++) {
                info.class_bytes[class] += pool->chains[at][class].count * class_bytes(class);
            }
        }
        for (unsigned class = SMALL_SIZES; class < SIZES; class ++) {
            info.class_bytes[class] +=
                tally_count(&pool->shelves[class - SMALL_SIZES].tally) * class_bytes(class);
        }
        lock_give(&pool->lock, locked);
    }
    memcpy(result, &info, size < sizeof info ? size : sizeof info);
    return sizeof info;
}

#ifndef BRAWN_ALONE
/* What the library asks for by names of its own (atexit, locales, gettext, time zones, aio, named semaphores,
 * dlerror) goes to mallocng directly; stdio calls `malloc` and `realloc`. */
PUBLIC void *__libc_malloc(size_t size) {
    kit_keep_marker(); /* also in programs that have no more of this heap */
    return __libc_malloc_impl(size);
}
#endif

/* What mallocng's `realloc` moves away from (crates/brawn-libc/src/redirect.rs) may be a block that the
 * table of a chunk tells of. What else the library frees by its own names it has allocated by them. */
INNER RARE void __brawn_free(void *block) {
#ifndef SLABS
    if (block != NULL) {
        class_forget(block);
    }
#endif
    __libc_free(block);
}

/* Fork beside other threads, from musl's `fork`: with -1 before, then with 0 in the parent or 1 in the child.
 *
 * The library allocates while it holds locks of its own: getline a stream's, atexit, setlocale and others
 * theirs. So fork takes this heap's locks after all of them and lets go of them first, where musl takes its
 * heap's: with mallocng behind the front end, an overlay leads that call of `fork` here
 * (crates/brawn-libc/src/redirect.rs). */
INNER RARE void __brawn_atfork(int who) {
    if (who >= 0) {
        __malloc_atfork(who);
    }
    for (unsigned number = 0; number < POOLS; number++) {
        who < 0 ? lock_take_always(&pools[number].lock) : lock_give_always(&pools[number].lock);
    }
    who < 0 ? lock_take_always(&large.lock) : lock_give_always(&large.lock);
#ifdef SLABS
    who < 0 ? lock_take_always(&slabs.lock) : lock_give_always(&slabs.lock);
#endif
    if (who < 0) {
        __malloc_atfork(who);
    } else if (who > 0) {
        pages_forked();
    }
}

/* The same, but before any lock: in the dynamic loader it is the loader's, in a static executable no one's. A
 * thread's first allocation may have to make the key, and to wait for the library's lock on keys, while the
 * thread holds another one. As fork takes both, no one may have to do that from here on. */
HOOK RARE void __ldso_atfork(int who) {
    if (who < 0) {
        (void)key_exists();
    }
}

#endif
