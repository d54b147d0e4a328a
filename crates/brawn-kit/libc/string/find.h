/* memchr and wmemchr: the first lane that equals `c`.
 *
 * The bytes count as read one after the other: a caller may give an `n` that goes past the end of the object
 * when it knows that there is a match before (C23 7.26.5.2). So nothing is loaded that does not begin within
 * an aligned block, or a page, in which an earlier byte is known to be readable.
 *
 * Plan: the entry looks through up to 64 bytes, 16 and then the next 48 together, as long as the page goes
 * on. Otherwise (find_long.h) one vector of the level, then aligned ones, singly up to an aligned group of
 * four, and from there groups with one branch each. */
#ifndef BRAWN_FIND_H
#define BRAWN_FIND_H

#include "vector16.h"
#include "text.h"

#ifdef LANES_WIDE
DISPATCH_TO_AVX2(void *, find_long, __brawn_wmemchr, (const lane *s, lane c, size_t n), (s, c, n))
#else
DISPATCH_TO_AVX512(void *, find_long, __brawn_memchr, (const lane *s, lane c, size_t n), (s, c, n))
#endif

/* At the end of a page: in aligned vectors of 16 bytes, without a look at the level for what is short. */
OVER_READS COLD static void *find_at_edge(const lane *s, lane c, size_t n) {
    const lane *p = (const lane *)((uintptr_t)s & -VEC);
    for (;;) {
        lane_mask mask = lane_mask_of(lane_equal(vec_load_aligned(p), lane_fill(c)));
        size_t skipped = 0;
        if (p < s) {
            skipped = (size_t)(s - p);
            mask = lane_mask_after(mask, skipped);
        }
        if (mask) {
            const lane *const found = p + skipped + lane_mask_first(mask);
            return (size_t)(found - s) < n ? (void *)found : NULL;
        }
        p += LANES;
        if ((size_t)(p - s) >= n) {
            return NULL;
        }
    }
}

OVER_READS INLINE void *find(const lane *s, lane c, size_t n) {
    const vec needle = lane_fill(c);
    if (UNLIKELY(n == 0)) {
        return NULL;
    }
    if (n > 4 * LANES) {
        return find_long(s, c, n);
    }
    if (crosses_page(s, 4 * VEC)) {
        return find_at_edge(s, c, n);
    }
    const lane_mask mask = lane_mask_of(lane_equal(vec_load(s), needle));
    if (mask) {
        const size_t index = lane_mask_first(mask);
        return index < n ? (void *)(s + index) : NULL;
    }
    if (n <= LANES) {
        return NULL;
    }
    const lane_test t1 = lane_equal(vec_load(s + LANES), needle);
    const lane_test t2 = lane_equal(vec_load(s + 2 * LANES), needle);
    const lane_test t3 = lane_equal(vec_load(s + 3 * LANES), needle);
    if (lane_test_any(lane_test_or(lane_test_or(t1, t2), t3))) {
        size_t at = LANES;
        lane_mask found = lane_mask_of(t1);
        if (!found) {
            at = 2 * LANES;
            found = lane_mask_of(t2);
        }
        if (!found) {
            at = 3 * LANES;
            found = lane_mask_of(t3);
        }
        at += lane_mask_first(found);
        return at < n ? (void *)(s + at) : NULL;
    }
    return NULL;
}

#endif
