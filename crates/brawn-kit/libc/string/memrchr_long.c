/* The long part of memrchr: more than 64 bytes. memrchr.c has the plan. */
#include "vector.h"
#include "text.h"
#include "group.h"

OVER_READS LONG_PART(void *, __brawn_memrchr, (const unsigned char *s, unsigned char c, size_t n)) {
    const vec needle = vec_fill(c);
    const unsigned char *p = s + n - VEC;
    vec_mask mask = vec_mask_of(vec_equal(vec_load(p), needle));
    if (mask) {
        return (void *)(p + mask_last(mask));
    }
    /* Everything from p on has been seen. */
    p = (const unsigned char *)(((uintptr_t)p + VEC - 1) & -VEC);
    for (int i = 0; i < 3; i++) {
        if ((size_t)(p - s) <= VEC) {
            goto first;
        }
        p -= VEC;
        mask = vec_mask_of(vec_equal(vec_load_aligned(p), needle));
        if (mask) {
            return (void *)(p + mask_last(mask));
        }
    }
    while ((size_t)(p - s) > 4 * VEC) {
        if (equal_in_four(p - 4 * VEC, needle)) {
            break;
        }
        p -= 4 * VEC;
    }
    NO_UNROLL
    while ((size_t)(p - s) > VEC) {
        p -= VEC;
        mask = vec_mask_of(vec_equal(vec_load_aligned(p), needle));
        if (mask) {
            return (void *)(p + mask_last(mask));
        }
    }
first:
    /* At most a vector is left, and what follows it has no match. */
    mask = vec_mask_of(vec_equal(vec_load(s), needle));
    return mask ? (void *)(s + mask_last(mask)) : NULL;
}
