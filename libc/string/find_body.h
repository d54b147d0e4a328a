/* The long part of find.h, for every level; n is at least 1. */

/* Is there a match in these lanes, of which only the first `left` count? */
#define FOUND_IN(where, mask, left)                                                                          \
    if (mask) {                                                                                              \
        const size_t index = lane_mask_first(mask);                                                          \
        return index < (left) ? (void *)((where) + index) : NULL;                                            \
    }

FIND_LINKAGE void *LEVEL_NAME(find_long)(const lane *s, lane c, size_t n) {
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
    while ((uintptr_t)p & (4 * VEC - 1)) {
        const lane_mask mask = lane_mask_of(lane_equal(vec_load_aligned(p), needle));
        FOUND_IN(p, mask, left)
        if (left <= LANES) {
            return NULL;
        }
        p += LANES;
        left -= LANES;
    }
    /* A group lies within a page, so that all of it may be read when its beginning may. */
    while (left >= 4 * LANES) {
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
    while (left) {
        const lane_mask mask = lane_mask_of(lane_equal(vec_load_aligned(p), needle));
        FOUND_IN(p, mask, left)
        if (left <= LANES) {
            return NULL;
        }
        p += LANES;
        left -= LANES;
    }
    return NULL;
}

#undef FOUND_IN
