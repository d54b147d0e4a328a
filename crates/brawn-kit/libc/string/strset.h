/* strspn and strcspn: how far a string goes within, or without, a set of bytes.
 *
 * Entry: sets of up to 15 bytes over the first 16 bytes of the string, by comparing with every byte of the
 * set; strcspn leaves that to the long part where a long call has found AVX2. Long (strspn_long.c): one for both. */
#ifndef BRAWN_STRSET_H
#define BRAWN_STRSET_H

#include "vector16.h"

DISPATCH_TO_AVX2(size_t, span_long, __brawn_strspn,
                 (const char *base, const char *s, const char *set, bool spanning), (base, s, set, spanning))

OVER_READS INLINE size_t span(const char *s, const char *set, bool spanning) {
    const char *from = s;
#if defined(__x86_64__) && !defined(BRAWN_LEVEL)
    /* What goes on until one of a set comes is mostly longer than 16. */
    if (!spanning && brawn_level >= LEVEL_AVX2) {
        return VARIANT(__brawn_strspn, _avx2)(s, s, set, false);
    }
#endif
    if (LIKELY(((uintptr_t)s & (PAGE_BYTES - 1)) <= PAGE_BYTES - VEC &&
               ((uintptr_t)set & (PAGE_BYTES - 1)) <= PAGE_BYTES - VEC)) {
        const vec_mask set_ends = vec_mask_of(vec_null(vec_load(set)));
        if (LIKELY(set_ends)) {
            const vec v = vec_load(s);
            vec_test found = spanning ? vec_zero() : vec_null(v);
            NO_UNROLL
            for (size_t left = mask_first(set_ends); left != 0; left--) {
                found = test_or(found, vec_equal(v, vec_fill((unsigned char)*set++)));
            }
            /* Rewound, as the long part needs the set again; cheaper than a register kept. */
            set -= mask_first(set_ends);
            const vec_mask mask = vec_mask_of(spanning ? vec_null(found) : found);
            if (spanning && (mask & 1)) {
                /* Mostly nothing is to be skipped: who waits for that goes on at once. */
                BRANCH();
                return 0;
            }
            if (LIKELY(mask)) {
                return mask_first(mask);
            }
            from = s + VEC;
        }
    }
    return span_long(s, from, set, spanning);
}

#endif
