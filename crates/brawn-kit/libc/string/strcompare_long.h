/* The long parts of strcmp and its variants: strcompare.h.
 *
 * Four pairs of vectors, with a branch for each; then groups of four, aligned in the first string, which go
 * back over some of what is the same. A group at whose beginning the second string is about to leave its page
 * is looked through up to there first. A group that has something goes the way of the first four. */
#ifndef BRAWN_STRCOMPARE_LONG_H
#define BRAWN_STRCOMPARE_LONG_H

#include "vector.h"
#include "strcompare.h"

/* Whether the strings part or end in four vectors. Where a comparison gives a vector, masking u with it
 * leaves a null lane wherever the strings part, and the minimum joins four of them (SSE2 has none of wide
 * lanes). AVX-512 compares into mask registers, which are slow to join. */
OVER_READS INLINE bool parting_in_four(const lane *a, const lane *b, bool folded) {
    const vec a0 = vec_load_aligned(a), a1 = vec_load_aligned(a + LANES);
    const vec a2 = vec_load_aligned(a + 2 * LANES), a3 = vec_load_aligned(a + 3 * LANES);
    const vec b0 = vec_load(b), b1 = vec_load(b + LANES);
    const vec b2 = vec_load(b + 2 * LANES), b3 = vec_load(b + 3 * LANES);
#if defined(BRAWN_VECTOR_AVX512_H) && !defined(LANES_WIDE)
    if (!folded) {
        return vec_four_part(a0, a1, a2, a3, b0, b1, b2, b3);
    }
#endif
    const vec k0 = lane_keep(same(a0, b0, folded), a0), k1 = lane_keep(same(a1, b1, folded), a1);
    const vec k2 = lane_keep(same(a2, b2, folded), a2), k3 = lane_keep(same(a3, b3, folded), a3);
    if (TEXT_WIDE && VEC == 16) {
        return lane_test_any(lane_test_or(lane_test_or(lane_null(k0), lane_null(k1)),
                                          lane_test_or(lane_null(k2), lane_null(k3))));
    }
    return lane_test_any(lane_null(lane_min(lane_min(k0, k1), lane_min(k2, k3))));
}

/* Goes on after at least 16 bytes that are the same and not null. `end` is where the limit is in the first
 * string, and not a. */
OVER_READS INLINE int compare_long(const lane *a, const lane *b, const lane *end, bool folded) {
    lane_mask mask;
    if (UNLIKELY(cross_page(a, b, 4 * VEC))) {
        return compare_edge(a, b, end, 4 * LANES, folded);
    }
#define STEP                                                                                                 \
    do {                                                                                                     \
        mask = parting(a, b, folded);                                                                        \
        IN_REGISTER(mask);                                                                                   \
        if (UNLIKELY(mask)) {                                                                                \
            goto found;                                                                                      \
        }                                                                                                    \
        a += LANES;                                                                                          \
        b += LANES;                                                                                          \
        IN_REGISTER(a);                                                                                      \
        IN_REGISTER(b);                                                                                      \
    } while (0)
    if (VEC == 64 && !folded) {
        /* What has been looked at is the first of a group, and where that ends with a page there is another before. */
        goto three;
    }
four:
    if (folded) {
        NO_UNROLL
        for (const lane *const stop = a + 4 * LANES; a < stop;) {
            STEP;
        }
    } else {
        STEP;
    three:
        STEP;
        STEP;
        STEP;
    }
    const size_t back = ((uintptr_t)a & (4 * VEC - 1)) / sizeof(lane);
    if (a >= end) {
        return 0;
    }
    a -= back;
    b -= back;
    for (;; a += 4 * LANES, b += 4 * LANES) {
        if (a >= end) {
            return 0;
        }
        if (UNLIKELY(crosses_page(b, 4 * VEC))) {
            /* By vectors of which the last ends with the page, and the first begins in what has been seen. */
            const size_t left = page_room(b) / sizeof(lane);
            const lane *const on_a = a, *const on_b = b;
            a += left % LANES, b += left % LANES;
            a -= LANES, b -= LANES;
            while (a < on_a + left) {
                STEP;
            }
            a = on_a, b = on_b;
            if (a + left >= end) {
                return 0;
            }
        }
        if (parting_in_four(a, b, folded)) {
            goto four;
        }
    }
#undef STEP
found:;
    const size_t at = lane_mask_first(mask);
    if (UNLIKELY(a + at >= end)) {
        BRANCH();
        return 0;
    }
    return order_of(a + at, b + at, folded);
}

#endif
