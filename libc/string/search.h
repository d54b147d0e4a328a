/* Searching for a needle of at least two bytes in memory: memmem.
 *
 * Plan: a position is a candidate when the first and the last byte of the needle stand where they should; a
 * vector tests as many positions at once as it has lanes, and a candidate's other bytes are compared. Text
 * that keeps offering false candidates would cost haystack x needle that way: once the bytes compared in vain
 * outweigh the bytes searched, the two-way algorithm (two_way.h) takes the rest, in linear time and constant
 * memory. */

#ifndef BRAWN_SEARCH_H
#define BRAWN_SEARCH_H

/* Are these n >= 2 bytes, of which the first and the last are known to be, the same? */
INLINE bool same_inside(const unsigned char *a, const unsigned char *b, size_t n) {
    size_t i = 1;
    for (; i + 8 < n; i += 8) {
        if (load64(a + i) != load64(b + i)) {
            return false;
        }
    }
    if (n >= 9) {
        return load64(a + n - 8) == load64(b + n - 8);
    }
    for (; i + 1 < n; i++) {
        if (a[i] != b[i]) {
            return false;
        }
    }
    return true;
}

#endif

#ifdef BRAWN_PASS

/* `positions` >= 1 places where the needle may begin. */
OVER_READS static NOINLINE void *LEVEL_NAME(search_long)(const unsigned char *s, size_t positions,
                                                         const unsigned char *needle, size_t length) {
    const vec first = vec_fill(needle[0]), last = vec_fill(needle[length - 1]);
    const unsigned char *const end = s + positions;
    size_t budget = 256;
    const unsigned char *p = s;
    while (p < end) {
        vec_mask mask;
        const unsigned char *q = p;
        if ((size_t)(end - p) >= VEC) {
            mask = vec_mask_of(
                test_and(vec_equal(vec_load(p), first), vec_equal(vec_load(p + length - 1), last)));
        } else if ((size_t)(end - s) >= VEC) {
            /* The last vector of positions, of which some have been seen. */
            q = end - VEC;
            mask = vec_mask_of(
                test_and(vec_equal(vec_load(q), first), vec_equal(vec_load(q + length - 1), last)));
            const size_t seen = (size_t)(p - q);
            mask = mask_after(mask, seen);
            q = p;
        } else if (!crosses_page(p, VEC) && !crosses_page(p + length - 1, VEC)) {
            mask = vec_mask_of(
                test_and(vec_equal(vec_load(p), first), vec_equal(vec_load(p + length - 1), last)));
            mask = mask_before(mask, (size_t)(end - p));
        } else {
            for (; p < end; p++) {
                if (p[0] == needle[0] && p[length - 1] == needle[length - 1] &&
                    same_inside(p, needle, length)) {
                    return (void *)p;
                }
            }
            return NULL;
        }
        while (mask) {
            const size_t index = mask_first(mask);
            q += index;
            if (same_inside(q, needle, length)) {
                return (void *)q;
            }
            if (UNLIKELY(budget < length)) {
                return NAME(__brawn_two_way)((const char *)q + 1, (size_t)(end - q) + length - 2,
                                             (const char *)needle, length, TWO_WAY_MEMORY);
            }
            budget -= length;
            if (index + 1 >= VEC) {
                break;
            }
            mask = mask_after(mask, index + 1);
            q++;
        }
        p += VEC;
        budget += 2 * VEC;
    }
    return NULL;
}

#else

DISPATCHED(void *, search_long,
           (const unsigned char *s, size_t positions, const unsigned char *needle, size_t length),
           (s, positions, needle, length))

/* The first 16 positions are tested here. */
OVER_READS INLINE void *search(const unsigned char *s, size_t positions, const unsigned char *needle,
                               size_t length) {
    const unsigned char *const s_last = s + length - 1;
    if (LIKELY(!crosses_page(s, VEC) && !crosses_page(s_last, VEC))) {
        const vec_test first = vec_equal(vec_load(s), vec_fill(needle[0]));
        const vec_test last = vec_equal(vec_load(s_last), vec_fill(needle[length - 1]));
        vec_mask mask = mask_before(vec_mask_of(test_and(first, last)), positions < VEC ? positions : VEC);
        if (mask) {
            const size_t index = mask_first(mask);
            if (same_inside(s + index, needle, length)) {
                return (void *)(s + index);
            }
            /* Again from there: one candidate that was none is no reason to stay here. */
            return index + 1 < positions ? search_long(s + index + 1, positions - index - 1, needle, length)
                                         : NULL;
        }
        if (positions <= VEC) {
            return NULL;
        }
        s += VEC;
        positions -= VEC;
    }
    return search_long(s, positions, needle, length);
}

#endif
