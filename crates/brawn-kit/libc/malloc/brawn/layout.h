/* How mallocng lays out memory: what the front end must know to tell a block's class without a lock.
 *
 * A group is a mapping, or a slot of a larger group, cut into up to 32 slots of one size. Its first 16
 * bytes lead to a `struct meta`, which lies apart in a page that begins with a secret. A block is preceded
 * by four bytes: the flag of a wide offset, the slot's index (5 bits) with the `reserved` field (3 bits),
 * and the distance to the group in units of 16 bytes. `reserved` says how much of the slot the block
 * leaves unused: 0 to 4 bytes, or 5 for more, which is then written at the slot's end. 7 marks a slot
 * whose block begins later than the slot. 6 marks a slot that is a smaller group, which no one frees; so
 * here it can also mean that a block lies in a cache.
 *
 * All this is the same from musl 1.2.1 to 1.2.6 on 64-bit machines. Anyone who links this file makes sure
 * that the libc.a has that mallocng (crates/brawn-libc/src/layout.rs). */
#ifndef BRAWN_LAYOUT_H
#define BRAWN_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "../kernel.h"

/* In the plain build the front end has slots of its own, without headers (slab.h). Checks of what the
 * hardened build does, in the plain one, say that they are to be without. */
#if !defined(BRAWN_HARDENED) && !defined(WITHOUT_SLABS)
#define SLABS
#endif

#define likely(condition) __builtin_expect(!!(condition), 1)
#define unlikely(condition) __builtin_expect(!!(condition), 0)
#ifdef __clang__
#define COMPACT __attribute__((minsize))
#else
#define COMPACT
#endif
/* Once or never in a program; beside a call of the kernel; and what stays out of the fast path. */
#define COLD __attribute__((noinline, cold)) COMPACT
#define RARE __attribute__((noinline)) COMPACT
#define SLOW __attribute__((noinline))
/* What others call by its name. The heap of a library keeps all of it to itself (crates/brawn-heap). */
#ifndef PUBLIC
#define PUBLIC __attribute__((visibility("default"), used))
#endif

enum {
    UNIT = 16,              /* slots and offsets are multiples of this */
    IN_BAND = 4,            /* bytes of a slot that its header takes from the block before */
    CLASSES = 48,           /* size classes */
    SMALL_CLASSES = 20,     /* up to 1,004 bytes: kept by threads, in chains by all */
    CLASS_OF_MAPPINGS = 63, /* stands for a block that is a mapping of its own */
    PAGE = 4096,            /* unit of `maplen`, whatever the machine's pages are */
    RESERVED_CACHED = 6,    /* the block is in a cache of the front end */
    RESERVED_FREE = 7,      /* the block begins elsewhere, or is free */
};

/* The largest request for which a block is a slot. */
#define LARGEST_SLOT ((size_t)131051)

struct group {
    struct meta *meta;
    unsigned char active_index;
    unsigned char pad[UNIT - sizeof(struct meta *) - 1];
    unsigned char storage[];
};

struct meta {
    struct meta *previous, *next;
    struct group *group;
    volatile int available, freed; /* one bit a slot */
    uint64_t bits;                 /* last index: 5, freeable: 1, class: 6, pages mapped: 52 */
};

/* Behind the front end: mallocng, by names that are hidden in musl, or backend.h, which keeps them in this file
 * (alone.h). `INNER` is what mallocng, in an overlay, calls of the front end, and `HOOK` what is called by a
 * name that is no one's in other libraries. */
#ifdef BRAWN_PRELOAD
#define HOOK static
#else
#define HOOK PUBLIC
#endif
#ifdef BRAWN_ALONE
#define BEHIND static
#define INNER static
#else
#define BEHIND extern __attribute__((visibility("hidden")))
#define INNER PUBLIC
#endif

/* A slot's size by class in units, and the secret. */
BEHIND const uint16_t __malloc_size_classes[CLASSES];
BEHIND struct malloc_context {
    uint64_t secret;
} __malloc_context;

/* musl's own record: whether there are threads. */
extern struct libc {
    char can_do_threads, threaded, secure;
    volatile signed char need_locks;
    volatile int threads_minus_1;
} __libc __attribute__((visibility("hidden")));

BEHIND void *__libc_malloc_impl(size_t);
BEHIND void *__libc_realloc(void *, size_t);
BEHIND void __libc_free(void *);
BEHIND void __malloc_atfork(int);

/* Damage has been found: one line, and the end. */
static COLD _Noreturn void die(const char *what) {
    kernel_print("brawn: ");
    kernel_print(what);
    kernel_print("\n");
    __builtin_trap();
}

/* The four bytes before a block. The second byte is written alone when the block comes and goes, and so it is
 * read alone: a wider load would have to wait until that store has left the processor's store buffer (pairs
 * of malloc and free took twice as long). */
struct header {
    unsigned wide;     /* 0, or the offset does not fit */
    unsigned index;    /* of the slot */
    unsigned reserved; /* see above */
    unsigned offset;   /* from the group, in units */
};

static inline struct header header_of(const void *block) {
    const unsigned char *const bytes = block;
    uint16_t offset;
    memcpy(&offset, bytes - 2, sizeof offset);
    return (struct header){bytes[-4], bytes[-3] & 31, bytes[-3] >> 5, offset};
}

static inline unsigned meta_last_index(const struct meta *meta) {
    return meta->bits & 31;
}

static inline unsigned meta_class(const struct meta *meta) {
    return (meta->bits >> 6) & 63;
}

static inline size_t meta_mapped(const struct meta *meta) {
    return (size_t)(meta->bits >> 12) * PAGE;
}

/* What the page of a meta begins with. */
static inline uint64_t meta_secret(const struct meta *meta) {
    return *(const uint64_t *)((uintptr_t)meta & -(uintptr_t)PAGE);
}

/* One of its masks, which any thread may change. */
static inline uint32_t meta_read(const volatile int *mask) {
    return (uint32_t)__atomic_load_n(mask, __ATOMIC_ACQUIRE);
}

/* What mallocng itself checks before it frees: the group and its meta know each other, the meta lies in a
 * page of metas, and the slot is in use. */
static inline bool meta_is_sound(const struct meta *meta, const struct group *group, unsigned index) {
    return meta->group == group && meta_secret(meta) == __malloc_context.secret &&
           index <= meta_last_index(meta) &&
           ((meta_read(&meta->available) | meta_read(&meta->freed)) >> index & 1) == 0;
}

/* A block's slot, in full. */
struct slot {
    const struct meta *meta;
    unsigned char *start, *end; /* of what a block can use */
    unsigned index, reserved;
};

static COLD _Noreturn void die_of_header(unsigned reserved) {
    die(reserved >= RESERVED_CACHED ? "a block was freed twice, or used after it was freed"
                                    : "free or realloc of something that is not a block");
}

/* Finds it, with every check that mallocng makes. */
static SLOW struct slot slot_of(const void *block) {
    const unsigned char *const bytes = block;
    const struct header header = header_of(block);
    size_t offset = header.offset;
    if (unlikely(((uintptr_t)block & (UNIT - 1)) != 0 || header.reserved >= RESERVED_CACHED)) {
        die_of_header(((uintptr_t)block & (UNIT - 1)) != 0 ? 0 : header.reserved);
    }
    if (unlikely(header.wide != 0)) {
        uint32_t wide;
        memcpy(&wide, bytes - 8, sizeof wide);
        if (offset != 0 || wide <= 0xffff) {
            die_of_header(0);
        }
        offset = wide;
    }
    struct group *const group = (struct group *)(bytes - UNIT * offset - UNIT);
    const struct meta *const meta = group->meta;
    const unsigned class = meta_class(meta);
    if (unlikely(!meta_is_sound(meta, group, header.index) ||
                 (class >= CLASSES && class != CLASS_OF_MAPPINGS))) {
        die_of_header(0);
    }
    const size_t mapped = meta_mapped(meta);
    const bool single = meta_last_index(meta) == 0 && mapped != 0;
    const size_t stride = single ? mapped - UNIT : UNIT * (size_t)__malloc_size_classes[class % CLASSES];
    unsigned char *const start = group->storage + stride * header.index;
    const struct slot slot = {meta, start, start + stride - IN_BAND, header.index, header.reserved};
    if (unlikely(bytes < start || bytes >= slot.end || *slot.end != 0)) {
        die_of_header(0);
    }
    return slot;
}

/* Of how many bytes mallocng believes the block to be. */
static inline size_t slot_size(const struct slot *slot, const void *block) {
    uint32_t reserved = slot->reserved;
    if (reserved == 5) {
        memcpy(&reserved, slot->end - 4, sizeof reserved);
    }
    const size_t room = (size_t)(slot->end - (const unsigned char *)block);
    if (unlikely(reserved > room || *(slot->end - reserved) != 0)) {
        die("a block was written past its end");
    }
    return room - reserved;
}

/* The block takes all that is left of its slot. */
static inline void header_take_all(void *block, unsigned index) {
    ((unsigned char *)block)[-3] = (unsigned char)index;
}

static inline void header_mark(void *block, unsigned index) {
    ((unsigned char *)block)[-3] = (unsigned char)(index | RESERVED_CACHED << 5);
}

/* The index of a block in a cache; more than 31 if it does not say that it is in one. */
static inline unsigned header_marked(const void *block) {
    return ((const unsigned char *)block)[-3] - (unsigned)(RESERVED_CACHED << 5);
}

/* It leaves a cache: what was handed over must still be what was taken. */
static inline void header_unmark(void *block) {
    const unsigned index = header_marked(block);
    if (unlikely(index > 31)) {
        die("a free block was written to");
    }
    header_take_all(block, index);
}

/* Moves a block that begins later than its slot (mallocng cycles offsets in slots, and aligned blocks begin
 * where they must) to the slot's start, so that anyone who gets it next has all of it. */
static inline void *block_to_start(const struct slot *slot, void *block) {
    unsigned char *const start = slot->start, *const old = block;
    if (old == start) {
        return block;
    }
    if (start[-4] != 0) {
        die("the block before this one was written past its end");
    }
    old[-3] = 255;
    memset(old - 2, 0, 2);
    const uint16_t offset = (uint16_t)((size_t)(start - slot->meta->group->storage) / UNIT);
    memcpy(start - 2, &offset, sizeof offset);
    start[-3] = (unsigned char)slot->index;
    return start;
}

/* The opposite: `block` is the slot's only block from now on. */
static inline void block_move_up(const struct slot *slot, unsigned char *block) {
    const size_t offset = (size_t)(block - slot->meta->group->storage) / UNIT;
    const size_t skipped = (size_t)(block - slot->start) / UNIT;
    const uint16_t narrow = offset <= 0xffff ? (uint16_t)offset : 0;
    if (offset > 0xffff) {
        const uint32_t wide = (uint32_t)offset;
        memcpy(block - 8, &wide, sizeof wide);
    }
    block[-4] = offset > 0xffff;
    block[-3] = (unsigned char)slot->index;
    memcpy(block - 2, &narrow, sizeof narrow);
    const uint16_t cycle = (uint16_t)skipped;
    memcpy(slot->start - 2, &cycle, sizeof cycle);
    slot->start[-3] = RESERVED_FREE << 5;
}

/* Ends a block of a slot that ends at `end` after `size` bytes: the same that mallocng writes for a request.
 */
static inline void block_end_after(void *block, unsigned char *end, size_t size) {
    unsigned char *const bytes = block;
    const size_t left = (size_t)(end - bytes) - size;
    const unsigned index = bytes[-3] & 31;
    if (left > 0) {
        *(end - left) = 0;
    }
    if (left >= 5) {
        const uint32_t wide = (uint32_t)left;
        memcpy(end - 4, &wide, sizeof wide);
        *(end - 5) = 0;
    }
    bytes[-3] = (unsigned char)(index | (left < 5 ? left : 5) << 5);
}

/* What a block of this class can hold, in bytes. */
static inline size_t class_capacity(unsigned class) {
    return UNIT * (size_t)__malloc_size_classes[class] - IN_BAND;
}

/* The largest class for which this capacity is enough, which is 12 bytes or more. It is that of the slot's
 * group as a rule; but a group of one slot ends with its last page. */
static inline unsigned class_of_capacity(unsigned class, size_t capacity) {
    if (likely(class_capacity(class) == capacity)) {
        return class;
    }
    while (class_capacity(class) > capacity) {
        class --;
    }
    while (class + 1 < CLASSES && class_capacity(class + 1) <= capacity) {
        class ++;
    }
    return class;
}

#endif
