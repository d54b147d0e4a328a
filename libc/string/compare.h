/* memcmp, bcmp and wmemcmp: the first lane that differs, or only whether there is one (COMPARE_EQUALITY).
 *
 * Plan: up to 16 bytes are one vector each, cut off at n, when neither operand ends at a page; then vectors
 * of which the last ends where the operands end; then groups of four with one branch each. */

#include "lanes.h"

#ifdef COMPARE_EQUALITY
#define DIFFERENCE(a, b) 1
#elif defined(LANES_WIDE)
#define DIFFERENCE(a, b) ((wchar_t)(a) < (wchar_t)(b) ? -1 : 1)
#else
#define DIFFERENCE(a, b) ((int)(a) - (int)(b))
#endif

/* Compares the vectors at the beginning and at these indexes, and leaves for `differs` if they are not the
 * same. They may overlap: of the lanes before a vector none differs when it is asked. */
#define COMPARE_STATE                                                                                        \
    lane_test t0, t1, t2, t3;                                                                                \
    size_t at1, at2, at3;
#define COMPARE_FOUR(i1, i2, i3)                                                                             \
    {                                                                                                        \
        at1 = (i1), at2 = (i2), at3 = (i3);                                                                  \
        t0 = lane_unequal(vec_load(a), vec_load(b));                                                         \
        t1 = lane_unequal(vec_load(a + at1), vec_load(b + at1));                                             \
        t2 = lane_unequal(vec_load(a + at2), vec_load(b + at2));                                             \
        t3 = lane_unequal(vec_load(a + at3), vec_load(b + at3));                                             \
        if (lane_test_any(lane_test_or(lane_test_or(t0, t1), lane_test_or(t2, t3)))) {                       \
            goto differs;                                                                                    \
        }                                                                                                    \
    }

#ifdef COMPARE_EQUALITY
#define COMPARE_DIFFERS return 1;
#else
#define COMPARE_DIFFERS                                                                                      \
    {                                                                                                        \
        size_t where = 0;                                                                                    \
        lane_mask mask = lane_mask_of(t0);                                                                   \
        if (!mask) {                                                                                         \
            where = at1;                                                                                     \
            mask = lane_mask_of(t1);                                                                         \
        }                                                                                                    \
        if (!mask) {                                                                                         \
            where = at2;                                                                                     \
            mask = lane_mask_of(t2);                                                                         \
        }                                                                                                    \
        if (!mask) {                                                                                         \
            where = at3;                                                                                     \
            mask = lane_mask_of(t3);                                                                         \
        }                                                                                                    \
        where += lane_mask_first(mask);                                                                      \
        return DIFFERENCE(a[where], b[where]);                                                               \
    }
#endif

#ifdef BRAWN_PASS

/* More than 64 bytes, which are at least a vector of any level. */
static NOINLINE int LEVEL_NAME(compare_long)(const lane *a, const lane *b, size_t n) {
    COMPARE_STATE
    if (n <= 4 * LANES) {
        COMPARE_FOUR(n > 2 * LANES ? LANES : 0, n > 2 * LANES ? n - 2 * LANES : 0, n - LANES)
        return 0;
    }
    COMPARE_FOUR(LANES, 2 * LANES, 3 * LANES)
    if (n > 8 * LANES) {
        const lane *const end = a + n - 4 * LANES;
        /* Aligned to one of the operands, as the other may be as well. */
        const size_t skip = 4 * LANES - ((uintptr_t)a & (VEC - 1)) / sizeof(lane);
        a += skip;
        b += skip;
        do {
            COMPARE_FOUR(LANES, 2 * LANES, 3 * LANES)
            a += 4 * LANES;
            b += 4 * LANES;
        } while (a < end);
        b -= a - end;
        a = end;
    } else {
        a += n - 4 * LANES;
        b += n - 4 * LANES;
    }
    COMPARE_FOUR(LANES, 2 * LANES, 3 * LANES)
    return 0;
differs:
    COMPARE_DIFFERS
}

#else

DISPATCHED(int, compare_long, (const lane *a, const lane *b, size_t n), (a, b, n))

/* At most a vector, near the end of a page: in words that may overlap. */
NOINLINE static int compare_at_edge(const lane *a, const lane *b, size_t n) {
#ifndef LANES_WIDE
    if (n >= 8) {
        const size_t at = load64(a) != load64(b) ? 0 : n - 8;
        const uint64_t x = load64(a + at), y = load64(b + at);
        if (x == y) {
            return 0;
        }
        const unsigned shift = (unsigned)__builtin_ctzll(x ^ y) & 56;
        (void)shift;
        return DIFFERENCE(x >> shift & 0xff, y >> shift & 0xff);
    }
#endif
    for (; n; a++, b++, n--) {
        if (*a != *b) {
            return DIFFERENCE(*a, *b);
        }
    }
    return 0;
}

OVER_READS INLINE int compare(const lane *a, const lane *b, size_t n) {
    if (n <= LANES) {
        if (UNLIKELY(n == 0)) {
            return 0;
        }
        if (UNLIKELY(crosses_page(a, VEC) || crosses_page(b, VEC))) {
            return compare_at_edge(a, b, n);
        }
        const lane_mask mask = lane_mask_before(lane_mask_of(lane_unequal(vec_load(a), vec_load(b))), n);
        if (mask) {
            const size_t where = lane_mask_first(mask);
            (void)where;
            return DIFFERENCE(a[where], b[where]);
        }
        return 0;
    }
    if (UNLIKELY(n > 4 * LANES)) {
        return compare_long(a, b, n);
    }
    /* 17 to 64 bytes: four overlapping vectors, and one branch when they are the same. */
    COMPARE_STATE
    const size_t inner = n > 2 * LANES ? LANES : 0;
    COMPARE_FOUR(inner, n - LANES - inner, n - LANES)
    return 0;
differs:
    COMPARE_DIFFERS
}

#endif

#undef COMPARE_STATE
#undef COMPARE_FOUR
#undef COMPARE_DIFFERS
#undef DIFFERENCE
