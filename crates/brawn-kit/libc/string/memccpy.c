/* memccpy: copies up to and including the first c. It is found first, and then the copy is of a known
 * size. */
#include "vector16.h"

PUBLIC void *NAME(memccpy)(void *restrict target, const void *restrict source, int c, size_t n);
void *NAME(memchr)(const void *s, int c, size_t n);
void *NAME(memcpy)(void *restrict target, const void *restrict source, size_t n);

OVER_READS void *NAME(memccpy)(void *restrict target, const void *restrict source, int c, size_t n) {
    const unsigned char *last = NULL;
    if (n <= VEC && !crosses_page(source, VEC)) {
        if (n == 0) {
            return NULL;
        }
        const vec_mask mask =
            mask_before(vec_mask_of(vec_equal(vec_load(source), vec_fill((unsigned char)c))), n);
        if (mask) {
            last = (const unsigned char *)source + mask_first(mask);
        }
    } else {
        last = NAME(memchr)(source, c, n);
    }
    if (last) {
        n = (size_t)(last + 1 - (const unsigned char *)source);
    }
    NAME(memcpy)(target, source, n);
    return last ? (unsigned char *)target + n : NULL;
}
