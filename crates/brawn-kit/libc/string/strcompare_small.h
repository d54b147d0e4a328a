/* The entries of strcmp and its variants: strcompare.h.
 *
 * Up to 64 bytes are four pairs of 16 with one branch, unless either string might cross into another page;
 * then 16 bytes or one at a time, until that page is behind. */
#ifndef BRAWN_STRCOMPARE_SMALL_H
#define BRAWN_STRCOMPARE_SMALL_H

#include "vector16.h"
#include "strcompare.h"

/* They go on after at least 16 bytes that are the same and not null, the variant for AVX-512 after 64, and after 128 where
 * either string may have left a page before. `end` is where the limit is in the first string, and not a. */
#ifdef LANES_WIDE
DISPATCH_TO_AVX2(int, compare_wide_long, __brawn_wcscmp, (const lane *a, const lane *b, const lane *end),
                 (a, b, end))
#define compare_long(a, b, end, folded) compare_wide_long(a, b, end)
#else
DISPATCH_TO_AVX512(int, compare_same_long, __brawn_strcmp, (const lane *a, const lane *b, const lane *end),
                   (a, b, end))
DISPATCH_TO_AVX2(int, compare_folded_long, __brawn_strcasecmp,
                 (const lane *a, const lane *b, const lane *end), (a, b, end))
#define compare_long(a, b, end, folded)                                                                      \
    ((folded) ? compare_folded_long(a, b, end) : compare_same_long(a, b, end))
#endif

OVER_READS INLINE int compare_across(const lane *a, const lane *b, const lane *end, size_t first,
                                     bool folded) {
    size_t left = (size_t)(end - a);
    left = left < first ? left : first;
    while (left != 0) {
        if (left >= LANES && page_room(a) >= VEC && page_room(b) >= VEC) {
            const lane_mask mask = parting(a, b, folded);
            if (!mask) {
                a += LANES;
                b += LANES;
                left -= LANES;
                continue;
            }
            /* The lane that decides is looked at as if it were a single one. */
            a += lane_mask_first(mask);
            b += lane_mask_first(mask);
        }
        const int order = order_of(a, b, folded);
        if (order != 0 || *a == 0) {
            return order;
        }
        a++;
        b++;
        left--;
    }
    return a == end ? 0 : compare_long(a, b, end, folded);
}

#if defined(HAS_START_AVX512) && !defined(LANES_WIDE)
#include <immintrin.h>

OVER_READS AVX512 static int compare_start(const lane *a, const lane *b, const lane *end, bool folded) {
    const __m512i u = _mm512_loadu_si512(a), v = _mm512_loadu_si512(b);
    __m512i differences = _mm512_xor_si512(u, v);
    if (folded) {
        /* The case of a letter is no difference: fold.h. */
        const __m512i bit = _mm512_set1_epi8(0x20);
        const __m512i from_a = _mm512_sub_epi8(_mm512_or_si512(u, bit), _mm512_set1_epi8('a'));
        const __mmask64 letter = _mm512_cmplt_epu8_mask(from_a, _mm512_set1_epi8(26));
        differences = _mm512_andnot_si512(_mm512_maskz_mov_epi8(letter, bit), differences);
    }
    const __mmask64 same = _mm512_testn_epi8_mask(differences, differences);
    const uint64_t parting = ~(uint64_t)_mm512_mask_test_epi8_mask(same, u, u);
    if (LIKELY(parting)) {
        const size_t at = (size_t)__builtin_ctzll(parting);
        if (a + at >= end) {
            BRANCH();
            return 0;
        }
        return order_of(a + at, b + at, folded);
    }
    if (a + SMALL_LANES >= end) {
        return 0;
    }
    return folded ? compare_folded_long(a + SMALL_LANES, b + SMALL_LANES, end)
                  : compare_same_long_avx512(a + SMALL_LANES, b + SMALL_LANES, end);
}
#endif

/* Without a limit n is not looked at. */
OVER_READS INLINE int compare_small(const lane *a, const lane *b, size_t n, bool limited, bool folded) {
    /* Folding takes so long that baseline code does only half of what it does else. */
    const size_t lanes = (folded ? SMALL_BYTES / 2 : SMALL_BYTES) / sizeof(lane);
    const lane *const end = limit_of(a, limited ? n : ~(size_t)0);
    if (limited && n == 0) {
        return 0;
    }
    if (UNLIKELY(cross_page(a, b, lanes * sizeof(lane)))) {
#ifdef HAS_START_AVX512
        /* The long part of that level goes back over this much. */
        return compare_edge(a, b, end, folded || TEXT_WIDE ? lanes : 2 * lanes, folded);
#else
        return compare_edge(a, b, end, lanes, folded);
#endif
    }
#if defined(HAS_START_AVX512) && !defined(LANES_WIDE)
    if (START_AVX512 && (!folded || !cross_page(a, b, SMALL_BYTES))) {
        return compare_start(a, b, end, folded);
    }
#endif
#if defined(__aarch64__) && !defined(LANES_WIDE)
    if (!folded && !limited) {
        const uint64_t u = load64(a), v = load64(b), ones = ~(uint64_t)0 / 255;
        /* Exact up to the first null, and what comes behind does not count. */
        const uint64_t parts = (u ^ v) | ((u - ones) & ~(u | 127 * ones));
        if (LIKELY(parts)) {
            const size_t at = (size_t)__builtin_ctzll(parts) / 8;
            return order_of(a + at, b + at, false);
        }
    }
#endif
    const lane_test t0 = parting_test(a, b, folded), t1 = parting_test(a + LANES, b + LANES, folded);
    const lane_test t2 = folded ? vec_zero() : parting_test(a + 2 * LANES, b + 2 * LANES, false);
    const lane_test t3 = folded ? vec_zero() : parting_test(a + 3 * LANES, b + 3 * LANES, false);
    const uint64_t mask = lane_mask_of_four(t0, t1, t2, t3);
    if (LIKELY(mask)) {
        const size_t at = lane_first_of_four(mask);
        if (limited && at >= n) {
            BRANCH();
            return 0;
        }
        return order_of(a + at, b + at, folded);
    }
    if (limited && n <= lanes) {
        return 0;
    }
    return compare_long(a + lanes, b + lanes, end, folded);
}

#endif
