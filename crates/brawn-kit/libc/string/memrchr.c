/* memrchr: the last byte that equals c.
 *
 * Plan: the last 16 bytes in the entry, which does up to 64; in the long part (memrchr_long.c) one vector at
 * the end, aligned vectors downwards, four singly, and a loop over groups of four. */
#include "vector16.h"

DISPATCH_TO_AVX512(void *, find_last_long, __brawn_memrchr,
                   (const unsigned char *s, unsigned char c, size_t n), (s, c, n))

PUBLIC void *NAME(__memrchr)(const void *s, int c, size_t n);

OVER_READS void *NAME(__memrchr)(const void *operand, int c, size_t n) {
    const unsigned char *const s = operand, *const end = s + n;
    if (n > 4 * VEC) {
        return find_last_long(s, (unsigned char)c, n);
    }
    const vec needle = vec_fill((unsigned char)c);
    if (n <= VEC) {
        if (UNLIKELY(n == 0)) {
            return NULL;
        }
        /* A whole vector from s on, unless that leaves the page. Then the one that ends where the operand
         * ends. */
        const unsigned char *const from = crosses_page(s, VEC) ? end - VEC : s;
        vec_mask mask = vec_mask_of(vec_equal(vec_load(from), needle));
        mask = mask_before(mask, (size_t)(end - from));
        if (mask) {
            const unsigned char *const found = from + mask_last(mask);
            return found >= s ? (void *)found : NULL;
        }
        return NULL;
    }
    const vec_mask mask = vec_mask_of(vec_equal(vec_load(end - VEC), needle));
    if (mask) {
        return (void *)(end - VEC + mask_last(mask));
    }
    /* 17 to 64 bytes: the other vectors end where the one behind begins, but none begins before s. */
    const unsigned char *const p1 = n > 2 * VEC ? end - 2 * VEC : s;
    const unsigned char *const p2 = n > 3 * VEC ? end - 3 * VEC : s;
    const vec_test t1 = vec_equal(vec_load(p1), needle), t2 = vec_equal(vec_load(p2), needle);
    const vec_test t3 = vec_equal(vec_load(s), needle);
    if (!test_any(test_or(test_or(t1, t2), t3))) {
        return NULL;
    }
    if (test_any(t1)) {
        return (void *)(p1 + mask_last(vec_mask_of(t1)));
    }
    if (test_any(t2)) {
        return (void *)(p2 + mask_last(vec_mask_of(t2)));
    }
    return (void *)(s + mask_last(vec_mask_of(t3)));
}

WEAK_ALIAS(void *, memrchr, __memrchr, (const void *s, int c, size_t n));
