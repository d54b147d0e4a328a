/* strrchr and wcsrchr: the last lane that is the character, up to and with the null.
 *
 * Entry: up to 64 bytes as vectors of 16; if they have neither the character nor the null, one branch. Long:
 * single vectors of the level's width up to a group of four, then groups with one branch while they have
 * neither, and two while they have no null. One pass: of the groups with a match the last is remembered. */

#ifdef BRAWN_PASS

#include "group.h"

/* Looks at one vector at p that has the character or the null. At the end of the string returns true, with
 * the answer in *last. */
INLINE bool LEVEL_NAME(last_of)(const lane *p, vec v, vec wanted, const lane **last) {
    lane_mask mask = lane_mask_of(lane_equal(v, wanted));
    const lane_mask ends = lane_mask_of(lane_null(v));
    if (ends) {
        mask &= ends ^ (ends - 1);
    }
    if (mask) {
        BRANCH();
        *last = p + lane_mask_last(mask);
    }
    return ends != 0;
}

/* Whether one of four aligned vectors has the null. */
OVER_READS INLINE bool LEVEL_NAME(ends_in_four)(const lane *p) {
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
OVER_READS static MAYBE_UNUSED TEXT_TYPE *LEVEL_NAME(last_long)(const lane *p, lane character,
                                                                const lane *last) {
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
        mask = lane_mask_of(LEVEL_NAME(four_test)(v, wanted, true));                                         \
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
        if (LEVEL_NAME(in_four)(p, wanted, true)) {
            if (LEVEL_NAME(ends_in_four)(p)) {
                /* Only a match here is later than `seen`. */
                older = last;
                last = NULL;
                goto single;
            }
            seen = p;
        }
    }
found:
    if (!LEVEL_NAME(last_of)(p, v, wanted, &last)) {
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

#else

DISPATCHED(TEXT_TYPE *, last_long, (const lane *p, lane character, const lane *last), (p, character, last))

/* The string begins within SMALL_BYTES of the end of a page. */
OVER_READS COLD static TEXT_TYPE *last_across(const lane *s, lane character) {
    const vec wanted = lane_fill(character);
    const lane *p = align_down(s, VEC), *last = NULL;
    const size_t skipped = (size_t)(s - p);
    const vec v = vec_load_aligned(p);
    lane_mask mask = lane_mask_after(lane_mask_of(lane_equal(v, wanted)), skipped);
    const lane_mask ends = lane_mask_after(lane_mask_of(lane_null(v)), skipped);
    if (ends) {
        mask &= ends ^ (ends - 1);
    }
    if (mask) {
        last = s + lane_mask_last(mask);
    }
    if (ends) {
        return (TEXT_TYPE *)(uintptr_t)last;
    }
    for (p += LANES; ((uintptr_t)p & (PAGE_BYTES - 1)) != 0; p += LANES) {
        const vec next = vec_load_aligned(p);
        if (lane_test_any(LEVEL_NAME(four_test)(next, wanted, true)) &&
            LEVEL_NAME(last_of)(p, next, wanted, &last)) {
            return (TEXT_TYPE *)(uintptr_t)last;
        }
    }
    return last_long(p, character, last);
}

OVER_READS INLINE TEXT_TYPE *find_last(const lane *s, lane character) {
    if (UNLIKELY(crosses_page(s, SMALL_BYTES))) {
        return last_across(s, character);
    }
    const vec wanted = lane_fill(character);
    const vec a = vec_load(s), b = vec_load(s + LANES), c = vec_load(s + 2 * LANES),
              d = vec_load(s + 3 * LANES);
    const lane *last = NULL;
#if TEXT_WIDE
    const uint64_t ends = mask_of_four(lane_null(a), lane_null(b), lane_null(c), lane_null(d));
    uint64_t mask = mask_of_four(lane_equal(a, wanted), lane_equal(b, wanted), lane_equal(c, wanted),
                                 lane_equal(d, wanted));
    if (LIKELY(ends)) {
        mask &= ends ^ (ends - 1);
        return mask ? (TEXT_TYPE *)(uintptr_t)(s + last_of_four(mask)) : NULL;
    }
    if (mask) {
        BRANCH();
        last = s + last_of_four(mask);
    }
#else
    const vec least =
        lane_min(lane_min(LEVEL_NAME(four_key)(a, wanted, true), LEVEL_NAME(four_key)(b, wanted, true)),
                 lane_min(LEVEL_NAME(four_key)(c, wanted, true), LEVEL_NAME(four_key)(d, wanted, true)));
    if (LIKELY(lane_test_any(lane_null(least)))) {
        const uint64_t ends = mask_of_four(lane_null(a), lane_null(b), lane_null(c), lane_null(d));
        const lane_test m0 = lane_equal(a, wanted), m1 = lane_equal(b, wanted), m2 = lane_equal(c, wanted),
                        m3 = lane_equal(d, wanted);
        if (LIKELY(ends)) {
            if (!any_of_four(m0, m1, m2, m3)) {
                BRANCH();
                return NULL;
            }
            const uint64_t mask = mask_of_four(m0, m1, m2, m3) & (ends ^ (ends - 1));
            return mask ? (TEXT_TYPE *)(uintptr_t)(s + last_of_four(mask)) : NULL;
        }
        last = s + last_of_four(mask_of_four(m0, m1, m2, m3));
    }
#endif
    return last_long(s + SMALL_LANES, character, last);
}

#endif
