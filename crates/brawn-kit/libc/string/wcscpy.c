/* Copies a wide string: strcopy.h; a long one in two passes, as memcpy makes up for the second, over parts
 * that stay in the first-level cache from one to the other. */
#define LANES_WIDE
#include "vector16.h"
#include "text.h"
#include "strcopy.h"

PUBLIC wchar_t *NAME(wcscpy)(wchar_t *restrict d, const wchar_t *restrict s);
size_t NAME(wcsnlen)(const wchar_t *s, size_t n);

INLINE lane *copy_rest(lane *d, const lane *s, lane *result) {
    const size_t part = 8192 / sizeof(lane);
    for (;;) {
        const size_t length = NAME(wcsnlen)((const wchar_t *)s, part);
        if (LIKELY(length < part)) {
            NAME(memcpy)(d, s, (length + 1) * sizeof(lane));
            return copied(d + length, result);
        }
        NAME(memcpy)(d, s, part * sizeof(lane));
        d += part;
        s += part;
    }
}

OVER_READS wchar_t *NAME(wcscpy)(wchar_t *restrict d, const wchar_t *restrict s) {
    return (wchar_t *)copy_small((lane *)d, (const lane *)s, (lane *)d);
}
