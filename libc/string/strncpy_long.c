/* The long part of strncpy and stpncpy: copies while it looks for the null, then fills up. */

#ifdef BRAWN_PASS

/* The first `known` bytes, which are 0 or SMALL_BYTES and no null, are not copied yet; n is more than
 * `known`. */
OVER_READS static char *LEVEL_NAME(copy_limited)(char *restrict d, const char *restrict s, size_t n,
                                                 size_t known) {
    char *const end = d + n;
    if (known == 0) {
        /* The string begins close to the end of its page. */
        const size_t length = known + NAME(strnlen)(s + known, n - known);
        NAME(memcpy)(d, s, length);
        if (length != n) {
            NAME(memset)(d + length, 0, n - length);
        }
        return d + length;
    }
    for (size_t i = 0; i < SMALL_BYTES; i += VEC) {
        vec_store(d + i, vec_load(s + i));
    }
    /* The source is aligned by copying some of it twice. */
    const size_t back = (uintptr_t)(s + SMALL_BYTES) & (VEC - 1);
    s += SMALL_BYTES - back;
    d += SMALL_BYTES - back;
    vec_mask mask = 0;
    vec v = vec_zero();
    while ((size_t)(end - d) >= VEC) {
        v = vec_load_aligned(s);
        mask = vec_mask_of(vec_null(v));
        if (mask) {
            break;
        }
        vec_store(d, v);
        d += VEC;
        s += VEC;
        if (((uintptr_t)s & (4 * VEC - 1)) == 0) {
            while ((size_t)(end - d) >= 4 * VEC) {
                const vec a = vec_load_aligned(s), b = vec_load_aligned(s + VEC);
                const vec c = vec_load_aligned(s + 2 * VEC), e = vec_load_aligned(s + 3 * VEC);
                if (test_any(vec_null(vec_min(vec_min(a, b), vec_min(c, e))))) {
                    break;
                }
                vec_store(d, a);
                vec_store(d + VEC, b);
                vec_store(d + 2 * VEC, c);
                vec_store(d + 3 * VEC, e);
                d += 4 * VEC;
                s += 4 * VEC;
            }
        }
    }
    size_t length = (size_t)(end - d);
    if (mask) {
        length = mask_first(mask);
    } else if (length != 0) {
        /* Less than a vector is left before the limit; within the page of s, all of a vector may be read. */
        mask = vec_mask_of(vec_null(vec_load_aligned(s)));
        if (mask) {
            const size_t first = mask_first(mask);
            length = first < length ? first : length;
        }
    }
    /* What is left of the string by a vector that ends with it. */
    vec_store(d + length - VEC, vec_load(s + length - VEC));
    d += length;
    if (d != end) {
        NAME(memset)(d, 0, (size_t)(end - d));
    }
    return d;
}

#else

#include "brawn_string.h"

#define SMALL_BYTES ((size_t)64)

size_t NAME(strnlen)(const char *s, size_t n);
void *NAME(memcpy)(void *restrict d, const void *restrict s, size_t n);
void *NAME(memset)(void *d, int c, size_t n);

#define BRAWN_BODY "strncpy_long.c"
#include "levels.h"

DISPATCHED(char *, copy_limited, (char *restrict d, const char *restrict s, size_t n, size_t known),
           (d, s, n, known))

HIDDEN char *NAME(__brawn_strncpy_long)(char *restrict d, const char *restrict s, size_t n, size_t known);

char *NAME(__brawn_strncpy_long)(char *restrict d, const char *restrict s, size_t n, size_t known) {
    return copy_limited(d, s, n, known);
}

#endif
