/* memmem: the first place of a needle in memory. A needle of one byte is what memchr finds.
 *
* Plan: a position is a candidate when the first and the last byte of the needle stand where they should; a
 * vector tests as many positions at once as it has lanes, and a candidate's other bytes are compared. Text
 * that keeps offering false candidates would cost haystack x needle that way: once failed comparisons
 * outweigh the bytes searched, the two-way algorithm (two_way.h) takes the rest, in linear time and constant
 * memory. */
#include "vector16.h"
#include "two_way.h"

void *NAME(memchr)(const void *s, int c, size_t n);

PUBLIC void *NAME(memmem)(const void *haystack, size_t n, const void *needle, size_t length);

/* Are these n >= 2 bytes, of which the first and the last are known to be, the same? */
static NOINLINE bool same_inside(const unsigned char *a, const unsigned char *b, size_t n) {
    size_t i = 1;
    for (; i + 8 < n; i += 8) {
        if (load64(a + i) != load64(b + i)) {
            return false;
        }
    }
    if (n >= 9) {
        return load64(a + n - 8) == load64(b + n - 8);
    }
    NO_UNROLL
    for (; i + 1 < n; i++) {
        if (a[i] != b[i]) {
            return false;
        }
    }
    return true;
}

/* `positions` >= 1 places where the needle may begin. */
OVER_READS static void *search(const unsigned char *s, size_t positions, const unsigned char *needle,
                               size_t length) {
    const vec first = vec_fill(needle[0]), last = vec_fill(needle[length - 1]);
    const unsigned char *const end = s + positions;
    size_t budget = 256;
    for (const unsigned char *p = s; p < end; p += VEC) {
        const size_t left = (size_t)(end - p);
        const unsigned char *from = p;
        if (UNLIKELY(left < VEC)) {
            if (positions >= VEC) {
                /* The last vector of positions, of which some have been seen. */
                from = end - VEC;
            } else if (crosses_page(p, VEC) || crosses_page(p + length - 1, VEC)) {
                NO_UNROLL
                for (; p < end; p++) {
                    if (p[0] == needle[0] && p[length - 1] == needle[length - 1] &&
                        same_inside(p, needle, length)) {
                        return (void *)(uintptr_t)p;
                    }
                }
                return NULL;
            }
        }
        vec_mask mask = vec_mask_of(
            test_and(vec_equal(vec_load(from), first), vec_equal(vec_load(from + length - 1), last)));
        if (UNLIKELY(mask)) {
            mask = mask_before(mask_after(mask, (size_t)(p - from)), left < VEC ? left : VEC);
        }
        for (; mask; mask = mask_drop(mask)) {
            const unsigned char *const place = p + mask_first(mask);
            if (same_inside(place, needle, length)) {
                return (void *)(uintptr_t)place;
            }
            if (UNLIKELY(budget < length)) {
                return NAME(__brawn_two_way)((const char *)place + 1, (size_t)(end - place) + length - 2,
                                             (const char *)needle, length, TWO_WAY_MEMORY);
            }
            budget -= length;
        }
        budget += 2 * VEC;
    }
    return NULL;
}

void *NAME(memmem)(const void *haystack, size_t n, const void *needle, size_t length) {
    if (UNLIKELY(length == 0)) {
        return (void *)haystack;
    }
    if (UNLIKELY(n < length)) {
        return NULL;
    }
    if (length == 1) {
        return NAME(memchr)(haystack, *(const unsigned char *)needle, n);
    }
    return search(haystack, n - length + 1, needle, length);
}
