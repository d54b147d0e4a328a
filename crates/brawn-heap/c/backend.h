/* The back end: what mallocng is to the front end inside musl, in as many lines as a library needs. It keeps
 * groups of slots in the layout that the front end reads (malloc/brawn/layout.h), and no policy: caches, pools,
 * pages and checks are the front end's.
 *
 * Each class has a ring of groups with free slots. Slots are given out from the `available` of its first group,
 * under the lock; who frees one that is neither the first of its group nor the last adds it to `freed` without,
 * here as in malloc/brawn/slots.h; when `available` is empty it is filled from `freed`. A group goes with its
 * last slot. Groups of small slots lie in slots of a larger class, others in pages of chunks. */
#ifndef BRAWN_HEAP_BACKEND_H
#define BRAWN_HEAP_BACKEND_H

enum {
    SLOTS_MOST = 32,   /* of a group: the bits of a mask */
    GROUP_PAGES = 4,   /* of a group that has several slots, as a rule */
    GROUPS_BEFORE = 4, /* groups of a small class that have one page */
    META_PAGES = 16,   /* of metas, mapped at a time and touched one by one */
    FREEABLE = 1 << 5,
    CLASS_AT = 1 << 6,
    METAS = (PAGE - sizeof(uint64_t)) / sizeof(struct meta),
};

const uint16_t __malloc_size_classes[CLASSES] = {
    1,   2,   3,   4,    5,    6,    7,    8,    9,    10,   12,   15,   18,   20,   25,   31,
    36,  42,  50,  63,   72,   84,   102,  127,  146,  170,  204,  255,  292,  340,  409,  511,
    584, 682, 818, 1023, 1169, 1364, 1637, 2047, 2340, 2730, 3276, 4095, 4680, 5460, 6552, 8191,
};
struct malloc_context __malloc_context;
volatile int __malloc_lock[1];

/* A page of metas begins with the secret, by which one is told from anything else. */
struct meta_page {
    uint64_t secret;
    struct meta metas[METAS];
};

/* All of it belongs to who has the lock. */
static struct {
    struct meta *rings[CLASSES];
    uint32_t groups[CLASSES];
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
            __malloc_context.secret = (mixed ^ mixed >> 29 ^ random[0] * 0x9e3779b97f4a7c15) | 1;
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

static RARE void ring_add(struct meta *meta) {
    struct meta **const ring = &backend.rings[meta_class(meta)];
    if (*ring == NULL) {
        *ring = meta->previous = meta->next = meta;
        return;
    }
    meta->next = *ring;
    meta->previous = (*ring)->previous;
    meta->previous->next = meta->next->previous = meta;
}

static RARE void ring_remove(struct meta *meta) {
    struct meta **const ring = &backend.rings[meta_class(meta)];
    if (*ring == meta) {
        *ring = meta->next == meta ? NULL : meta->next;
    }
    meta->previous->next = meta->next;
    meta->next->previous = meta->previous;
    meta->previous = meta->next = NULL;
}

static void group_set(struct meta *meta, struct group *group, unsigned class, unsigned slots, size_t mapped) {
    group->meta = meta;
    meta->group = group;
    meta->available = (int)(((uint64_t)1 << slots) - 1);
    meta->freed = 0;
    meta->bits = mapped / PAGE << 12 | (uint64_t)class * CLASS_AT | FREEABLE | (slots - 1);
}

static RARE void *map_zeroed(size_t size) {
    void *const start = KERNEL_CALL(
        __brawn_map_pages(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    return start == MAP_FAILED ? NULL : start;
}

static void *slot_take(unsigned class);
static void slot_give(struct meta *meta, unsigned index);

/* A group in a slot of another: in the largest that 32 slots would fill. The bytes between slots must be 0. */
static RARE bool group_nest(struct meta *meta, unsigned class, size_t stride) {
    unsigned outer = class + 1;
    while (outer + 1 < CLASSES && class_capacity(outer + 1) <= UNIT + SLOTS_MOST * stride) {
        outer++;
    }
    unsigned char *const group = slot_take(outer);
    if (group == NULL) {
        return false;
    }
    block_mark(group, group[-3]); /* no one frees it by mistake */
    const unsigned slots = (unsigned)((class_capacity(outer) - UNIT) / stride);
    for (unsigned at = 0; at <= slots; at++) {
        memset(group + UNIT + at * stride - IN_BAND, 0, IN_BAND);
    }
    group_set(meta, (struct group *)group, class, slots, 0);
    return true;
}

static RARE bool group_map(struct meta *meta, unsigned class, size_t stride) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t size = page > GROUP_PAGES * PAGE ? page : GROUP_PAGES * (size_t)PAGE;
    if (class < SMALL_CLASSES && backend.groups[class] < GROUPS_BEFORE) {
        size = page;
    }
    size_t slots = (size - UNIT) / stride;
    slots = slots > SLOTS_MOST ? SLOTS_MOST : slots;
    if (slots < 2) {
        slots = 1;
        size = (UNIT + stride + PAGE - 1) / PAGE * PAGE;
    }
    struct group *const group = map_zeroed(size);
    if (group != NULL) {
        group_set(meta, group, class, (unsigned)slots, size);
    }
    return group != NULL;
}

static RARE struct meta *group_make(unsigned class) {
    const size_t stride = UNIT * (size_t)__malloc_size_classes[class];
    struct meta *const meta = meta_make();
    if (meta == NULL) {
        return NULL;
    }
    const bool nests = UNIT + SLOTS_MOST * stride < (size_t)sysconf(_SC_PAGESIZE);
    if (!(nests ? group_nest(meta, class, stride) : group_map(meta, class, stride))) {
        meta_end(meta);
        return NULL;
    }
    backend.groups[class]++;
    ring_add(meta);
    return meta;
}

/* A slot of this class, from its start to its end. The caller has the lock. */
static RARE void *slot_take(unsigned class) {
    struct meta *meta;
    while ((meta = backend.rings[class]) != NULL && meta->available == 0) {
        const int freed = __atomic_exchange_n(&meta->freed, 0, __ATOMIC_ACQ_REL);
        if (freed != 0) {
            __atomic_store_n(&meta->available, freed, __ATOMIC_RELEASE);
            break;
        }
        ring_remove(meta);
    }
    if (meta == NULL && (meta = group_make(class)) == NULL) {
        return NULL;
    }
    const uint32_t available = meta_read(&meta->available);
    __atomic_store_n(&meta->available, (int)(available & (available - 1)), __ATOMIC_RELEASE);
    return slot_begin(meta, (unsigned)__builtin_ctz(available));
}

/* There is no block here any more. */
static inline void header_end(void *block) {
    unsigned char *const bytes = block;
    bytes[-3] = 255;
    memset(bytes - 2, 0, 2);
}

/* All of its slots are free, so it is no one's. */
static RARE void group_end(struct meta *meta) {
    struct group *const group = meta->group;
    const size_t mapped = meta_mapped(meta);
    backend.groups[meta_class(meta)]--;
    if (meta->next != NULL) {
        ring_remove(meta);
    }
    meta_end(meta);
    if (mapped != 0) {
        (void)KERNEL_CALL(__brawn_unmap_pages(group, mapped));
        return;
    }
    const struct header header = header_of(group);
    struct meta *const outer = group_at(group, header.offset)->meta;
    header_end(group);
    slot_give(outer, header.index);
}

/* The first slot of a group that becomes free, or the last. The caller has the lock; others may add to `freed`. */
static RARE void slot_give(struct meta *meta, unsigned index) {
    const uint32_t bit = (uint32_t)1 << index, all = ((uint32_t)2 << meta_last_index(meta)) - 1;
    const uint32_t freed = meta_read(&meta->freed), free = freed | meta_read(&meta->available);
    if ((free & bit) != 0) {
        die_of_header(RESERVED_FREE);
    }
    if ((free | bit) == all) {
        group_end(meta);
        return;
    }
    if (meta->next == NULL) {
        ring_add(meta);
    }
    __atomic_fetch_or(&meta->freed, (int)bit, __ATOMIC_ACQ_REL);
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
        group_set(meta, group, CLASS_OF_MAPPINGS, 1, mapped);
        meta->available = 0;
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

/* As large as its slot. */
void *__libc_malloc_impl(size_t size) {
    if (size > LARGEST_SLOT) {
        return size <= PTRDIFF_MAX - PAGE ? mapping_make(size) : NULL;
    }
    const size_t units = (size + IN_BAND + UNIT - 1) / UNIT;
    const unsigned class = size <= SMALL_LARGEST ? small_class[units] : class_of_medium(size);
    __brawn_lock(__malloc_lock);
    void *const block = slot_take(class);
    __brawn_unlock(__malloc_lock);
    return block;
}

static COLD void mapping_free(const struct slot *slot) {
    struct group *const group = slot->meta->group;
    const size_t mapped = meta_mapped(slot->meta);
    __brawn_lock(__malloc_lock);
    meta_end((struct meta *)(uintptr_t)slot->meta);
    __brawn_unlock(__malloc_lock);
    (void)KERNEL_CALL(__brawn_unmap_pages(group, mapped));
}

void __libc_free(void *block) {
    if (block == NULL) {
        return;
    }
    const struct slot slot = slot_of(block);
    (void)slot_size(&slot, block);
    if (meta_class(slot.meta) == CLASS_OF_MAPPINGS) {
        mapping_free(&slot);
        return;
    }
    header_end(block_to_start(&slot, block));
    struct meta *const meta = (struct meta *)(uintptr_t)slot.meta;
    const uint32_t bit = (uint32_t)1 << slot.index, all = ((uint32_t)2 << meta_last_index(meta)) - 1;
    int freed;
    while ((freed = (int)meta_read(&meta->freed)) != 0) {
        const uint32_t free = (uint32_t)freed | meta_read(&meta->available);
        if ((free & bit) != 0) {
            die_of_header(RESERVED_FREE);
        }
        if ((free | bit) == all) {
            break;
        }
        if (__atomic_compare_exchange_n(&meta->freed, &freed, (int)((uint32_t)freed | bit), true,
                                        __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
            return;
        }
    }
    __brawn_lock(__malloc_lock);
    slot_give(meta, slot.index);
    __brawn_unlock(__malloc_lock);
}

/* The front end asks for this where both sizes have a mapping of their own: it stays, or the kernel moves it. Anything
 * else is copied. */
void *__libc_realloc(void *block, size_t size) {
    const struct slot slot = slot_of(block);
    struct meta *const meta = (struct meta *)(uintptr_t)slot.meta;
    if (meta_class(meta) == CLASS_OF_MAPPINGS && slot.start == block && size > LARGEST_SLOT &&
        size <= PTRDIFF_MAX - PAGE) {
        const size_t mapped = mapping_size(size);
        struct group *const group =
            KERNEL_CALL(__brawn_remap_pages(meta->group, meta_mapped(meta), mapped, MREMAP_MAYMOVE));
        if (group != MAP_FAILED) {
            meta->group = group;
            meta->bits = mapped / PAGE << 12 | (meta->bits & 0xfff);
            memset((char *)group + mapped - IN_BAND, 0, IN_BAND);
            block_take_all(group->storage, 0);
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
void __malloc_atfork(int who) {
    who < 0 ? lock_take_always((lock *)(uintptr_t)__malloc_lock)
            : lock_give_always((lock *)(uintptr_t)__malloc_lock);
}

#endif
