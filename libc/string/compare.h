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

#ifdef BRAWN_PASS

/* Returns the difference within the vectors at this index, if there is one. */
#define COMPARE_AT(index)                                                                                    \
    {                                                                                                        \
        const size_t at = (index);                                                                           \
        const lane_mask mask = lane_mask_of(lane_unequal(vec_load(a + at), vec_load(b + at)));               \
        if (mask) {                                                                                          \
            const size_t where = at + lane_mask_first(mask);                                                 \
            (void)where;                                                                                     \
            return DIFFERENCE(a[where], b[where]);                                                           \
        }                                                                                                    \
    }

/* At least one vector of this level. */
static NOINLINE int LEVEL_NAME(compare_long)(const lane *a, const lane *b, size_t n) {
    COMPARE_AT(0)
    if (n > 2 * LANES) {
        COMPARE_AT(LANES)
        if (n > 4 * LANES) {
            COMPARE_AT(2 * LANES)
            COMPARE_AT(3 * LANES)
            if (n > 8 * LANES) {
                const lane *const end = a + n - 4 * LANES;
                /* Aligned to one of the operands, as the other may be as well. */
                size_t skip = 4 * LANES - ((uintptr_t)a & (VEC - 1)) / sizeof(lane);
                a += skip;
                b += skip;
                do {
                    const lane_test t0 = lane_unequal(vec_load(a), vec_load(b));
                    const lane_test t1 = lane_unequal(vec_load(a + LANES), vec_load(b + LANES));
                    const lane_test t2 = lane_unequal(vec_load(a + 2 * LANES), vec_load(b + 2 * LANES));
                    const lane_test t3 = lane_unequal(vec_load(a + 3 * LANES), vec_load(b + 3 * LANES));
                    if (UNLIKELY(lane_test_any(lane_test_or(lane_test_or(t0, t1), lane_test_or(t2, t3))))) {
                        COMPARE_AT(0)
                        COMPARE_AT(LANES)
                        COMPARE_AT(2 * LANES)
                        COMPARE_AT(3 * LANES)
                    }
                    a += 4 * LANES;
                    b += 4 * LANES;
                } while (a < end);
                b -= a - end;
                a = end;
                n = 4 * LANES;
            }
            COMPARE_AT(n - 4 * LANES)
            COMPARE_AT(n - 3 * LANES)
        }
        COMPARE_AT(n - 2 * LANES)
    }
    COMPARE_AT(n - LANES)
    return 0;
}

#undef COMPARE_AT

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
    const size_t inner = n > 2 * LANES ? LANES : 0;
    const lane_test t0 = lane_unequal(vec_load(a), vec_load(b));
    const lane_test t1 = lane_unequal(vec_load(a + inner), vec_load(b + inner));
    const lane_test t2 = lane_unequal(vec_load(a + n - LANES - inner), vec_load(b + n - LANES - inner));
    const lane_test t3 = lane_unequal(vec_load(a + n - LANES), vec_load(b + n - LANES));
    if (!lane_test_any(lane_test_or(lane_test_or(t0, t1), lane_test_or(t2, t3)))) {
        return 0;
    }
#ifdef COMPARE_EQUALITY
    return 1;
#else
    size_t where = 0;
    lane_mask mask = lane_mask_of(t0);
    if (!mask) {
        where = inner;
        mask = lane_mask_of(t1);
    }
    if (!mask) {
        where = n - LANES - inner;
        mask = lane_mask_of(t2);
    }
    if (!mask) {
        where = n - LANES;
        mask = lane_mask_of(t3);
    }
    where += lane_mask_first(mask);
    return DIFFERENCE(a[where], b[where]);
#endif
}

#endif

#undef DIFFERENCE
