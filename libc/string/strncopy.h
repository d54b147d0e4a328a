/* strncpy and stpncpy: up to n bytes of a string, the rest of the n bytes null.
 *
 * Entry: a string that ends, or a limit that lies, within 64 bytes is copied by 16-byte vectors, the last one
 * ending with the string. Long: a length, a copy and a fill, each with its own fast function. */

#include "few.h"

size_t NAME(strnlen)(const char *s, size_t n);
void *NAME(memcpy)(void *restrict d, const void *restrict s, size_t n);
void *NAME(memset)(void *d, int c, size_t n);

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

COLD static char *copy_limited_long(char *restrict d, const char *restrict s, size_t n, size_t known) {
    const size_t length = known + NAME(strnlen)(s + known, n - known);
    NAME(memcpy)(d, s, length);
    if (length != n) {
        NAME(memset)(d + length, 0, n - length);
    }
    return d + length;
}

/* Returns the end of what was copied: the first null, or d + n. */
OVER_READS INLINE char *copy_limited(char *restrict d, const char *restrict s, size_t n) {
    if (n == 0) {
        return d;
    }
    if (crosses_page(s, SMALL_BYTES)) {
        return copy_limited_long(d, s, n, 0);
    }
    size_t length = 0;
    for (;;) {
        const vec_mask mask = vec_mask_of(vec_null(vec_load(s + length)));
        if (mask) {
            length += mask_first(mask);
            break;
        }
        length += VEC;
        if (length >= n) {
            break;
        }
        if (length == SMALL_BYTES) {
            return copy_limited_long(d, s, n, length);
        }
    }
    length = length < n ? length : n;
    if (length <= 16) {
        if (length != 0) {
            copy_few(d, s, length);
        }
    } else {
        const vec a = vec_load(s), e = vec_load(s + length - VEC);
        if (length > 2 * VEC) {
            const vec b = vec_load(s + VEC), c = vec_load(s + length - 2 * VEC);
            vec_store(d + VEC, b);
            vec_store(d + length - 2 * VEC, c);
        }
        vec_store(d, a);
        vec_store(d + length - VEC, e);
    }
    clear(d + length, n - length);
    return d + length;
}
