/* One text for a function on bytes and its twin on wide characters: `lane_` names stand for the vec_ names of
 * vector.h, or for the wide_ names where the file has defined LANES_WIDE. LANES is how many fit into a
 * vector. And what the functions on strings of either share. Include it after vector16.h (in an entry) or
 * vector.h (in a long part). */
#ifndef BRAWN_TEXT_H
#define BRAWN_TEXT_H

#include "brawn_string.h"

#include <wchar.h>

#ifdef LANES_WIDE
#define TEXT_WIDE 1
#define TEXT_TYPE wchar_t
#define LANES WIDE
#define lane uint32_t
#define lane_test wide_test
#define lane_mask wide_mask
#define lane_fill wide_fill
#define lane_min wide_min
#define lane_equal wide_equal
#define lane_unequal wide_unequal
#define lane_null wide_null
#define lane_test_or wide_test_or
#define lane_test_any wide_test_any
#define lane_mask_of wide_mask_of
#define lane_mask_first wide_mask_first
#define lane_mask_last wide_mask_last
#define lane_mask_after wide_mask_after
#define lane_keep wide_keep
#define lane_mask_of_four wide_mask_of_four
#define lane_any_of_four wide_any_of_four
#define lane_first_of_four wide_first_of_four
#define lane_last_of_four wide_last_of_four
#else
#define TEXT_WIDE 0
#define TEXT_TYPE char
#define LANES VEC
#define lane unsigned char
#define lane_test vec_test
#define lane_mask vec_mask
#define lane_fill vec_fill
#define lane_min vec_min
#define lane_equal vec_equal
#define lane_unequal vec_unequal
#define lane_null vec_null
#define lane_test_or test_or
#define lane_test_any test_any
#define lane_mask_of vec_mask_of
#define lane_mask_first mask_first
#define lane_mask_last mask_last
#define lane_mask_after mask_after
#define lane_keep vec_keep
#define lane_mask_of_four mask_of_four
#define lane_any_of_four any_of_four
#define lane_first_of_four first_of_four
#define lane_last_of_four last_of_four
#endif

/* Entries finish strings of up to this many bytes in baseline code. */
#define SMALL_BYTES ((size_t)64)
#define SMALL_LANES (SMALL_BYTES / sizeof(lane))

INLINE const lane *align_down(const lane *p, size_t bytes) {
    return (const lane *)((uintptr_t)p & ~(uintptr_t)(bytes - 1));
}

/* Where to go on after the first SMALL_BYTES of a string. A part that begins with a vector for AVX-512 reads one from there,
 * which is not to leave its page. */
INLINE const lane *after_small(const lane *p) {
#ifdef HAS_START_AVX512
    return align_down(p + SMALL_LANES, SMALL_BYTES);
#else
    return p + SMALL_LANES;
#endif
}

/* Bytes from p to the end of its page: 1 to PAGE_BYTES. */
INLINE size_t page_room(const void *p) {
    return PAGE_BYTES - ((uintptr_t)p & (PAGE_BYTES - 1));
}

/* p + n, or the last place that an object can end at where that wraps around. */
INLINE const lane *limit_of(const lane *p, size_t n) {
    const size_t most = ~(uintptr_t)p / sizeof(lane);
    return (const lane *)((uintptr_t)p + (n > most ? most : n) * sizeof(lane));
}

/* The lanes to be found: the null, and also a character if `character` says so. */
INLINE lane_test wanted_test(vec v, vec wanted, bool character) {
#if defined(BRAWN_VECTOR_AVX512_H)
    /* One mask that comes out of the vectors instead of two. */
    if (character) {
        return lane_null(lane_min(vec_xor(v, wanted), v));
    }
#endif
    return character ? lane_test_or(lane_equal(v, wanted), lane_null(v)) : lane_null(v);
}

/* A vector which is null in those lanes, so that several can be joined by their minimum. */
INLINE vec wanted_key(vec v, vec wanted, bool character) {
    return character ? lane_min(vec_xor(v, wanted), v) : v;
}

#endif
