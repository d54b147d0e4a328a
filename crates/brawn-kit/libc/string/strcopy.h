/* strcpy, stpcpy, strcat and wcscpy: copy and look for the null in one pass.
 *
 * Entry: up to 64 bytes as four unaligned vectors of 16, unless those might cross into a page that is not
 * there. The last vector is one that ends with the null and overlaps what is written already, so nothing is
 * written past the null; strings shorter than a vector are two overlapping words. What follows
 * them is copy_rest()'s.
 *
 * Every function here ends with the end of the copy, or with `result` where that is not null. */

#include "small_copy.h"

INLINE lane *copied(lane *end, lane *result) {
    return result != NULL ? result : end;
}

/* Goes on after the first SMALL_BYTES; defined by the file that includes this. */
INLINE lane *copy_rest(lane *d, const lane *s, lane *result);
#if defined(HAS_START_AVX512) && !TEXT_WIDE
/* The same from the beginning. */
INLINE lane *copy_all_avx512(lane *d, const lane *s, lane *result);
#endif

#if TEXT_WIDE
size_t NAME(wcslen)(const wchar_t *s);
#else
size_t NAME(strlen)(const char *s);
#endif
void *NAME(memcpy)(void *restrict d, const void *restrict s, size_t n);

/* The source begins within SMALL_BYTES of the end of its page. */
COLD static lane *copy_across(lane *d, const lane *s, lane *result) {
#if TEXT_WIDE
    const size_t length = NAME(wcslen)((const wchar_t *)s);
#else
    const size_t length = NAME(strlen)((const char *)s);
#endif
    NAME(memcpy)(d, s, (length + 1) * sizeof(lane));
    return copied(d + length, result);
}

OVER_READS INLINE lane *copy_small(lane *d, const lane *s, lane *result) {
    if (crosses_page(s, SMALL_BYTES)) {
        return copy_across(d, s, result);
    }
#if defined(HAS_START_AVX512) && !TEXT_WIDE
    if (START_AVX512) {
        return copy_all_avx512(d, s, result);
    }
#endif
    const vec v0 = vec_load(s), v1 = vec_load(s + LANES), v2 = vec_load(s + 2 * LANES),
              v3 = vec_load(s + 3 * LANES);
    const uint64_t mask = lane_mask_of_four(lane_null(v0), lane_null(v1), lane_null(v2), lane_null(v3));
    if (LIKELY(mask)) {
        const size_t length = lane_first_of_four(mask), bytes = (length + 1) * sizeof(lane);
        if (bytes < 16) {
            copy_up_to_16(d, s, bytes);
        } else {
            copy_16_to_64(d, s, bytes);
        }
        return copied(d + length, result);
    }
    vec_store(d, v0);
    vec_store(d + LANES, v1);
    vec_store(d + 2 * LANES, v2);
    vec_store(d + 3 * LANES, v3);
    const lane *const on = after_small(s);
    return copy_rest(d + (on - s), on, result);
}
