/* memrchr: the last byte that equals c.
 *
 * Plan: the last 16 bytes in the entry; then one vector at the end, aligned vectors downwards, four singly,
 * and a loop over groups of four. */
#ifndef BRAWN_PASS

#define BRAWN_BODY "memrchr.c"
#include "levels.h"

DISPATCHED(void *, find_last_long, (const unsigned char *s, unsigned char c, size_t n), (s, c, n))

PUBLIC void *NAME(__memrchr)(const void *s, int c, size_t n);

OVER_READS void *NAME(__memrchr)(const void *operand, int c, size_t n) {
    const unsigned char *const s = operand, *const end = s + n;
    if (n > VEC) {
        const vec_mask mask = vec_mask_of(vec_equal(vec_load(end - VEC), vec_fill((unsigned char)c)));
        if (mask) {
            return (void *)(end - VEC + mask_last(mask));
        }
        return find_last_long(s, (unsigned char)c, n);
    }
    if (n == 0) {
        return NULL;
    }
    /* A whole vector from s on, unless that leaves the page. Then the one that ends where the operand ends.
     */
    const unsigned char *const from = crosses_page(s, VEC) ? end - VEC : s;
    vec_mask mask = vec_mask_of(vec_equal(vec_load(from), vec_fill((unsigned char)c)));
    mask = mask_before(mask, (size_t)(end - from));
    if (mask) {
        const unsigned char *const found = from + mask_last(mask);
        return found >= s ? (void *)found : NULL;
    }
    return NULL;
}

WEAK_ALIAS(void *, memrchr, __memrchr, (const void *s, int c, size_t n));

#else

/* More than 16 bytes, which may be fewer than a vector of this level. */
OVER_READS static NOINLINE void *LEVEL_NAME(find_last_long)(const unsigned char *s, unsigned char c,
                                                            size_t n) {
    const vec needle = vec_fill(c);
    const unsigned char *p = (const unsigned char *)((uintptr_t)(s + n - 1) & -VEC);
    vec_mask mask = mask_before(vec_mask_of(vec_equal(vec_load_aligned(p), needle)), (size_t)(s + n - p));
    unsigned singly = 4;
    for (;;) {
        if (mask) {
            const unsigned char *const found = p + mask_last(mask);
            return found >= s ? (void *)found : NULL;
        }
        if (p <= s) {
            return NULL;
        }
        if (singly) {
            singly--;
        } else {
            while ((size_t)(p - s) >= 4 * VEC) {
                const vec_test t0 = vec_equal(vec_load_aligned(p - VEC), needle);
                const vec_test t1 = vec_equal(vec_load_aligned(p - 2 * VEC), needle);
                const vec_test t2 = vec_equal(vec_load_aligned(p - 3 * VEC), needle);
                const vec_test t3 = vec_equal(vec_load_aligned(p - 4 * VEC), needle);
                if (test_any(test_or(test_or(t0, t1), test_or(t2, t3)))) {
                    break;
                }
                p -= 4 * VEC;
            }
            if (p <= s) {
                return NULL;
            }
        }
        p -= VEC;
        mask = vec_mask_of(vec_equal(vec_load_aligned(p), needle));
    }
}

#endif
