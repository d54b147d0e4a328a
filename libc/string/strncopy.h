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

HIDDEN char *NAME(__brawn_strncpy_long)(char *restrict d, const char *restrict s, size_t n, size_t known);

/* Returns the end of what was copied: the first null, or d + n. */
OVER_READS INLINE char *copy_limited(char *restrict d, const char *restrict s, size_t n) {
    if (n == 0) {
        return d;
    }
    if (crosses_page(s, SMALL_BYTES)) {
        return NAME(__brawn_strncpy_long)(d, s, n, 0);
    }
    const uint64_t mask = mask_of_four(vec_null(vec_load(s)), vec_null(vec_load(s + VEC)),
                                       vec_null(vec_load(s + 2 * VEC)), vec_null(vec_load(s + 3 * VEC)));
    if (LIKELY(mask)) {
        const size_t length = first_of_four(mask);
        if (length < n) {
            clear(d + length, n - length);
            copy_up_to_some(d, s, length);
            return d + length;
        }
    } else if (n > SMALL_BYTES) {
        return NAME(__brawn_strncpy_long)(d, s, n, SMALL_BYTES);
    }
    BRANCH();
    copy_up_to_some(d, s, n);
    return d + n;
}
