/* Comparisons of more than 64 bytes, for memcmp, bcmp and wmemcmp: one object, so that a program pays for it
 * once.
 *
 * Plan: up to eight vectors, in two groups of four of which the second ends where the operands end; beyond,
 * groups aligned to one of the operands. Each group costs one branch. */
#include "vector.h"
#include "compare_four.h"

/* The four vectors from here on; where the first difference is, is found out behind `group_differs`. */
#define COMPARE_GROUP(load)                                                                                  \
    if (UNLIKELY(!SAME_FOUR(load, a, a + other, VEC, 2 * VEC, 3 * VEC))) {                                   \
        goto group_differs;                                                                                  \
    }

LONG_PART(int, __brawn_compare, (const unsigned char *a, const unsigned char *b, size_t bytes, bool wide)) {
    COMPARE_STATE
    const ptrdiff_t other = b - a; /* one pointer moves, and the other operand is this far from it */
    /* At 16 bytes, the entry has dealt with these. */
    if (VEC > 16 && bytes <= 4 * VEC) {
        const size_t inner = bytes > 2 * VEC ? VEC : 0;
        COMPARE_FOUR(vec_load, inner, bytes - VEC - inner, bytes - VEC)
        return 0;
    }
    COMPARE_GROUP(vec_load)
    const unsigned char *const end = a + bytes - 4 * VEC;
    if (bytes > 8 * VEC) {
        a += 4 * VEC - ((uintptr_t)a & (VEC - 1));
        do {
            COMPARE_GROUP(vec_load_aligned)
            a += 4 * VEC;
        } while (a < end);
        if (VEC == 64 && a >= end + 3 * VEC) {
            /* The last vector is all that is left. */
            a = end + 3 * VEC;
            t0 = vec_equal(vec_load(a), vec_load(a + other));
            if (LIKELY(test_all(t0))) {
                return 0;
            }
            a = end;
        }
    }
    a = end;
    COMPARE_GROUP(vec_load)
    return 0;
group_differs:
    b = a + other;
    at1 = VEC, at2 = 2 * VEC, at3 = 3 * VEC;
differs:
    /* Both ways meet here, or there would be a second copy of it. */
    IN_REGISTER(at1);
    COMPARE_AGAIN
    COMPARE_DIFFERS
}
