/* The long part of memchr and wmemchr (find.h); n is at least 1. */
#ifndef BRAWN_FIND_LONG_H
#define BRAWN_FIND_LONG_H

#include "vector.h"
#include "text.h"
#include "group.h"

OVER_READS INLINE void *find_long(const lane *s, lane c, size_t n) {
    const vec needle = lane_fill(c);
    /* The end, or the last place that an object can end at where that wraps around. */
    const size_t most = ~(uintptr_t)s / sizeof(lane);
    const lane *const end = (const lane *)((uintptr_t)s + (n < most ? n : most) * sizeof(lane));
    const lane *p = s;
    lane_mask mask;
    if (LIKELY(!crosses_page(s, VEC))) {
        mask = lane_mask_of(lane_equal(vec_load(s), needle));
    } else {
        const lane *const block = (const lane *)((uintptr_t)s & -VEC);
        mask =
            lane_mask_after(lane_mask_of(lane_equal(vec_load_aligned(block), needle)), (size_t)(s - block));
    }
    if (UNLIKELY(mask)) {
        goto found;
    }
    p = (const lane *)(((uintptr_t)s | (VEC - 1)) + 1);
#define STEP                                                                                                 \
    do {                                                                                                     \
        if (UNLIKELY(p >= end)) {                                                                            \
            return NULL;                                                                                     \
        }                                                                                                    \
        mask = lane_mask_of(lane_equal(vec_load_aligned(p), needle));                                        \
        IN_REGISTER(mask);                                                                                   \
        if (UNLIKELY(mask)) {                                                                                \
            goto found;                                                                                      \
        }                                                                                                    \
        p += LANES;                                                                                          \
        IN_REGISTER(p);                                                                                      \
    } while (0)
four:
    STEP;
    STEP;
    STEP;
    STEP;
    /* A group lies within a page, so that all of it may be read when its beginning may. The first begins with
     * some of what has been looked at. */
    for (p = (const lane *)((uintptr_t)p & -(4 * VEC));; p += 4 * LANES) {
        if (p >= end) {
            return NULL;
        }
        if (equal_in_four(p, needle)) {
            goto four;
        }
    }
#undef STEP
found:
    p += lane_mask_first(mask);
    return p < end ? (void *)(uintptr_t)p : NULL;
}

#endif
