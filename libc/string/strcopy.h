/* strcpy, stpcpy, strcat and wcscpy: copy and look for the null in one pass.
 *
 * Entry: up to 64 bytes as four unaligned vectors of 16, unless those might cross into a page that is not
 * there. The last vector is one that ends with the null and overlaps what is written already, so nothing is
 * written past the null; strings shorter than a vector are two overlapping words. Long: aligned loads at the
 * level's width, four at a time after the first few; the source is aligned by copying some of it twice.
 *
 * Every function here ends with the end of the copy, or with `result` where that is not null. */

#include "few.h"

INLINE lane *copied(lane *end, lane *result) {
    return result != NULL ? result : end;
}

/* Goes on after the first SMALL_BYTES; defined by the file that includes this. */
INLINE lane *copy_long(lane *d, const lane *s, lane *result);

/* The source begins within SMALL_BYTES of the end of its page. */
OVER_READS COLD static lane *copy_across(lane *d, const lane *s, lane *result) {
    size_t left = SMALL_LANES;
    while (left >= LANES) {
        if (page_room(s) >= VEC) {
            const vec v = vec_load(s);
            const lane_mask mask = lane_mask_of(lane_null(v));
            if (mask) {
                const size_t length = lane_mask_first(mask);
                copy_few(d, s, (length + 1) * sizeof(lane));
                return copied(d + length, result);
            }
            vec_store(d, v);
            d += LANES;
            s += LANES;
            left -= LANES;
        } else {
            for (size_t room = page_room(s) / sizeof(lane); room != 0; room--) {
                if ((*d = *s) == 0) {
                    return copied(d, result);
                }
                d++;
                s++;
            }
        }
    }
    return copy_long(d, s, result);
}

OVER_READS INLINE lane *copy_small(lane *d, const lane *s, lane *result) {
    if (crosses_page(s, SMALL_BYTES)) {
        return copy_across(d, s, result);
    }
    vec v = vec_load(s);
    lane_mask mask = lane_mask_of(lane_null(v));
    if (mask) {
        const size_t length = lane_mask_first(mask);
        copy_few(d, s, (length + 1) * sizeof(lane));
        return copied(d + length, result);
    }
#pragma GCC unroll 3
    for (size_t i = LANES; i < SMALL_LANES; i += LANES) {
        const vec next = vec_load(s + i);
        mask = lane_mask_of(lane_null(next));
        vec_store(d + i - LANES, v);
        if (mask) {
            const size_t length = i + lane_mask_first(mask);
            vec_store(d + length + 1 - LANES, vec_load(s + length + 1 - LANES));
            return copied(d + length, result);
        }
        v = next;
    }
    vec_store(d + SMALL_LANES - LANES, v);
    return copy_long(d + SMALL_LANES, s + SMALL_LANES, result);
}
