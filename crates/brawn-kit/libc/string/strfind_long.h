/* The long parts of strlen, strnlen, strchr, strchrnul and their wide variants; strfind.h says what they are
 * given.
 *
 * Four aligned vectors of the level's width with a branch for each, so that middling sizes need no loop; then
 * aligned groups of four, folded into one test by their minimum. A group that has something goes the way of
 * the first four.
 *
 * The file that includes this says what type the answer has, by a typedef before, and defines answer(). */
#ifndef BRAWN_STRFIND_LONG_H
#define BRAWN_STRFIND_LONG_H

#include "vector.h"
#include "text.h"
#include "group.h"

/* For the character or the null, or for the null or the end, at `hit`. */
INLINE find_result answer(const lane *base, const lane *hit, lane character);

OVER_READS INLINE find_result find(bool has_character, const lane *base, uintptr_t what, const lane *p) {
    const lane character = (lane)what;
    const vec wanted = lane_fill(character);
    const lane *const end = (const lane *)what;
    lane_mask mask;
#define STEP                                                                                                 \
    do {                                                                                                     \
        if (!has_character && p >= end) {                                                                    \
            return answer(base, end, character);                                                             \
        }                                                                                                    \
        mask = lane_mask_of(wanted_test(vec_load_aligned(p), wanted, has_character));                        \
        IN_REGISTER(mask);                                                                                   \
        if (UNLIKELY(mask)) {                                                                                \
            goto found;                                                                                      \
        }                                                                                                    \
        p += LANES;                                                                                          \
        IN_REGISTER(p);                                                                                      \
    } while (0)
    if (4 * VEC <= SMALL_BYTES) {
        /* A group is no longer than what has been looked at. */
        goto group;
    }
    if (VEC == SMALL_BYTES) {
        mask = lane_mask_of(wanted_test(vec_load(p), wanted, has_character));
        IN_REGISTER(mask);
        if (LIKELY(mask)) {
            goto found;
        }
        p = align_down(p + LANES, VEC);
        goto three;
    }
    p = align_down(p, VEC);
four:
    STEP;
three:
    STEP;
    STEP;
    STEP;
group:
    for (p = align_down(p, 4 * VEC);; p += 4 * LANES) {
        if (!has_character && p >= end) {
            return answer(base, end, character);
        }
        if (wanted_in_four(p, wanted, has_character)) {
            goto four;
        }
    }
found:
#undef STEP
    p += lane_mask_first(mask);
    if (!has_character && UNLIKELY(p >= end)) {
        BRANCH();
        return answer(base, end, character);
    }
    return answer(base, p, character);
}

#endif
