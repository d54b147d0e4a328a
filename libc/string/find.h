/* memchr and wmemchr: the first lane that equals `c`.
 *
 * The bytes count as read one after the other: a caller may give an `n` that goes past the end of the object
 * when it knows that there is a match before (C23 7.26.5.2). So nothing is loaded that does not begin within
 * an aligned block, or a page, in which an earlier byte is known to be readable.
 *
 * Plan: 16 bytes at once in the entry; then one vector from the start; then aligned vectors, four singly, and
 * in a loop over aligned groups of four with one branch each. */

#include "lanes.h"

#ifdef BRAWN_PASS

/* Is there a match in these lanes, of which only the first `left` count? */
#define FOUND_IN(where, mask, left)                                                                          \
    if (mask) {                                                                                              \
        const size_t index = lane_mask_first(mask);                                                          \
        return index < (left) ? (void *)((where) + index) : NULL;                                            \
    }

OVER_READS static NOINLINE void *LEVEL_NAME(find_long)(const lane *s, lane c, size_t n) {
    const vec needle = lane_fill(c);
    const lane *p = s;
    size_t left = n;
    if (!crosses_page(s, VEC)) {
        const lane_mask mask = lane_mask_of(lane_equal(vec_load(s), needle));
        FOUND_IN(s, mask, n)
        if (n <= LANES) {
            return NULL;
        }
        p = (const lane *)(((uintptr_t)s | (VEC - 1)) + 1);
    } else {
        const lane *const block = (const lane *)((uintptr_t)s & -VEC);
        const size_t skipped = (size_t)(s - block);
        const lane_mask mask =
            lane_mask_after(lane_mask_of(lane_equal(vec_load_aligned(block), needle)), skipped);
        FOUND_IN(s, mask, n)
        p = block + LANES;
        if (n <= LANES - skipped) {
            return NULL;
        }
    }
    left = n - (size_t)(p - s);
    for (int i = 0; i < 4; i++) {
        const lane_mask mask = lane_mask_of(lane_equal(vec_load_aligned(p), needle));
        FOUND_IN(p, mask, left)
        if (left <= LANES) {
            return NULL;
        }
        p += LANES;
        left -= LANES;
    }
    /* Back to a group of four that begins at a multiple of its size: what is looked at again has no match. */
    const lane *const group = (const lane *)((uintptr_t)p & -(4 * VEC));
    left += (size_t)(p - group);
    p = group;
    while (left > 4 * LANES) {
        const lane_test t0 = lane_equal(vec_load_aligned(p), needle);
        const lane_test t1 = lane_equal(vec_load_aligned(p + LANES), needle);
        const lane_test t2 = lane_equal(vec_load_aligned(p + 2 * LANES), needle);
        const lane_test t3 = lane_equal(vec_load_aligned(p + 3 * LANES), needle);
        if (lane_test_any(lane_test_or(lane_test_or(t0, t1), lane_test_or(t2, t3)))) {
            break;
        }
        p += 4 * LANES;
        left -= 4 * LANES;
    }
    for (;;) {
        const lane_mask mask = lane_mask_of(lane_equal(vec_load_aligned(p), needle));
        FOUND_IN(p, mask, left)
        if (left <= LANES) {
            return NULL;
        }
        p += LANES;
        left -= LANES;
    }
}

#undef FOUND_IN

#else

DISPATCHED(void *, find_long, (const lane *s, lane c, size_t n), (s, c, n))

OVER_READS INLINE void *find(const lane *s, lane c, size_t n) {
    if (UNLIKELY(n == 0)) {
        return NULL;
    }
    if (LIKELY(!crosses_page(s, VEC))) {
        const lane_mask mask =
            lane_mask_before(lane_mask_of(lane_equal(vec_load(s), lane_fill(c))), n < LANES ? n : LANES);
        if (mask) {
            return (void *)(s + lane_mask_first(mask));
        }
    } else {
        const size_t until_page = (-(uintptr_t)s & (VEC - 1)) / sizeof(lane);
        const lane *const block = (const lane *)((uintptr_t)s & -VEC);
        const lane_mask mask = lane_mask_after(
            lane_mask_of(lane_equal(vec_load_aligned(block), lane_fill(c))), (size_t)(s - block));
        if (mask) {
            const size_t index = lane_mask_first(mask);
            return index < n ? (void *)(s + index) : NULL;
        }
        if (n <= until_page) {
            return NULL;
        }
        return find_long(s, c, n);
    }
    if (n <= LANES) {
        return NULL;
    }
    return find_long(s, c, n);
}

#endif
