/* strrchr and wcsrchr: the last lane that is the character, up to and with the null.
 *
 * One pass that remembers the last match so far. Entry: up to 64 bytes as vectors of 16, with one branch.
 * Long: groups of four vectors of the level's width with one branch while they have neither the character nor
 * the null. */

#ifdef BRAWN_PASS

INLINE lane_test LEVEL_NAME(last_test)(vec v, vec wanted) {
    return lane_test_or(lane_equal(v, wanted), lane_null(v));
}

/* Looks at one vector at p. At the end of the string returns true, with the answer in *last. */
INLINE bool LEVEL_NAME(last_in)(const lane *p, vec v, vec wanted, const lane **last) {
    lane_mask mask = lane_mask_of(lane_equal(v, wanted));
    const lane_mask ends = lane_mask_of(lane_null(v));
    if (ends) {
        mask &= ends ^ (ends - 1);
        if (mask) {
            *last = p + lane_mask_last(mask);
        }
        return true;
    }
    if (mask) {
        BRANCH();
        *last = p + lane_mask_last(mask);
    }
    return false;
}

/* Everything before p has been looked at, and p less the width of a vector is within the string or before p's
 * page. `last` is the last match before p. */
OVER_READS static MAYBE_UNUSED TEXT_TYPE *LEVEL_NAME(last_long)(const lane *p, lane character,
                                                                const lane *last) {
    const vec wanted = lane_fill(character);
    p = align_down(p, VEC);
    do {
        if (LEVEL_NAME(last_in)(p, vec_load_aligned(p), wanted, &last)) {
            return (TEXT_TYPE *)(uintptr_t)last;
        }
        p += LANES;
    } while (((uintptr_t)p & (4 * VEC - 1)) != 0);
    for (;; p += 4 * LANES) {
        const vec a = vec_load_aligned(p), b = vec_load_aligned(p + LANES);
        const vec c = vec_load_aligned(p + 2 * LANES), d = vec_load_aligned(p + 3 * LANES);
        if (lane_test_any(lane_test_or(
                lane_test_or(LEVEL_NAME(last_test)(a, wanted), LEVEL_NAME(last_test)(b, wanted)),
                lane_test_or(LEVEL_NAME(last_test)(c, wanted), LEVEL_NAME(last_test)(d, wanted))))) {
            const lane *at = p;
            NO_UNROLL
            for (int i = 0; i < 4; i++, at += LANES) {
                if (LEVEL_NAME(last_in)(at, vec_load_aligned(at), wanted, &last)) {
                    return (TEXT_TYPE *)(uintptr_t)last;
                }
            }
        }
    }
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
        if (LEVEL_NAME(last_in)(p, vec_load_aligned(p), wanted, &last)) {
            return (TEXT_TYPE *)(uintptr_t)last;
        }
    }
    return last_long(p, character, last);
}

OVER_READS INLINE TEXT_TYPE *find_last(const lane *s, lane character) {
    if (crosses_page(s, SMALL_BYTES)) {
        return last_across(s, character);
    }
    const vec wanted = lane_fill(character);
    const vec a = vec_load(s), b = vec_load(s + LANES), c = vec_load(s + 2 * LANES),
              d = vec_load(s + 3 * LANES);
    const uint64_t ends = mask_of_four(lane_null(a), lane_null(b), lane_null(c), lane_null(d));
    uint64_t mask = mask_of_four(lane_equal(a, wanted), lane_equal(b, wanted), lane_equal(c, wanted),
                                 lane_equal(d, wanted));
    if (LIKELY(ends)) {
        mask &= ends ^ (ends - 1);
        return mask ? (TEXT_TYPE *)(uintptr_t)(s + last_of_four(mask)) : NULL;
    }
    if (mask) {
        BRANCH();
        return last_long(s + SMALL_LANES, character, s + last_of_four(mask));
    }
    return last_long(s + SMALL_LANES, character, NULL);
}

#endif
