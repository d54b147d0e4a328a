/* The entry of strrchr and wcsrchr: the last lane that is the character, up to and with the null.
 *
 * Up to 64 bytes are vectors of 16; if they have neither the character nor the null, one branch. What is
 * longer is strrfind_long.h's. */
#ifndef BRAWN_STRRFIND_H
#define BRAWN_STRRFIND_H

#include "vector16.h"
#include "text.h"
#include "last_of.h"

#ifdef LANES_WIDE
DISPATCH_TO_AVX2(wchar_t *, last_long, __brawn_wcsrchr, (const lane *p, lane character, const lane *last),
                 (p, character, last))
#else
DISPATCH_TO_AVX512(char *, last_long, __brawn_strrchr, (const lane *p, lane character, const lane *last),
                   (p, character, last))
#endif

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
        if (lane_test_any(wanted_test(next, wanted, true)) && last_of(p, next, wanted, &last)) {
            return (TEXT_TYPE *)(uintptr_t)last;
        }
    }
    return last_long(p, character, last);
}

#if defined(HAS_START_AVX512) && !defined(LANES_WIDE)
#include <immintrin.h>

OVER_READS AVX512 static TEXT_TYPE *find_last_start(const lane *s, lane character) {
    const __m512i v = _mm512_loadu_si512(s);
    const uint64_t ends = _mm512_testn_epi8_mask(v, v);
    uint64_t mask = _mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8((char)character));
    if (LIKELY(ends)) {
        mask &= ends ^ (ends - 1);
        return mask ? (TEXT_TYPE *)(uintptr_t)(s + (63 - __builtin_clzll(mask))) : NULL;
    }
    const lane *last = NULL;
    if (mask) {
        BRANCH();
        last = s + (63 - __builtin_clzll(mask));
    }
    return last_long_avx512(s + SMALL_LANES, character, last);
}
#endif

OVER_READS INLINE TEXT_TYPE *find_last(const lane *s, lane character) {
    if (UNLIKELY(crosses_page(s, SMALL_BYTES))) {
        return last_across(s, character);
    }
#if defined(HAS_START_AVX512) && !defined(LANES_WIDE)
    if (START_AVX512) {
        return find_last_start(s, character);
    }
#endif
    const vec wanted = lane_fill(character);
    const vec a = vec_load(s), b = vec_load(s + LANES), c = vec_load(s + 2 * LANES),
              d = vec_load(s + 3 * LANES);
    const lane *last = NULL;
#if TEXT_WIDE
    const uint64_t ends = lane_mask_of_four(lane_null(a), lane_null(b), lane_null(c), lane_null(d));
    uint64_t mask = lane_mask_of_four(lane_equal(a, wanted), lane_equal(b, wanted), lane_equal(c, wanted),
                                      lane_equal(d, wanted));
    if (LIKELY(ends)) {
        mask &= ends ^ (ends - 1);
        return mask ? (TEXT_TYPE *)(uintptr_t)(s + lane_last_of_four(mask)) : NULL;
    }
    if (mask) {
        BRANCH();
        last = s + lane_last_of_four(mask);
    }
#else
    const vec least = lane_min(lane_min(wanted_key(a, wanted, true), wanted_key(b, wanted, true)),
                               lane_min(wanted_key(c, wanted, true), wanted_key(d, wanted, true)));
    if (LIKELY(lane_test_any(lane_null(least)))) {
        const uint64_t ends = lane_mask_of_four(lane_null(a), lane_null(b), lane_null(c), lane_null(d));
        const lane_test m0 = lane_equal(a, wanted), m1 = lane_equal(b, wanted), m2 = lane_equal(c, wanted),
                        m3 = lane_equal(d, wanted);
        if (LIKELY(ends)) {
            if (!lane_any_of_four(m0, m1, m2, m3)) {
                BRANCH();
                return NULL;
            }
            const uint64_t mask = lane_mask_of_four(m0, m1, m2, m3) & (ends ^ (ends - 1));
            return mask ? (TEXT_TYPE *)(uintptr_t)(s + lane_last_of_four(mask)) : NULL;
        }
        last = s + lane_last_of_four(lane_mask_of_four(m0, m1, m2, m3));
    }
#endif
    return last_long(s + SMALL_LANES, character, last);
}

#endif
