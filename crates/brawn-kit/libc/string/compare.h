/* The entry of memcmp, bcmp and wmemcmp: the first byte or wide character that differs. Operands of more than
 * 64 bytes are compare_long.c's.
 *
 * Plan: at most 16 bytes are one vector each, cut off at n, when neither operand ends at a page; up to 64
 * bytes are four vectors that overlap, and one branch. */
#ifndef BRAWN_COMPARE_H
#define BRAWN_COMPARE_H

#include "vector16.h"
#include "compare_four.h"

/* Compares more than 64 bytes; `wide` says that they are wide characters. */
DISPATCH_TO_AVX512(int, compare_long, __brawn_compare,
                   (const unsigned char *a, const unsigned char *b, size_t bytes, bool wide),
                   (a, b, bytes, wide))

/* Compares at most 16 bytes, of which either operand's end near a page's: compare_edge.c. */
#define compare_edge NAME(__brawn_compare_edge)
HIDDEN int compare_edge(const unsigned char *a, const unsigned char *b, size_t bytes);

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
