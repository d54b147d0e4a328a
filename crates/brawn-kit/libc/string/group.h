/* Whether an aligned group of four vectors has what is looked for: the null, and also a character if `character`
 * says so. For strfind.h and strrfind.h, included in every pass. */

INLINE lane_test LEVEL_NAME(four_test)(vec v, vec wanted, bool character) {
    return character ? lane_test_or(lane_equal(v, wanted), lane_null(v)) : lane_null(v);
}

/* A vector which is null in the lanes that are to be found. */
INLINE vec LEVEL_NAME(four_key)(vec v, vec wanted, bool character) {
    return character ? lane_min(vec_xor(v, wanted), v) : v;
}

/* SSE2 has no minimum of wide lanes: tests are merged. */
OVER_READS INLINE bool LEVEL_NAME(in_four)(const lane *p, vec wanted, bool character) {
#define key(i) LEVEL_NAME(four_key)(vec_load_aligned(p + (i) * LANES), wanted, character)
#define test(i) LEVEL_NAME(four_test)(vec_load_aligned(p + (i) * LANES), wanted, character)
#if !defined(__aarch64__)
    if (character && VEC == 64) {
        return LEVEL_NAME(four_have)(vec_load_aligned(p), vec_load_aligned(p + LANES),
                                     vec_load_aligned(p + 2 * LANES), vec_load_aligned(p + 3 * LANES),
                                     wanted);
    }
#endif
    if (TEXT_WIDE && VEC == 16) {
        return lane_test_any(lane_test_or(lane_test_or(test(0), test(1)), lane_test_or(test(2), test(3))));
    }
    return lane_test_any(lane_null(lane_min(lane_min(key(0), key(1)), lane_min(key(2), key(3)))));
#undef key
#undef test
}
