/* strlen, strnlen, strchr, strchrnul and their wide variants: find the first lane that is null, or is the
 * one asked for, or lies at a limit.
 *
 * The file that includes this defines
 *     FIND_CHARACTER  1 if a character is looked for besides the null
 *     FIND_LIMITED    1 if an end bounds the search; never together with a character
 *     FIND_RESULT     the type of the result, and
 *     FIND_DONE(hit)  what is returned for the pointer `hit`, with `base` and `character` in scope.
 *     FIND_PREDICTED  if most callers wait for the result: then 0 and 1 have a branch each (with a character,
 *                     0)
 *     FIND_LONG       if the long part is shared with another function: what its names begin with.
 *                     FIND_DEFINED is defined where it is to be compiled, and not the entry; FIND_BASE is what
 *                     the entry gives it for `base`.
 *
 * Entry: up to 64 bytes as four unaligned vectors of 16 with one branch, unless those might cross into a page
 * that is not there; then aligned vectors up to the end of the page. Long: four aligned vectors of the
 * level's width with a branch for each, so that middling sizes need no loop; then aligned groups of four,
 * folded into one test by their minimum. A group that has something goes the way of the first four. */

#ifndef FIND_PARAMETERS
#define FIND_PARAMETERS (const lane *base, uintptr_t what, const lane *p)
#ifdef FIND_LONG
#define FIND_LINKAGE
#define find_long_avx512 SHARED_NAME(FIND_LONG, avx512)
#define find_long_avx2 SHARED_NAME(FIND_LONG, avx2)
#define find_long_sse2 SHARED_NAME(FIND_LONG, sse2)
#define find_long_neon SHARED_NAME(FIND_LONG, neon)
DISPATCH_SHARED(FIND_RESULT, find_long, FIND_PARAMETERS)
#define find_across SHARED_NAME(FIND_LONG, across)
HIDDEN FIND_RESULT find_across FIND_PARAMETERS;
#else
#define FIND_LINKAGE static MAYBE_UNUSED
#endif
#endif

#ifdef BRAWN_PASS

#include "group.h"

#if (!defined(FIND_LONG) || defined(FIND_DEFINED)) && !defined(HELPERS_ONLY)

/* Everything from `base`, or else from the beginning of p's page, to p has been looked at: at least
 * SMALL_BYTES, or p is where a page begins. `what` is the character or the end. */
OVER_READS FIND_LINKAGE FIND_RESULT LEVEL_NAME(find_long) FIND_PARAMETERS {
    const lane character = (lane)what;
    const lane *const end = (const lane *)what;
    const vec wanted = lane_fill(character);
    lane_mask mask;
    (void)base, (void)end;
#define STEP                                                                                                 \
    do {                                                                                                     \
        if (FIND_LIMITED && p >= end) {                                                                      \
            return FIND_DONE(end);                                                                           \
        }                                                                                                    \
        mask = lane_mask_of(LEVEL_NAME(four_test)(vec_load_aligned(p), wanted, FIND_CHARACTER));             \
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
    p = align_down(p, VEC);
four:
    STEP;
    STEP;
    STEP;
    STEP;
group:
    for (p = align_down(p, 4 * VEC);; p += 4 * LANES) {
        if (FIND_LIMITED && p >= end) {
            return FIND_DONE(end);
        }
        if (LEVEL_NAME(in_four)(p, wanted, FIND_CHARACTER)) {
            goto four;
        }
    }
found:
#undef STEP
    p += lane_mask_first(mask);
    if (FIND_LIMITED && UNLIKELY(p > end)) {
        BRANCH();
        return FIND_DONE(end);
    }
    return FIND_DONE(p);
}

#endif

#else

#ifndef FIND_LONG
#define FIND_BASE base
#endif
DISPATCHED(FIND_RESULT, find_long, FIND_PARAMETERS, (base, what, p))

#if !defined(FIND_LONG) || defined(FIND_DEFINED)

/* The string begins at s, within SMALL_BYTES of the end of a page. */
#ifndef FIND_LONG
static
#endif
    OVER_READS COLD FIND_RESULT find_across(const lane *base, uintptr_t what, const lane *s) {
    const lane character = (lane)what;
    const lane *const end = (const lane *)what;
    const vec wanted = lane_fill(character);
    const lane *p = align_down(s, VEC);
    lane_mask mask = lane_mask_of(LEVEL_NAME(four_test)(vec_load_aligned(p), wanted, FIND_CHARACTER));
    (void)base, (void)end;
    mask = lane_mask_after(mask, (size_t)(s - p));
    if (mask) {
        p = s;
        goto found;
    }
    for (p += LANES; ((uintptr_t)p & (PAGE_BYTES - 1)) != 0; p += LANES) {
        if (FIND_LIMITED && p >= end) {
            return FIND_DONE(end);
        }
        mask = lane_mask_of(LEVEL_NAME(four_test)(vec_load_aligned(p), wanted, FIND_CHARACTER));
        if (mask) {
            goto found;
        }
    }
    if (FIND_LIMITED && p >= end) {
        return FIND_DONE(end);
    }
    return find_long(base, what, p);
found:
    p += lane_mask_first(mask);
    return FIND_DONE(FIND_LIMITED && p > end ? end : p);
}

#endif

#ifndef FIND_DEFINED

OVER_READS INLINE FIND_RESULT find_small(const lane *base, lane character, size_t limit) {
    const vec wanted = lane_fill(character);
    const lane *const end = FIND_LIMITED ? limit_of(base, limit) : (const lane *)~(uintptr_t)0;
    uintptr_t what = FIND_CHARACTER ? character : (uintptr_t)end;
#ifdef FIND_PREDICTED
    /* The shortest answers by branches: who waits for them goes on at once where they are predicted. */
    for (size_t i = 0; i < (FIND_CHARACTER ? 1 : 2); i++) {
        if (FIND_LIMITED && i >= limit) {
            return FIND_DONE(end);
        }
        if (UNLIKELY(base[i] == 0 || (FIND_CHARACTER && base[i] == character))) {
            BRANCH();
            return FIND_DONE(base + i);
        }
    }
#else
    if (FIND_LIMITED && limit == 0) {
        return FIND_DONE(end);
    }
#endif
    if (UNLIKELY(crosses_page(base, SMALL_BYTES))) {
        return find_across(FIND_BASE, what, base);
    }
    const vec v0 = vec_load(base), v1 = vec_load(base + LANES), v2 = vec_load(base + 2 * LANES),
              v3 = vec_load(base + 3 * LANES);
    uint64_t mask;
    bool has;
    if (FIND_CHARACTER && !TEXT_WIDE) {
        const vec k0 = LEVEL_NAME(four_key)(v0, wanted, FIND_CHARACTER),
                  k1 = LEVEL_NAME(four_key)(v1, wanted, FIND_CHARACTER),
                  k2 = LEVEL_NAME(four_key)(v2, wanted, FIND_CHARACTER),
                  k3 = LEVEL_NAME(four_key)(v3, wanted, FIND_CHARACTER);
        has = lane_test_any(lane_null(lane_min(lane_min(k0, k1), lane_min(k2, k3))));
        mask = mask_of_four(lane_null(k0), lane_null(k1), lane_null(k2), lane_null(k3));
    } else {
        const lane_test t0 = LEVEL_NAME(four_test)(v0, wanted, FIND_CHARACTER),
                        t1 = LEVEL_NAME(four_test)(v1, wanted, FIND_CHARACTER),
                        t2 = LEVEL_NAME(four_test)(v2, wanted, FIND_CHARACTER),
                        t3 = LEVEL_NAME(four_test)(v3, wanted, FIND_CHARACTER);
        has = any_of_four(t0, t1, t2, t3);
        mask = mask_of_four(t0, t1, t2, t3);
    }
    if (LIKELY(has)) {
        const size_t at = first_of_four(mask);
        if (FIND_LIMITED && at >= limit) {
            BRANCH();
            return FIND_DONE(end);
        }
        return FIND_DONE(base + at);
    }
    if (FIND_LIMITED && limit <= SMALL_LANES) {
        return FIND_DONE(end);
    }
    IN_REGISTER(what);
    return find_long(FIND_BASE, what, base + SMALL_LANES);
}

#endif

#endif
