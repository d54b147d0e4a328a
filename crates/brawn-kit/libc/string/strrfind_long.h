/* The long part of strrchr and wcsrchr.
 *
 * Single vectors of the level's width up to a group of four, then groups with one branch while they have
 * neither the character nor the null, and two while they have no null. One pass: of the groups with a match
 * the last is remembered. */
#ifndef BRAWN_STRRFIND_LONG_H
#define BRAWN_STRRFIND_LONG_H

#include "vector.h"
#include "text.h"
#include "group.h"
#include "last_of.h"

/* Whether one of four aligned vectors has the null. */
OVER_READS INLINE bool ends_in_four(const lane *p) {
    const vec a = vec_load_aligned(p), b = vec_load_aligned(p + LANES), c = vec_load_aligned(p + 2 * LANES),
              d = vec_load_aligned(p + 3 * LANES);
    if (TEXT_WIDE && VEC == 16) {
        return lane_test_any(
            lane_test_or(lane_test_or(lane_null(a), lane_null(b)), lane_test_or(lane_null(c), lane_null(d))));
    }
    return lane_test_any(lane_null(lane_min(lane_min(a, b), lane_min(c, d))));
}

/* Everything before p has been looked at: at least SMALL_BYTES, or p is where a page begins. `last` is the
 * last match before p. */
OVER_READS INLINE TEXT_TYPE *last_long(const lane *p, lane character, const lane *last) {
    const vec wanted = lane_fill(character);
    const lane *older = NULL, *seen = NULL;
    lane_mask mask;
    vec v;
    if (4 * VEC <= SMALL_BYTES) {
        /* A group is no longer than what has been looked at. */
        goto group;
    }
    p = align_down(p, VEC);
single:
#define STEP                                                                                                 \
    do {                                                                                                     \
        v = vec_load_aligned(p);                                                                             \
        mask = lane_mask_of(wanted_test(v, wanted, true));                                                   \
        IN_REGISTER(mask);                                                                                   \
        if (UNLIKELY(mask)) {                                                                                \
            goto found;                                                                                      \
        }                                                                                                    \
        p += LANES;                                                                                          \
        IN_REGISTER(p);                                                                                      \
    } while (0)
    STEP;
    STEP;
    STEP;
    STEP;
#undef STEP
group:
    /* A match in what has been looked at is found again as the last one, or a later one is. */
    for (p = align_down(p, 4 * VEC);; p += 4 * LANES) {
        if (wanted_in_four(p, wanted, true)) {
            if (ends_in_four(p)) {
                /* Only a match here is later than `seen`. */
                older = last;
                last = NULL;
                goto single;
            }
            seen = p;
        }
    }
found:
    if (!last_of(p, v, wanted, &last)) {
        p += LANES;
        goto single;
    }
    if (last == NULL && seen != NULL) {
        seen += 4 * LANES;
        NO_UNROLL
        do {
            seen -= LANES;
            mask = lane_mask_of(lane_equal(vec_load_aligned(seen), wanted));
        } while (!mask);
        last = seen + lane_mask_last(mask);
    }
    return (TEXT_TYPE *)(uintptr_t)(last != NULL ? last : older);
}

#endif
