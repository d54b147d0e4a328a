/* From an address to the class of the block that begins there, and to the record of its slab, in the plain
 * build. Blocks have no headers: they lie side by side in slabs, which are a few pages of a chunk, cut into
 * slots of one class, or one page of pieces of 256 bytes, each cut into slots of a class of its own.
 *
 *     chunk, 1 MiB, aligned
 *     +----------------+-----------+---------+------------
 *     | HEAD, 16 KiB   | slab      | slab    | mallocng's groups, large blocks, free pages
 *     +----------------+-----------+---------+------------
 *       for each page: the class of the slab that it belongs to (0: none), and room for the record of a slab
 *       that begins there, with a bit for each free slot
 *
 * Which chunks there are is told by `chunk_tags` (address.h). A block that is alone in its slab needs no record: it
 * is in use as long as its pages tell of it, so the record's page need not be there. */
#ifndef BRAWN_SLAB_H
#define BRAWN_SLAB_H

#include "list.h"
#include "sizes.h"

#ifdef SLABS

enum {
    PIECE = 256, /* bytes */
    PIECES = PAGE / PIECE,
    SLAB_SLOTS = 256, /* at most */
    SLAB_WORDS = SLAB_SLOTS / 64,
    SLAB_WASTE = 32,  /* of a slab's bytes, one in so many may be left over behind its last slot */
    ALONE_WASTE = 16, /* the same where there is a single slot, which goes back with its block */
    OF_PIECES = 255,  /* the class of a page of pieces, as a page tells it */
    INSIDE = 254,     /* a page of a block that is alone in its slab, and does not begin here */
    GOES_ON = 255,    /* of a piece that belongs to the one before */
};

/* What is known of a slab. Whoever has `slabs.lock` may read and change it. */
struct slab {
    struct slab *next, *previous; /* of those of a class that have free slots, or of the pages of pieces */
    union {
        struct {
            uint64_t free[SLAB_WORDS]; /* slots */
            uint16_t free_count, slots;
            uint16_t begun; /* no slot from this one on was ever taken */
            unsigned char class, pages;
            uint64_t before; /* pages of its slab: of each page, not only of the first */
        };
        struct {
            uint16_t piece_free[PIECES];       /* slots of each piece */
            unsigned char piece_class[PIECES]; /* and one more; GOES_ON, or 0 */
        };
    };
};

union chunk_head {
    unsigned char told[CHUNK_PAGES]; /* by each page: its class and one more, OF_PIECES, or 0 */
    struct slab slabs[CHUNK_PAGES];  /* those of the head's own pages are never used */
};

_Static_assert(sizeof(struct slab) == PAGE / HEAD_SHARE, "a record has the room that a page has in the head");
_Static_assert(sizeof(union chunk_head) == (size_t)HEAD_PAGES * PAGE, "the head takes its pages");
_Static_assert(CHUNK_PAGES <= HEAD_PAGES * sizeof(struct slab),
               "what pages tell lies in the head's own records");

static inline union chunk_head *head_of(const void *place) {
    return (union chunk_head *)((uintptr_t)place & -(uintptr_t)CHUNK_BYTES);
}

static inline unsigned page_in_chunk(const void *place) {
    return (unsigned)((uintptr_t)place % CHUNK_BYTES / PAGE);
}

static inline unsigned page_told(const void *place) {
    return head_of(place)->told[page_in_chunk(place)];
}

static inline unsigned char *slab_start(const struct slab *slab) {
    union chunk_head *const head = head_of(slab);
    return (unsigned char *)head + (size_t)(slab - head->slabs) * PAGE;
}

/* Of each small class: what a multiple of its bytes gives less than, times this, in 32 bits, while the
 * upper 32 of 64 bits are the quotient; and how to come from an address to the distance from its slab,
 * whose pages are as many as are well filled, and aligned to their number. */
#define SMALL(bytes, pages) {UINT32_MAX / (bytes) + 1, (pages) * PAGE - 1}
static const struct {
    uint32_t reciprocal, mask;
} small_sizes[SMALL_SIZES] = {
    SMALL(16, 1),  SMALL(32, 1),  SMALL(48, 1),  SMALL(64, 1),   SMALL(80, 1),  SMALL(96, 1),  SMALL(112, 1),
    SMALL(128, 1), SMALL(144, 1), SMALL(160, 1), SMALL(176, 1),  SMALL(192, 1), SMALL(208, 2), SMALL(224, 1),
    SMALL(240, 1), SMALL(256, 1), SMALL(288, 1), SMALL(320, 2),  SMALL(352, 2), SMALL(384, 2), SMALL(416, 4),
    SMALL(448, 1), SMALL(480, 2), SMALL(512, 1), SMALL(576, 1),  SMALL(640, 4), SMALL(704, 4), SMALL(768, 4),
    SMALL(832, 4), SMALL(896, 2), SMALL(960, 4), SMALL(1024, 1),
};

static COLD _Noreturn void die_of_address(void) {
    die("free or realloc of something that is not a block");
}

static COLD _Noreturn void die_of_second_free(void) {
    die("a block was freed twice, or used after it was freed");
}

/* Whether a small block may begin so many bytes from the start of a slab or piece of its class. */
static inline bool small_begins(unsigned class, uint32_t offset) {
    const uint32_t reciprocal = small_sizes[class].reciprocal;
    return offset * reciprocal < reciprocal;
}

/* Whether the place of a block in a slab of a small class begins here, and of which. The block is not
 * looked at: who frees many in no order would wait for each. That it was in use is seen when it is handed
 * out again, or goes back to its slab. */
static inline __attribute__((always_inline)) bool small_look(const void *block, unsigned *class) {
    if (unlikely(!has_table(block))) {
        return false;
    }
    *class = page_told(block) - 1;
    return likely(*class < SMALL_SIZES) &&
           likely(small_begins(*class, (uint32_t)(uintptr_t)block & small_sizes[*class].mask));
}

/* The same for a medium block, so many bytes from the start of its slab. */
#define STEP(number) (UINT32_MAX / (STEPS + (number)) + 1)
static const uint32_t step_reciprocal[STEPS] = {STEP(1), STEP(2), STEP(3), STEP(4),
                                                STEP(5), STEP(6), STEP(7), STEP(8)};
static inline bool medium_begins(unsigned class, uint32_t offset) {
    const unsigned above = class - FINE_SIZES, power = 5 + above / STEPS;
    const uint32_t steps = offset >> power, reciprocal = step_reciprocal[above % STEPS];
    return steps << power == offset && steps * reciprocal < reciprocal;
}

static inline struct slab *slab_of(const void *block, unsigned *told) {
    struct slab *const record = &head_of(block)->slabs[page_in_chunk(block)];
    *told = page_told(block);
    return *told == OF_PIECES ? record : record - record->before;
}

/* The pages of a block of this medium class, if they are filled well by it alone, or 0. */
static inline unsigned alone_pages(unsigned class) {
    const unsigned bytes = (unsigned)class_bytes(class), all = (bytes + PAGE - 1) / PAGE * PAGE;
    return all < 2 * bytes && (all - bytes) * ALONE_WASTE <= all ? all / PAGE : 0;
}

/* Whether a medium block in use begins here, and of which class. */
static inline bool medium_look(const void *block, unsigned *class) {
    if (!has_table(block) || page_told(block) - SMALL_SIZES - 1 >= SHELVES) {
        return false;
    }
    *class = page_told(block) - 1;
    unsigned told;
    if (unlikely(alone_pages(*class) != 0
                     ? (uintptr_t)block % PAGE != 0
                     : !medium_begins(*class, (uint32_t)((const unsigned char *)block -
                                                         slab_start(slab_of(block, &told)))))) {
        die_of_address();
    }
    if (unlikely(block_is_marked(block))) {
        die_of_second_free();
    }
    return true;
}

/* The same of any block that is no larger than MEDIUM_LARGEST. False: it has a header. */
static RARE bool slab_look(const void *block, unsigned *class) {
    if (medium_look(block, class)) {
        return true;
    }
    if (!has_table(block) || page_told(block) == 0) {
        return false;
    }
    if (!small_look(block, class)) {
        unsigned told;
        const struct slab *const slab = slab_of(block, &told);
        const uint32_t offset = (uint32_t)(uintptr_t)block % PAGE;
        *class = told == OF_PIECES ? slab->piece_class[offset / PIECE] - 1u : SIZES;
        if (*class >= SMALL_SIZES || !small_begins(*class, offset % PIECE)) {
            die_of_address();
        }
    }
    if (block_is_marked(block)) {
        die_of_second_free();
    }
    return true;
}

#endif
#endif
