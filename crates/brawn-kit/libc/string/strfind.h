/* The entry of strlen, strnlen, strchr, strchrnul and their wide variants: find the first lane that is null,
 * or is the one asked for, or lies at a limit.
 *
 * Up to 64 bytes are four unaligned vectors of 16 with one branch, unless those might cross into a page that
 * is not there; then aligned vectors up to the end of the page. What is longer is strfind_long.h's.
 *
 * The file that includes this says what type the answer has, by a typedef before, as a type cannot be an
 * argument. */
#ifndef BRAWN_STRFIND_H
#define BRAWN_STRFIND_H

#include "vector16.h"
#include "text.h"

/* What a function of the family does; always a constant. */
struct find {
    bool character; /* a character is looked for besides the null */
    bool limited;   /* an end bounds the search; never together with a character */
    bool predicted; /* most callers wait for the result: 0 and 1 have a branch each (with a character, 0) */
    enum find_answer {
        LENGTH,        /* lanes from the beginning */
        PLACE,         /* where it is */
        PLACE_OR_NULL, /* the same, or a null pointer where the null is and not the character */
        EITHER         /* PLACE if `base` is null, else PLACE_OR_NULL */
    } answer;
};

INLINE find_result result_of(struct find find, const lane *base, const lane *hit, lane character) {
    if (find.answer == LENGTH) {
        return (find_result)(hit - base);
    }
    if (find.answer == PLACE || *hit == character || (find.answer == EITHER && base == NULL)) {
        return (find_result)(uintptr_t)hit;
    }
    BRANCH();
    return 0;
}

/* The long part, which that file defines by DISPATCH_*. Everything from `base`, or else from the beginning of
 * p's page, to p has been looked at: at least SMALL_BYTES, or p is where a page begins. `what` is the
 * character, or the end, which is that of memory without a limit. */
INLINE find_result find_long(const lane *base, uintptr_t what, const lane *p);
/* The variant that may be given `base` for p, where there is one. */
#if defined(HAS_START_AVX512) && !defined(FIND_WITHOUT_AVX512)
INLINE find_result find_long_avx512(const lane *base, uintptr_t what, const lane *p);
#endif

/* What goes on from a `p` within SMALL_BYTES of the end of a page up to there: find_to_page() as a
 * function. */
#ifdef LANES_WIDE
#define find_end_across NAME(__brawn_wcsnlen_across)
#define find_character_across NAME(__brawn_wcschr_across)
#else
#define find_end_across NAME(__brawn_strnlen_across)
#define find_character_across NAME(__brawn_strchr_across)
#endif
HIDDEN find_result find_end_across(const lane *base, uintptr_t what, const lane *p);
HIDDEN find_result find_character_across(const lane *base, uintptr_t what, const lane *p);

OVER_READS INLINE find_result find_to_page(struct find find, const lane *base, uintptr_t what,
                                           const lane *s) {
    const lane character = (lane)what;
    const lane *const end = (const lane *)what;
    const vec wanted = lane_fill(character);
    const lane *p = align_down(s, VEC);
    lane_mask mask = lane_mask_of(wanted_test(vec_load_aligned(p), wanted, find.character));
    mask = lane_mask_after(mask, (size_t)(s - p));
    if (mask) {
        p = s;
        goto found;
    }
    for (p += LANES; ((uintptr_t)p & (PAGE_BYTES - 1)) != 0; p += LANES) {
        if (find.limited && p >= end) {
            return result_of(find, base, end, character);
        }
        mask = lane_mask_of(wanted_test(vec_load_aligned(p), wanted, find.character));
        if (mask) {
            goto found;
        }
    }
    if (find.limited && p >= end) {
        return result_of(find, base, end, character);
    }
    return find_long(base, what, p);
found:
    p += lane_mask_first(mask);
    return result_of(find, base, find.limited && p > end ? end : p, character);
}

/* `long_base` is what the other parts get for `base`. */
OVER_READS INLINE find_result find_small(struct find find, const lane *base, lane character, size_t limit,
                                         const lane *long_base) {
    const vec wanted = lane_fill(character);
    const lane *const end = find.limited ? limit_of(base, limit) : (const lane *)~(uintptr_t)0;
    uintptr_t what = find.character ? character : (uintptr_t)end;
    if (find.predicted) {
        /* The shortest answers by branches: who waits for them goes on at once where they are predicted. */
        for (size_t i = 0; i < (find.character ? 1 : 2); i++) {
            if (find.limited && i >= limit) {
                return result_of(find, base, end, character);
            }
            if (UNLIKELY(base[i] == 0 || (find.character && base[i] == character))) {
                BRANCH();
                return result_of(find, base, base + i, character);
            }
        }
    } else if (find.limited && limit == 0) {
        return result_of(find, base, end, character);
    }
    if (UNLIKELY(crosses_page(base, SMALL_BYTES))) {
        return find.character ? find_character_across(long_base, what, base)
                              : find_end_across(long_base, what, base);
    }
#if defined(HAS_START_AVX512) && !defined(FIND_WITHOUT_AVX512)
    if (START_AVX512) {
        return find_long_avx512(long_base, what, base);
    }
#endif
    const vec v0 = vec_load(base), v1 = vec_load(base + LANES), v2 = vec_load(base + 2 * LANES),
              v3 = vec_load(base + 3 * LANES);
    uint64_t mask;
    bool has;
    if (find.character && !TEXT_WIDE) {
        const vec k0 = wanted_key(v0, wanted, true), k1 = wanted_key(v1, wanted, true),
                  k2 = wanted_key(v2, wanted, true), k3 = wanted_key(v3, wanted, true);
        has = lane_test_any(lane_null(lane_min(lane_min(k0, k1), lane_min(k2, k3))));
        mask = lane_mask_of_four(lane_null(k0), lane_null(k1), lane_null(k2), lane_null(k3));
    } else {
        const lane_test t0 = wanted_test(v0, wanted, find.character),
                        t1 = wanted_test(v1, wanted, find.character),
                        t2 = wanted_test(v2, wanted, find.character),
                        t3 = wanted_test(v3, wanted, find.character);
        has = lane_any_of_four(t0, t1, t2, t3);
        mask = lane_mask_of_four(t0, t1, t2, t3);
    }
    if (LIKELY(has)) {
        const size_t at = lane_first_of_four(mask);
        if (find.limited && at >= limit) {
            BRANCH();
            return result_of(find, base, end, character);
        }
        return result_of(find, base, base + at, character);
    }
    if (find.limited && limit <= SMALL_LANES) {
        return result_of(find, base, end, character);
    }
    IN_REGISTER(what);
    return find_long(long_base, what, after_small(base));
}

#endif
