/* Comparing four vectors of memory with four others at once, for the entry of memcmp and its variants
 * (compare.h) and for the long part (compare_long.c). Include it after vector16.h or vector.h. */
#ifndef BRAWN_COMPARE_FOUR_H
#define BRAWN_COMPARE_FOUR_H

#include "brawn_string.h"

#include <wchar.h>

/* Of two bytes, or of the two wide characters that hold them. */
INLINE int difference(const unsigned char *a, const unsigned char *b, size_t where, bool wide) {
    if (wide) {
        where &= ~(size_t)3;
        return (wchar_t)load32(a + where) < (wchar_t)load32(b + where) ? -1 : 1;
    }
    return (int)a[where] - (int)b[where];
}

/* Compares the vectors at the beginning and at these indexes, and leaves for `differs` if they are not the
 * same. `load` is how a's are loaded. They may overlap: of the bytes before a vector none differs when it is
 * asked. Equality is what SSE2 and AVX2 can test; asked for the opposite, each vector would cost one
 * operation more. */
#define COMPARE_STATE                                                                                        \
    vec_test t0, t1, t2, t3;                                                                                 \
    size_t at1, at2, at3;
/* Whether they are the same; and what else `differs` needs. */
#if defined(BRAWN_VECTOR_AVX512_H)
#define SAME_FOUR(load, a, b, i1, i2, i3)                                                                    \
    !test_any(                                                                                               \
        vec_unequal(vec_zero(), vec_four_differences(load(a), load((a) + (i1)), load((a) + (i2)),            \
                                                     load((a) + (i3)), vec_load(b), vec_load((b) + (i1)),    \
                                                     vec_load((b) + (i2)), vec_load((b) + (i3)))))
#define COMPARE_AGAIN                                                                                        \
    t0 = vec_equal(vec_load(a), vec_load(b));                                                                \
    t1 = vec_equal(vec_load(a + at1), vec_load(b + at1));                                                    \
    t2 = vec_equal(vec_load(a + at2), vec_load(b + at2));                                                    \
    t3 = vec_equal(vec_load(a + at3), vec_load(b + at3));
#else
#define SAME_FOUR(load, a, b, i1, i2, i3)                                                                    \
    (t0 = vec_equal(load(a), vec_load(b)), t1 = vec_equal(load((a) + (i1)), vec_load((b) + (i1))),           \
     t2 = vec_equal(load((a) + (i2)), vec_load((b) + (i2))),                                                 \
     t3 = vec_equal(load((a) + (i3)), vec_load((b) + (i3))),                                                 \
     test_all(test_and(test_and(t0, t1), test_and(t2, t3))))
#define COMPARE_AGAIN
#endif
#define COMPARE_FOUR(load, i1, i2, i3)                                                                       \
    {                                                                                                        \
        at1 = (i1), at2 = (i2), at3 = (i3);                                                                  \
        if (UNLIKELY(!SAME_FOUR(load, a, b, at1, at2, at3))) {                                               \
            goto differs;                                                                                    \
        }                                                                                                    \
    }
#define COMPARE_DIFFERS                                                                                      \
    {                                                                                                        \
        size_t where = 0;                                                                                    \
        vec_mask mask = vec_mask_of(test_not(t0));                                                           \
        if (!mask) {                                                                                         \
            where = at1;                                                                                     \
            mask = vec_mask_of(test_not(t1));                                                                \
        }                                                                                                    \
        if (!mask) {                                                                                         \
            where = at2;                                                                                     \
            mask = vec_mask_of(test_not(t2));                                                                \
        }                                                                                                    \
        if (!mask) {                                                                                         \
            where = at3;                                                                                     \
            mask = vec_mask_of(test_not(t3));                                                                \
        }                                                                                                    \
        return difference(a, b, where + mask_first(mask), wide);                                             \
    }

#endif
