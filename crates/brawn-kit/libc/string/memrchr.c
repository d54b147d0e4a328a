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

#else

/* More than 64 bytes. */
OVER_READS static NOINLINE void *LEVEL_NAME(find_last_long)(const unsigned char *s, unsigned char c,
                                                            size_t n) {
    const vec needle = vec_fill(c);
    const unsigned char *p = s + n - VEC;
    vec_mask mask = vec_mask_of(vec_equal(vec_load(p), needle));
    if (mask) {
        return (void *)(p + mask_last(mask));
    }
    /* Everything from p on has been seen. */
    p = (const unsigned char *)(((uintptr_t)p + VEC - 1) & -VEC);
    for (int i = 0; i < 3; i++) {
        if ((size_t)(p - s) <= VEC) {
            goto first;
        }
        p -= VEC;
        mask = vec_mask_of(vec_equal(vec_load_aligned(p), needle));
        if (mask) {
            return (void *)(p + mask_last(mask));
        }
    }
    while ((size_t)(p - s) > 4 * VEC) {
        const vec_test t0 = vec_equal(vec_load_aligned(p - VEC), needle);
        const vec_test t1 = vec_equal(vec_load_aligned(p - 2 * VEC), needle);
        const vec_test t2 = vec_equal(vec_load_aligned(p - 3 * VEC), needle);
        const vec_test t3 = vec_equal(vec_load_aligned(p - 4 * VEC), needle);
        if (test_any(test_or(test_or(t0, t1), test_or(t2, t3)))) {
            break;
        }
        p -= 4 * VEC;
    }
    NO_UNROLL
    while ((size_t)(p - s) > VEC) {
        p -= VEC;
        mask = vec_mask_of(vec_equal(vec_load_aligned(p), needle));
        if (mask) {
            return (void *)(p + mask_last(mask));
        }
    }
first:
    /* At most a vector is left, and what follows it has no match. */
    mask = vec_mask_of(vec_equal(vec_load(s), needle));
    return mask ? (void *)(s + mask_last(mask)) : NULL;
}

#endif
