/* The entry of memcmp, bcmp and wmemcmp: the first byte or wide character that differs. Operands of more than
 * 64 bytes are compare.c's.
 *
 * Plan: at most 16 bytes are one vector each, cut off at n, when neither operand ends at a page; up to 64
 * bytes are four vectors that overlap, and one branch. */
#ifndef BRAWN_COMPARE_H
#define BRAWN_COMPARE_H

#include "characters.h"
#include "vector.h"

/* Compares more than 64 bytes; `wide` says that they are wide characters. */
#define compare_long_sse2 NAME(__brawn_compare_sse2)
#define compare_long_avx2 NAME(__brawn_compare_avx2)
#define compare_long_avx512 NAME(__brawn_compare_avx512)
#define compare_long_neon NAME(__brawn_compare_neon)
DISPATCH_SHARED(int, compare_long, (const unsigned char *a, const unsigned char *b, size_t bytes, bool wide))

/* Compares at most 16 bytes, of which either operand's end near a page's. */
#define compare_edge NAME(__brawn_compare_edge)
HIDDEN int compare_edge(const unsigned char *a, const unsigned char *b, size_t bytes);

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
#define COMPARE_FOUR(load, i1, i2, i3)                                                                       \
    {                                                                                                        \
        at1 = (i1), at2 = (i2), at3 = (i3);                                                                  \
        t0 = vec_equal(load(a), vec_load(b));                                                                \
        t1 = vec_equal(load(a + at1), vec_load(b + at1));                                                    \
        t2 = vec_equal(load(a + at2), vec_load(b + at2));                                                    \
        t3 = vec_equal(load(a + at3), vec_load(b + at3));                                                    \
        if (UNLIKELY(!test_all(test_and(test_and(t0, t1), test_and(t2, t3))))) {                             \
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

#ifndef BRAWN_COMPARE_BODY

DISPATCHED(int, compare_long, (const unsigned char *a, const unsigned char *b, size_t bytes, bool wide),
           (a, b, bytes, wide))

/* `ordered` says that the caller wants to know which operand is the lesser one, and not only if they are the
 * same. */
OVER_READS INLINE int compare(const void *left, const void *right, size_t bytes, bool wide, bool ordered) {
    const unsigned char *a = left, *b = right;
    if (wide && bytes < VEC) {
        /* At most three: nothing beside the operands is read. */
        NO_UNROLL
        for (; bytes; a += 4, b += 4, bytes -= 4) {
            if (load32(a) != load32(b)) {
                return difference(a, b, 0, true);
            }
        }
        return 0;
    }
    if (!wide && bytes <= VEC) {
        /* A branch, not a difference: what follows need not wait for the bytes. */
        if (bytes <= 1) {
            if (LIKELY(bytes == 0)) {
                return 0;
            }
            if (UNLIKELY(*a != *b)) {
                return (int)*a - (int)*b;
            }
            return 0;
        }
        if (UNLIKELY(crosses_page(a, VEC) || crosses_page(b, VEC))) {
            return compare_edge(a, b, bytes);
        }
        const vec_mask mask = mask_before(vec_mask_of(vec_unequal(vec_load(a), vec_load(b))), bytes);
        if (!ordered) {
            if (mask) {
                BRANCH();
                return 1;
            }
            return 0;
        }
        return mask ? difference(a, b, mask_first(mask), wide) : 0;
    }
    if (UNLIKELY(bytes > 4 * VEC)) {
        return compare_long(a, b, bytes, wide);
    }
    COMPARE_STATE
    const size_t inner = bytes > 2 * VEC ? VEC : 0;
    COMPARE_FOUR(vec_load, inner, bytes - VEC - inner, bytes - VEC)
    return 0;
differs:
    if (!ordered) {
        return 1;
    }
    COMPARE_DIFFERS
}

#endif
#endif
