/* The back end: what mallocng is to the front end of the hardened build, in as many lines as the plain one
 * needs. That has slots of its own (slab.h) and asks for large blocks here, for alignments of more than a page,
 * and for any block when there are no pages for a slab. Each is a mapping of its own, with a header in
 * mallocng's layout (layout.h). */
#ifndef BRAWN_BACKEND_H
#define BRAWN_BACKEND_H

#include "stats.h"

/* Of one file (alone.h), or for the checks of the front end alone. */
#ifndef BRAWN_ALONE
#undef BEHIND
#define BEHIND
#endif

enum {
    META_PAGES = 16, /* of metas, mapped at a time and touched one by one */
    FREEABLE = 1 << 5,
    CLASS_AT = 1 << 6,
    METAS = (PAGE - sizeof(uint64_t)) / sizeof(struct meta),
};

/* Of slots, which there are none of here. */
BEHIND const uint16_t __malloc_size_classes[CLASSES] = {0};
BEHIND struct malloc_context __malloc_context;
BEHIND volatile int __malloc_lock[1];

/* A page of metas begins with the secret, by which one is told from anything else. */
struct meta_page {
    uint64_t secret;
    struct meta metas[METAS];
};

/* All of it belongs to who has the lock. */
static struct {
    struct meta *metas;     /* unused ones, by `next` */
    struct meta_page *page; /* of which the first `metas_used` are taken */
    uint32_t metas_used, pages_left;
} backend;

static COLD bool metas_map(void) {
    if (backend.pages_left == 0) {
        if (__malloc_context.secret == 0) {
            uint64_t random[2] = {0, 0x9e3779b97f4a7c15};
            const void *const given = (const void *)(uintptr_t)getauxval(AT_RANDOM);
            if (given != NULL) {
                memcpy(random, given, sizeof random);
            }
            const uint64_t mixed = (random[1] ^ (uintptr_t)&backend) * 0xd6e8feb86659fd93;
            /* A thread that begins may look at it without the lock. */
            __atomic_store_n(&__malloc_context.secret,
                             (mixed ^ mixed >> 29 ^ random[0] * 0x9e3779b97f4a7c15) | 1, __ATOMIC_RELAXED);
        }
        void *const start = KERNEL_CALL(
            (mmap)(NULL, META_PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        if (start == MAP_FAILED) {
            return false;
        }
        backend.page = start;
        backend.pages_left = META_PAGES;
    } else {
        backend.page = (struct meta_page *)((char *)backend.page + PAGE);
    }
    backend.pages_left--;
    backend.page->secret = __malloc_context.secret;
    backend.metas_used = 0;
    return true;
}

static RARE struct meta *meta_make(void) {
    struct meta *meta = backend.metas;
    if (meta != NULL) {
        backend.metas = meta->next;
        return meta;
    }
    if ((backend.page == NULL || backend.metas_used == METAS) && !metas_map()) {
        return NULL;
    }
    return &backend.page->metas[backend.metas_used++];
}

static RARE void meta_end(struct meta *meta) {
    *meta = (struct meta){.next = backend.metas};
    backend.metas = meta;
}

/* A group of one slot, which is taken. */
static void group_set(struct meta *meta, struct group *group, size_t mapped) {
    group->meta = meta;
    meta->group = group;
    meta->available = meta->freed = 0;
    meta->bits = mapped / PAGE << 12 | (uint64_t)CLASS_OF_MAPPINGS * CLASS_AT | FREEABLE;
}

static RARE void *map_zeroed(size_t size) {
    void *const start = KERNEL_CALL(
        __brawn_map_pages(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    return start == MAP_FAILED ? NULL : start;
}

/* What a block with a mapping of its own needs. */
static inline size_t mapping_size(size_t size) {
    return (size + UNIT + IN_BAND + PAGE - 1) / PAGE * PAGE;
}

static RARE void *mapping_make(size_t size) {
    const size_t mapped = mapping_size(size);
    struct group *const group = map_zeroed(mapped);
    if (group == NULL) {
        return NULL;
    }
    __brawn_lock(__malloc_lock);
    struct meta *const meta = meta_make();
    if (meta != NULL) {
        group_set(meta, group, mapped);
    }
    __brawn_unlock(__malloc_lock);
    if (meta == NULL) {
        (void)KERNEL_CALL(__brawn_unmap_pages(group, mapped));
        return NULL;
    }
    memset(group->storage - IN_BAND, 0, IN_BAND);
    memset((char *)group + mapped - IN_BAND, 0, IN_BAND);
    return group->storage;
}

BEHIND void *__libc_malloc_impl(size_t size) {
    void *const block = size <= PTRDIFF_MAX - PAGE ? mapping_make(size) : NULL;
    return block != NULL ? block : fail(ENOMEM);
}

static COLD void mapping_free(const struct slot *slot) {
    struct group *const group = slot->meta->group;
    const size_t mapped = meta_mapped(slot->meta);
    __brawn_lock(__malloc_lock);
    meta_end((struct meta *)(uintptr_t)slot->meta);
    __brawn_unlock(__malloc_lock);
    (void)KERNEL_CALL(__brawn_unmap_pages(group, mapped));
}

BEHIND void __libc_free(void *block) {
    if (block == NULL) {
        return;
    }
    const struct slot slot = slot_of(block);
    (void)slot_size(&slot, block);
    mapping_free(&slot);
}

/* The front end asks for this where both sizes have a mapping of their own: it stays, or the kernel moves
 * it. Anything else is copied. */
BEHIND void *__libc_realloc(void *block, size_t size) {
    const struct slot slot = slot_of(block);
    struct meta *const meta = (struct meta *)(uintptr_t)slot.meta;
    if (slot.start == block && size <= PTRDIFF_MAX - PAGE) {
        const size_t mapped = mapping_size(size);
        struct group *const group =
            KERNEL_CALL(__brawn_remap_pages(meta->group, meta_mapped(meta), mapped, MREMAP_MAYMOVE));
        if (group != MAP_FAILED) {
            meta->group = group;
            meta->bits = mapped / PAGE << 12 | (meta->bits & 0xfff);
            memset((char *)group + mapped - IN_BAND, 0, IN_BAND);
            header_take_all(group->storage, 0);
            return group->storage;
        }
    }
    const size_t had = slot_size(&slot, block);
    void *const moved = backend_malloc(size);
    if (moved != NULL) {
        memcpy(moved, block, had < size ? had : size);
        __brawn_free(block);
    }
    return moved;
}

/* Fork: with -1 before, then with 0 in the parent or 1 in the child. */
BEHIND void __malloc_atfork(int who) {
    who < 0 ? lock_take_always((lock *)(uintptr_t)__malloc_lock)
            : lock_give_always((lock *)(uintptr_t)__malloc_lock);
}

#endif
