/* What strncpy and stpncpy share: up to n bytes of a string, the rest of the n bytes null.
 *
 * Entry: a string that ends, or a limit that lies, within 64 bytes is copied by 16-byte vectors, the last one
 * ending with the string. Long: strcopy_long.h. */
#include "vector16.h"
#include "text.h"
#include "small_copy.h"
#include "strcpy_to.h"

DISPATCH_TO_AVX512(char *, copy_long, __brawn_strncpy,
                   (char *restrict d, const char *restrict s, char *end, char *result), (d, s, end, result))

size_t NAME(strnlen)(const char *s, size_t n);
void *NAME(memcpy)(void *restrict d, const void *restrict s, size_t n);
void *NAME(memset)(void *d, int c, size_t n);

/* What is returned. */
INLINE char *copied(char *end, char *result) {
    return result != NULL ? result : end;
}

/* Calls are made in functions of their own, so that the others need no stack frame. */
NOINLINE char *NAME(__brawn_strncpy_fill)(char *d, char *end, char *result) {
    NAME(memset)(d, 0, (size_t)(end - d));
    return copied(d, result);
}

/* 0 to 64 bytes. */
INLINE void copy_up_to_64(char *d, const char *restrict s, size_t bytes) {
    if (bytes > 16) {
        copy_16_to_64(d, s, bytes);
    } else if (bytes != 0) {
        copy_up_to_16(d, s, bytes);
    }
}

/* The string begins close to the end of its page. */
COLD static char *copy_across(char *d, const char *restrict s, char *end, char *result) {
    const size_t length = NAME(strnlen)(s, (size_t)(end - d));
    NAME(memcpy)(d, s, length);
    return NAME(__brawn_strncpy_fill)(d + length, end, result);
}

OVER_READS char *NAME(__brawn_strncpy_to)(char *d, const char *restrict s, size_t n, char *result) {
    if (n == 0) {
        return d;
    }
    if (UNLIKELY(crosses_page(s, SMALL_BYTES))) {
        return copy_across(d, s, d + n, result);
    }
    const vec v0 = vec_load(s), v1 = vec_load(s + VEC), v2 = vec_load(s + 2 * VEC),
              v3 = vec_load(s + 3 * VEC);
    const vec_test t0 = vec_null(v0), t1 = vec_null(v1), t2 = vec_null(v2), t3 = vec_null(v3);
    if (LIKELY(any_of_four(t0, t1, t2, t3))) {
        const size_t length = first_of_four(mask_of_four(t0, t1, t2, t3));
        if (length < n) {
            /* Few nulls by far most often. */
            char *const end = d + length;
            const size_t left = n - length;
            copy_up_to_64(d, s, length);
            if (left <= 16) {
                clear_up_to_16(end, left);
            } else if (left <= 2 * VEC) {
                vec_store(end, vec_zero());
                vec_store(end + left - VEC, vec_zero());
            } else {
                return NAME(__brawn_strncpy_fill)(end, d + n, result);
            }
            return copied(end, result);
        }
    } else if (n > SMALL_BYTES) {
        vec_store(d, v0);
        vec_store(d + VEC, v1);
        vec_store(d + 2 * VEC, v2);
        vec_store(d + 3 * VEC, v3);
        return copy_long(d + SMALL_BYTES, s + SMALL_BYTES, d + n, result);
    }
    BRANCH();
    copy_up_to_64(d, s, n);
    return copied(d + n, result);
}
