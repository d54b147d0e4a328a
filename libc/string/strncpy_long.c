/* The long part of strncpy and stpncpy: copies while it looks for the null, then fills up. It is made like
 * strcpy_long.c, but looks at the limit before every step. */

#ifdef BRAWN_PASS

/* The SMALL_BYTES before s and d are copied and hold no null; at least one byte is left before `end`. */
OVER_READS static char *LEVEL_NAME(copy_limited)(char *restrict d, const char *restrict s, char *end) {
    vec_mask mask;
    size_t back = (uintptr_t)s & (VEC - 1), length;
    d -= back;
    s -= back;
#define STEP                                                                                                 \
    {                                                                                                        \
        if (UNLIKELY((size_t)(end - d) < VEC)) {                                                             \
            goto last;                                                                                       \
        }                                                                                                    \
        const vec v = vec_load_aligned(s);                                                                   \
        mask = vec_mask_of(vec_null(v));                                                                     \
        IN_REGISTER(mask);                                                                                   \
        if (UNLIKELY(mask)) {                                                                                \
            goto found;                                                                                      \
        }                                                                                                    \
        vec_store(d, v);                                                                                     \
        d += VEC;                                                                                            \
        s += VEC;                                                                                            \
        IN_REGISTER(d);                                                                                      \
        IN_REGISTER(s);                                                                                      \
    }
four:
    STEP STEP STEP STEP
        /* An aligned group lies within a page. It begins with what is copied already. */
        back = (uintptr_t)s & (4 * VEC - 1);
    d -= back;
    s -= back;
    for (;;) {
        if ((size_t)(end - d) < 4 * VEC) {
            goto four;
        }
        const vec a = vec_load_aligned(s), b = vec_load_aligned(s + VEC);
        const vec c = vec_load_aligned(s + 2 * VEC), e = vec_load_aligned(s + 3 * VEC);
        if (UNLIKELY(test_any(vec_null(vec_min(vec_min(a, b), vec_min(c, e)))))) {
            goto four;
        }
        vec_store(d, a);
        vec_store(d + VEC, b);
        vec_store(d + 2 * VEC, c);
        vec_store(d + 3 * VEC, e);
        d += 4 * VEC;
        s += 4 * VEC;
    }
last:
    /* Less than a vector is left before the limit; within the page of s, all of a vector may be read. */
    length = (size_t)(end - d);
    if (length != 0) {
        mask = vec_mask_of(vec_null(vec_load_aligned(s)));
        if (mask && mask_first(mask) < length) {
        found:
            length = mask_first(mask);
        }
    }
#undef STEP
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

DISPATCHED(char *, copy_limited, (char *restrict d, const char *restrict s, char *end), (d, s, end))

HIDDEN char *NAME(__brawn_strncpy_long)(char *restrict d, const char *restrict s, char *end);
HIDDEN char *NAME(__brawn_strncpy_edge)(char *restrict d, const char *restrict s, size_t n);

char *NAME(__brawn_strncpy_long)(char *restrict d, const char *restrict s, char *end) {
    return copy_limited(d, s, end);
}

/* The string begins close to the end of its page. */
COLD char *NAME(__brawn_strncpy_edge)(char *restrict d, const char *restrict s, size_t n) {
    const size_t length = NAME(strnlen)(s, n);
    NAME(memcpy)(d, s, length);
    NAME(memset)(d + length, 0, n - length);
    return d + length;
}

#endif
