/* strlen, strnlen, strchr, strchrnul and their wide kin: find the first lane that is null, or is the one
 * asked for, or lies at a limit.
 *
 * The file that includes this defines
 *     FIND_CHARACTER  1 if a character is looked for besides the null
 *     FIND_LIMITED    1 if `end` bounds the search
 *     FIND_RESULT     the type of the result, and
 *     FIND_DONE(hit)  what is returned for the pointer `hit`, with `base` and `wanted` (both passed through)
 * in scope. FIND_LONG       if the long part is shared with another function: its name. FIND_DEFINED is
 * defined where it is to be compiled, and not the entry; FIND_BASE is what the entry gives it for `base`.
 *
 * Entry: up to 64 bytes as four unaligned vectors of 16 with one branch, unless those might cross into a page
 * that is not there; then aligned vectors up to the end of the page. Long: aligned vectors of the level's
 * width, four alone so that middling sizes need no loop, then four at a time, folded into one test by their
 * minimum. */

#ifdef BRAWN_PASS

INLINE lane_test LEVEL_NAME(find_test)(vec v, vec wanted) {
    return FIND_CHARACTER ? lane_test_or(lane_equal(v, wanted), lane_null(v)) : lane_null(v);
}

/* A vector which is null in the lanes that are to be found. */
INLINE vec LEVEL_NAME(find_key)(vec v, vec wanted) {
    return FIND_CHARACTER ? lane_min(vec_xor(v, wanted), v) : v;
}

/* Whether one of four vectors has what is looked for. SSE2 has no minimum of wide lanes: tests are merged. */
INLINE bool LEVEL_NAME(find_in_four)(vec a, vec b, vec c, vec d, vec wanted) {
#define key LEVEL_NAME(find_key)
#define test LEVEL_NAME(find_test)
#if FIND_CHARACTER && !defined(__aarch64__)
    if (VEC == 64) {
        return LEVEL_NAME(four_have)(a, b, c, d, wanted);
    }
#endif
    if (TEXT_WIDE && VEC == 16) {
        return lane_test_any(lane_test_or(lane_test_or(test(a, wanted), test(b, wanted)),
                                          lane_test_or(test(c, wanted), test(d, wanted))));
    }
    return lane_test_any(lane_null(
        lane_min(lane_min(key(a, wanted), key(b, wanted)), lane_min(key(c, wanted), key(d, wanted)))));
#undef key
#undef test
}

#if !defined(FIND_LONG) || defined(FIND_DEFINED)

/* Everything before p has been looked at, and p less the width of a vector is within the string or before p's
 * page. */
OVER_READS static MAYBE_UNUSED FIND_RESULT LEVEL_NAME(find_long)(const lane *p, const lane *base,
                                                                 lane character, const lane *end) {
    const vec wanted = lane_fill(character);
    vec a, b, c, d;
    lane_mask mask;
    (void)base, (void)end;
    p = align_down(p, VEC);
#define STEP(v)                                                                                              \
    mask = lane_mask_of(LEVEL_NAME(find_test)(v, wanted));                                                   \
    if (mask) {                                                                                              \
        goto found;                                                                                          \
    }                                                                                                        \
    p += LANES;
#define LOAD_STEP                                                                                            \
    if (FIND_LIMITED && p >= end) {                                                                          \
        return FIND_DONE(end);                                                                               \
    }                                                                                                        \
    a = vec_load_aligned(p);                                                                                 \
    STEP(a)
    LOAD_STEP
    LOAD_STEP
    LOAD_STEP
    LOAD_STEP
    p = align_down(p, 4 * VEC);
    for (;; p += 4 * LANES) {
        if (FIND_LIMITED && p >= end) {
            return FIND_DONE(end);
        }
        a = vec_load_aligned(p);
        b = vec_load_aligned(p + LANES);
        c = vec_load_aligned(p + 2 * LANES);
        d = vec_load_aligned(p + 3 * LANES);
        if (UNLIKELY(LEVEL_NAME(find_in_four)(a, b, c, d, wanted))) {
            break;
        }
    }
    STEP(a)
    STEP(b)
    STEP(c)
    mask = lane_mask_of(LEVEL_NAME(find_test)(d, wanted));
found:
    p += lane_mask_first(mask);
    if (FIND_LIMITED && p > end) {
        BRANCH();
        return FIND_DONE(end);
    }
    return FIND_DONE(p);
#undef STEP
#undef LOAD_STEP
}

#endif

#else

#define FIND_PARAMETERS (const lane *p, const lane *base, lane character, const lane *end)

#if !defined(FIND_LONG) || defined(FIND_DEFINED)
DISPATCHED(FIND_RESULT, find_long, FIND_PARAMETERS, (p, base, character, end))
#endif

#ifdef FIND_LONG
HIDDEN FIND_RESULT NAME(FIND_LONG) FIND_PARAMETERS;
#else
#define FIND_BASE base
#endif

#ifdef FIND_DEFINED

FIND_RESULT NAME(FIND_LONG) FIND_PARAMETERS {
    return find_long(p, base, character, end);
}

#else

INLINE FIND_RESULT find_more FIND_PARAMETERS {
#ifdef FIND_LONG
    return NAME(FIND_LONG)(p, base, character, end);
#else
    return find_long(p, base, character, end);
#endif
}

/* The string begins within SMALL_BYTES of the end of a page. */
OVER_READS COLD static FIND_RESULT find_across(const lane *base, lane character, const lane *end) {
    const vec wanted = lane_fill(character);
    const lane *p = align_down(base, VEC);
    lane_mask mask = lane_mask_of(LEVEL_NAME(find_test)(vec_load_aligned(p), wanted));
    mask = lane_mask_after(mask, (size_t)(base - p));
    if (mask) {
        p = base + lane_mask_first(mask);
        return FIND_DONE(FIND_LIMITED && p > end ? end : p);
    }
    for (p += LANES; ((uintptr_t)p & (PAGE_BYTES - 1)) != 0; p += LANES) {
        if (FIND_LIMITED && p >= end) {
            return FIND_DONE(end);
        }
        mask = lane_mask_of(LEVEL_NAME(find_test)(vec_load_aligned(p), wanted));
        if (mask) {
            p += lane_mask_first(mask);
            return FIND_DONE(FIND_LIMITED && p > end ? end : p);
        }
    }
    return find_more(p, FIND_BASE, character, end);
}

OVER_READS INLINE FIND_RESULT find_small(const lane *base, lane character, size_t limit) {
    const vec wanted = lane_fill(character);
    const lane *const end = FIND_LIMITED ? limit_of(base, limit) : (const lane *)~(uintptr_t)0;
    if (FIND_LIMITED && limit == 0) {
        return FIND_DONE(end);
    }
    if (crosses_page(base, SMALL_BYTES)) {
        return find_across(base, character, end);
    }
    const uint64_t mask = mask_of_four(LEVEL_NAME(find_test)(vec_load(base), wanted),
                                       LEVEL_NAME(find_test)(vec_load(base + LANES), wanted),
                                       LEVEL_NAME(find_test)(vec_load(base + 2 * LANES), wanted),
                                       LEVEL_NAME(find_test)(vec_load(base + 3 * LANES), wanted));
    if (FIND_LIMITED) {
        if (LIKELY(mask)) {
            const size_t at = first_of_four(mask);
            if (at < limit) {
                return FIND_DONE(base + at);
            }
            BRANCH();
            return FIND_DONE(end);
        }
        if (limit <= SMALL_LANES) {
            return FIND_DONE(end);
        }
    } else if (LIKELY(mask)) {
        return FIND_DONE(base + first_of_four(mask));
    }
    return find_more(base + SMALL_LANES, FIND_BASE, character, end);
}

#endif

#endif
