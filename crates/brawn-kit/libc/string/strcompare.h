/* strcmp, strncmp, strcasecmp, strncasecmp, wcscmp and wcsncmp: find the first lane that differs or is null.
 * What the entries (strcompare_small.h) and the long parts (strcompare_long.h) share; `folded` says that
 * ASCII letters are compared as lower case, as musl's strcasecmp does in every locale, and is always a
 * constant. Include it after vector16.h or vector.h. */
#ifndef BRAWN_STRCOMPARE_H
#define BRAWN_STRCOMPARE_H

#include "fold.h"
#include "text.h"

/* What goes on where either string begins close to the end of its page: compares `first` lanes without
 * reading beyond. */
HIDDEN int NAME(__brawn_strcmp_edge)(const lane *a, const lane *b, const lane *end, size_t first);
HIDDEN int NAME(__brawn_strcasecmp_edge)(const lane *a, const lane *b, const lane *end, size_t first);
HIDDEN int NAME(__brawn_wcscmp_edge)(const lane *a, const lane *b, const lane *end, size_t first);

INLINE int compare_edge(const lane *a, const lane *b, const lane *end, size_t first, bool folded) {
    if (TEXT_WIDE) {
        return NAME(__brawn_wcscmp_edge)(a, b, end, first);
    }
    return folded ? NAME(__brawn_strcasecmp_edge)(a, b, end, first)
                  : NAME(__brawn_strcmp_edge)(a, b, end, first);
}

/* Whether either of two loads crosses a page. One test of both addresses together, which sometimes takes them
 * for the end of a page, spares two where it says no. */
INLINE bool cross_page(const lane *a, const lane *b, size_t bytes) {
    return UNLIKELY(crosses_page((const void *)((uintptr_t)a | (uintptr_t)b), bytes)) &&
           (crosses_page(a, bytes) || crosses_page(b, bytes));
}

/* Null where two vectors are the same. */
INLINE vec difference(vec a, vec b, bool folded) {
    return folded ? vec_fold_xor(a, b) : vec_xor(a, b);
}

/* Where they are. */
INLINE lane_test same(vec a, vec b, bool folded) {
    return folded ? lane_null(difference(a, b, true)) : lane_equal(a, b);
}

/* The lanes where the strings part or end. */
OVER_READS INLINE lane_test parting_test(const lane *a, const lane *b, bool folded) {
    const vec u = vec_load(a);
    return lane_null(lane_keep(same(u, vec_load(b), folded), u));
}

OVER_READS INLINE lane_mask parting(const lane *a, const lane *b, bool folded) {
#if defined(BRAWN_VECTOR_AVX512_H) && !defined(LANES_WIDE)
    if (!folded) {
        return vec_parting(vec_load(a), vec_load(b));
    }
#endif
    return lane_mask_of(parting_test(a, b, folded));
}

INLINE int order_of(const lane *a, const lane *b, bool folded) {
    if (*a == *b) {
        /* Mostly the end of both, or never: anyone who asks for that need not wait for the difference. */
        BRANCH();
        return 0;
    }
    if (TEXT_WIDE) {
        return (wchar_t)*a < (wchar_t)*b ? -1 : 1;
    }
    return folded ? (int)ascii_fold(*a) - (int)ascii_fold(*b) : (int)(*a - *b);
}

#endif
