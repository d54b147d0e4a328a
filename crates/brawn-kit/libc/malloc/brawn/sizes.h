/* The classes of the front end: the sizes that its blocks have. In the plain build they are its own, as
 * its slots are: multiples of 16 up to 256, then eight for each power of two. In the hardened build, where
 * a block lies in a slot of mallocng behind a header, they are mallocng's. */
#ifndef BRAWN_SIZES_H
#define BRAWN_SIZES_H

#include "layout.h"

#ifdef SLABS

enum {
    SIZES = 88,
    SMALL_SIZES = 32, /* up to 1,024 bytes: kept by threads, in chains by all */
    FINE_SIZES = 16,  /* multiples of 16 */
    STEPS = 8,        /* for each power of two above them */
};

#define SMALL_LARGEST ((size_t)1024)
#define MEDIUM_LARGEST ((size_t)131072)

/* Of a block of this class: a program may use all of them. */
static inline size_t class_bytes(unsigned class) {
    if (class < FINE_SIZES) {
        return UNIT * (size_t)(class + 1);
    }
    const unsigned above = class - FINE_SIZES;
    return (size_t)(STEPS + 1 + above % STEPS) << (5 + above / STEPS);
}

/* The smallest class for a block of so many bytes: more than 256, and at most MEDIUM_LARGEST. */
static inline unsigned class_of_medium(size_t size) {
    const unsigned last = (unsigned)size - 1, power = 31 - (unsigned)__builtin_clz(last);
    return FINE_SIZES + STEPS * (power - 8) + (last >> (power - 3)) % STEPS;
}

/* The classes of small sizes, by their units. */
static const unsigned char small_class[65] = {
    0,  0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 16, 17, 17, 18,
    18, 19, 19, 20, 20, 21, 21, 22, 22, 23, 23, 24, 24, 24, 24, 25, 25, 25, 25, 26, 26, 26,
    26, 27, 27, 27, 27, 28, 28, 28, 28, 29, 29, 29, 29, 30, 30, 30, 30, 31, 31, 31, 31,
};

static inline unsigned class_of_small(size_t size) {
    return small_class[(size + UNIT - 1) / UNIT];
}

static inline unsigned class_of(size_t size) {
    return size <= SMALL_LARGEST ? class_of_small(size) : class_of_medium(size);
}

#else

enum { SIZES = CLASSES, SMALL_SIZES = SMALL_CLASSES };

#define SMALL_LARGEST ((size_t)(63 * UNIT - IN_BAND))
#define MEDIUM_LARGEST LARGEST_SLOT

static inline size_t class_bytes(unsigned class) {
    return UNIT * (size_t)__malloc_size_classes[class];
}

/* The smallest class for a block of this size, which has 64 units at least and is at most
 * LARGEST_SLOT: there are four for each power of two. */
static inline unsigned class_of_medium(size_t size) {
    const unsigned units = (unsigned)((size + IN_BAND + UNIT - 1) / UNIT);
    unsigned class = 20 + 4 * (31 - 6 - (unsigned)__builtin_clz(units));
    while (__malloc_size_classes[class] < units) {
        class ++;
    }
    return class;
}

static const unsigned char small_class[64] = {
    0,  0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 10, 11, 11, 11, 12, 12, 12, 13, 13, 14,
    14, 14, 14, 14, 15, 15, 15, 15, 15, 15, 16, 16, 16, 16, 16, 17, 17, 17, 17, 17, 17, 18,
    18, 18, 18, 18, 18, 18, 18, 19, 19, 19, 19, 19, 19, 19, 19, 19, 19, 19, 19, 19,
};

static inline unsigned class_of_small(size_t size) {
    return small_class[(size + IN_BAND + UNIT - 1) / UNIT];
}

/* The request for which mallocng gives a whole slot of this class. */
static inline size_t class_request(unsigned class) {
    const size_t capacity = class_capacity(class);
    return capacity > LARGEST_SLOT ? LARGEST_SLOT : capacity;
}

#endif

enum { SHELVES = SIZES - SMALL_SIZES }; /* medium classes */

#endif
