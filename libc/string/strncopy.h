/* strncpy and stpncpy: up to n bytes of a string, the rest of the n bytes null.
 *
 * Entry: a string that ends, or a limit that lies, within 64 bytes is copied by 16-byte vectors, the last one
 * ending with the string. Long: strncpy_long.c. */

#include "few.h"
#include "some.h"

void *NAME(memset)(void *d, int c, size_t n);

/* 0 to 64 bytes. */
INLINE void copy_up_to_some(char *restrict d, const char *restrict s, size_t bytes) {
    if (bytes > 16) {
        copy_some(d, s, bytes);
    } else if (bytes != 0) {
        copy_few(d, s, bytes);
    }
}

/* Nulls of any number; few by far most often. */
INLINE void clear(char *d, size_t bytes) {
    if (bytes <= 16) {
        clear_few(d, bytes);
    } else if (bytes <= 2 * VEC) {
        vec_store(d, vec_zero());
        vec_store(d + bytes - VEC, vec_zero());
    } else {
        NAME(memset)(d, 0, bytes);
    }
}

HIDDEN char *NAME(__brawn_strncpy_long)(char *restrict d, const char *restrict s, char *end);
HIDDEN char *NAME(__brawn_strncpy_edge)(char *restrict d, const char *restrict s, size_t n);

/* Returns the end of what was copied: the first null, or d + n. */
OVER_READS INLINE char *copy_limited(char *restrict d, const char *restrict s, size_t n) {
    if (n == 0) {
        return d;
    }
    if (UNLIKELY(crosses_page(s, SMALL_BYTES))) {
        return NAME(__brawn_strncpy_edge)(d, s, n);
    }
    const vec v0 = vec_load(s), v1 = vec_load(s + VEC), v2 = vec_load(s + 2 * VEC),
              v3 = vec_load(s + 3 * VEC);
    const vec_test t0 = vec_null(v0), t1 = vec_null(v1), t2 = vec_null(v2), t3 = vec_null(v3);
    if (LIKELY(any_of_four(t0, t1, t2, t3))) {
        const size_t length = first_of_four(mask_of_four(t0, t1, t2, t3));
        if (length < n) {
            clear(d + length, n - length);
            copy_up_to_some(d, s, length);
            return d + length;
        }
    } else if (n > SMALL_BYTES) {
        vec_store(d, v0);
        vec_store(d + VEC, v1);
        vec_store(d + 2 * VEC, v2);
        vec_store(d + 3 * VEC, v3);
        return NAME(__brawn_strncpy_long)(d + SMALL_BYTES, s + SMALL_BYTES, d + n);
    }
    BRANCH();
    copy_up_to_some(d, s, n);
    return d + n;
}
