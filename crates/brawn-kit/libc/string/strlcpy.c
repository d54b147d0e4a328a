/* Copies what fits of a string, always with a null, and returns the length of the whole. */
#include "vector16.h"
#include "text.h"
#include "text_length.h"

PUBLIC size_t NAME(strlcpy)(char *restrict d, const char *restrict s, size_t n);
void *NAME(memcpy)(void *restrict d, const void *restrict s, size_t n);

OVER_READS size_t NAME(strlcpy)(char *restrict d, const char *restrict s, size_t n) {
    const size_t length = length_of(s);
    if (n == 0) {
        return length;
    }
    const size_t taken = length < n ? length : n - 1;
    NAME(memcpy)(d, s, taken);
    d[taken] = 0;
    return length;
}
