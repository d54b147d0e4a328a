/* Whether an aligned group of four vectors has what is looked for, for the long parts that look for a character.
 * SSE2 has no minimum of wide lanes: there tests are joined. */
#ifndef BRAWN_GROUP_H
#define BRAWN_GROUP_H

#include "vector.h"
#include "text.h"

/* The null, and also a character if `character` says so. */
OVER_READS INLINE bool wanted_in_four(const lane *p, vec wanted, bool character) {
    const vec a = vec_load_aligned(p), b = vec_load_aligned(p + LANES);
    const vec c = vec_load_aligned(p + 2 * LANES), d = vec_load_aligned(p + 3 * LANES);
#if defined(BRAWN_VECTOR_AVX512_H) && !defined(LANES_WIDE)
    if (character) {
        return vec_four_have(a, b, c, d, wanted);
    }
#endif
    if (TEXT_WIDE && VEC == 16) {
        return lane_test_any(
            lane_test_or(lane_test_or(wanted_test(a, wanted, character), wanted_test(b, wanted, character)),
                         lane_test_or(wanted_test(c, wanted, character), wanted_test(d, wanted, character))));
    }
    const vec ab = lane_min(wanted_key(a, wanted, character), wanted_key(b, wanted, character));
    const vec cd = lane_min(wanted_key(c, wanted, character), wanted_key(d, wanted, character));
    return lane_test_any(lane_null(lane_min(ab, cd)));
}

/* The lane that `wanted` is full of. */
OVER_READS INLINE bool equal_in_four(const lane *p, vec wanted) {
    const vec a = vec_load_aligned(p), b = vec_load_aligned(p + LANES);
    const vec c = vec_load_aligned(p + 2 * LANES), d = vec_load_aligned(p + 3 * LANES);
#if defined(BRAWN_VECTOR_AVX512_H) && !defined(LANES_WIDE)
    return vec_four_equal(a, b, c, d, wanted);
#else
    return lane_test_any(lane_test_or(lane_test_or(lane_equal(a, wanted), lane_equal(b, wanted)),
                                      lane_test_or(lane_equal(c, wanted), lane_equal(d, wanted))));
#endif
}

#endif
