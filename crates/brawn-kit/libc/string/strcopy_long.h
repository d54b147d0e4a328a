/* What follows the first 64 bytes of strcpy and its variants, and of strncpy and its variants: the latter are
 * `limited`, which is always a constant; they look at a limit before every step and fill up with nulls.
 *
 * Aligned loads of the level's width, in groups of four after the first few; the source is aligned by copying
 * some of it twice. A group that has the null goes the way of the first few. The last vector ends with the
 * string. */
#ifndef BRAWN_STRCOPY_LONG_H
#define BRAWN_STRCOPY_LONG_H

#include "vector.h"
#include "text.h"
#include "small_copy.h"
#include "strcpy_to.h"

/* The SMALL_BYTES before s and d are copied, and hold no null, but for AVX-512 without a limit: there nothing need be, and
 * a vector from s lies in its page. Returns `result` or, where that is a null pointer, the end of the copy. With a limit, at
 * least one byte is left before `end`. */
OVER_READS INLINE char *copy_long(char *restrict d, const char *restrict s, char *end, char *result,
                                  bool limited) {
    vec_mask mask;
    size_t length;
#define BACK_TO(alignment)                                                                                   \
    do {                                                                                                     \
        const size_t back = (uintptr_t)s & ((alignment) - 1);                                                \
        d -= back;                                                                                           \
        s -= back;                                                                                           \
    } while (0)
#define STEP                                                                                                 \
    do {                                                                                                     \
        if (limited && UNLIKELY(d > end - VEC)) {                                                            \
            goto last;                                                                                       \
        }                                                                                                    \
        const vec v = vec_load_aligned(s);                                                                   \
        mask = vec_mask_of(vec_null(v));                                                                     \
        IN_REGISTER(mask);                                                                                   \
        if (UNLIKELY(mask)) {                                                                                \
            goto found;                                                                                      \
        }                                                                                                    \
        vec_store(d, v);                                                                                     \
        d += VEC;                                                                                            \
        s += VEC;                                                                                            \
        IN_REGISTER(d);                                                                                      \
        IN_REGISTER(s);                                                                                      \
    } while (0)
    if (4 * VEC <= SMALL_BYTES) {
        /* A group is no longer than what has been copied. */
        goto group;
    }
    if (VEC == SMALL_BYTES && !limited) {
        /* Nothing need have been copied; what is here is then the first of a group. */
        const vec v = vec_load(s);
        mask = vec_mask_of(vec_null(v));
        IN_REGISTER(mask);
        if (LIKELY(mask)) {
            length = mask_first(mask);
            if (length < 15) {
                copy_up_to_16(d, s, length + 1);
            } else {
                copy_16_to_64(d, s, length + 1);
            }
            return result != NULL ? result : d + length;
        }
        vec_store(d, v);
        d += VEC;
        s += VEC;
        BACK_TO(VEC);
        goto three;
    }
    BACK_TO(VEC);
four:
    STEP;
three:
    STEP;
    STEP;
    STEP;
group:
    /* An aligned group lies within a page. It begins with what is copied already. */
    BACK_TO(4 * VEC);
    for (;;) {
        if (limited && d > end - 4 * VEC) {
            goto four;
        }
        const vec a = vec_load_aligned(s), b = vec_load_aligned(s + VEC);
        const vec c = vec_load_aligned(s + 2 * VEC), e = vec_load_aligned(s + 3 * VEC);
        if (UNLIKELY(test_any(vec_null(vec_min(vec_min(a, b), vec_min(c, e)))))) {
            /* Or what is known of `a` there costs those who come the other way a jump. */
            IN_REGISTER(s);
            goto four;
        }
        vec_store(d, a);
        vec_store(d + VEC, b);
        vec_store(d + 2 * VEC, c);
        vec_store(d + 3 * VEC, e);
        d += 4 * VEC;
        s += 4 * VEC;
    }
#undef STEP
#undef BACK_TO
last:
    /* Less than a vector is left before the limit; within the page of s, all of a vector may be read. */
    length = (size_t)(end - d);
    if (length != 0) {
        mask = vec_mask_of(vec_null(vec_load_aligned(s)));
        if (mask && mask_first(mask) < length) {
        found:
            length = mask_first(mask);
        }
    }
    if (limited) {
        vec_store(d + length - VEC, vec_load(s + length - VEC));
        d += length;
        if (d != end) {
            return NAME(__brawn_strncpy_fill)(d, end, result);
        }
    } else {
        d += length;
        s += length;
        vec_store(d + 1 - VEC, vec_load(s + 1 - VEC));
    }
    return result != NULL ? result : d;
}

#endif
