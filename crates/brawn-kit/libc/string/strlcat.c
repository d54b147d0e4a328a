/* Appends what fits of a string, always with a null where there is room, and returns the length of the
 * whole. */
#include "brawn_string.h"

PUBLIC size_t NAME(strlcat)(char *d, const char *s, size_t n);
size_t NAME(strlen)(const char *s);
size_t NAME(strnlen)(const char *s, size_t n);
size_t NAME(strlcpy)(char *restrict d, const char *restrict s, size_t n);

size_t NAME(strlcat)(char *d, const char *s, size_t n) {
    const size_t length = NAME(strnlen)(d, n);
    if (length == n) {
        return length + NAME(strlen)(s);
    }
    return length + NAME(strlcpy)(d + length, s, n - length);
}
