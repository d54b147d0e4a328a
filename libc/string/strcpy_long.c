/* The long part of strcpy, stpcpy and strcat: see strcopy.h. */

#ifdef BRAWN_PASS

/* The SMALL_BYTES before s and d are copied, and hold no null. */
OVER_READS static char *LEVEL_NAME(copy_long)(char *d, const char *s, char *result) {
    vec_mask mask;
    size_t back = (uintptr_t)s & (VEC - 1);
    d -= back;
    s -= back;
#define STEP                                                                                                 \
    {                                                                                                        \
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
found:;
#undef STEP
    const size_t length = mask_first(mask);
    d += length;
    s += length;
    vec_store(d + 1 - VEC, vec_load(s + 1 - VEC));
    return result != NULL ? result : d;
}

#else

#define BRAWN_BODY "strcpy_long.c"
#include "levels.h"

DISPATCHED(char *, copy_long, (char *d, const char *s, char *result), (d, s, result))

HIDDEN char *NAME(__brawn_strcpy_long)(char *d, const char *s, char *result);

char *NAME(__brawn_strcpy_long)(char *d, const char *s, char *result) {
    return copy_long(d, s, result);
}

#endif
