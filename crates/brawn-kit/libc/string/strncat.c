/* Appends at most n bytes of a string, and a null. */
#include "vector16.h"
#include "small_copy.h"
#include "text.h"
#include "text_length.h"

PUBLIC char *NAME(strncat)(char *restrict d, const char *restrict s, size_t n);
size_t NAME(strnlen)(const char *s, size_t n);
void *NAME(memcpy)(void *restrict d, const void *restrict s, size_t n);

/* What is longer, or begins close to the end of its page: in parts that stay in the first-level cache from
 * the search to the copy. */
static NOINLINE void append(char *restrict d, const char *restrict s, size_t n) {
    for (;;) {
        const size_t part = n < 8192 ? n : 8192;
        const size_t taken = NAME(strnlen)(s, part);
        NAME(memcpy)(d, s, taken);
        d += taken;
        s += taken;
        n -= taken;
        if (LIKELY(taken < part || n == 0)) {
            *d = 0;
            return;
        }
    }
}

OVER_READS char *NAME(strncat)(char *restrict d, const char *restrict s, size_t n) {
    if (n == 0) {
        return d;
    }
    char *const end = d + length_before(d);
    if (UNLIKELY(crosses_page(s, SMALL_BYTES))) {
        append(end, s, n);
        return d;
    }
    const uint64_t mask = mask_of_four(vec_null(vec_load(s)), vec_null(vec_load(s + VEC)),
                                       vec_null(vec_load(s + 2 * VEC)), vec_null(vec_load(s + 3 * VEC)));
    size_t taken = n;
    if (LIKELY(mask) && first_of_four(mask) < n) {
        taken = first_of_four(mask);
    } else if (n > SMALL_BYTES) {
        append(end, s, n);
        return d;
    }
    end[taken] = 0;
    if (taken > 16) {
        copy_16_to_64(end, s, taken);
    } else if (taken != 0) {
        copy_up_to_16(end, s, taken);
    }
    return d;
}
