/* vsnprintf, and with it snprintf, vsprintf and sprintf. */

#include "format.h"
#include <limits.h>

#pragma GCC visibility push(default)
int vsnprintf(char *restrict s, size_t n, const char *restrict format, va_list ap);
int __brawn_musl_vsnprintf(char *restrict s, size_t n, const char *restrict format, va_list ap);
#pragma GCC visibility pop

int vsnprintf(char *restrict s, size_t n, const char *restrict format, va_list ap) {
    if (n <= INT_MAX) {
        va_list first;
        va_copy(first, ap);
        const int length = __brawn_format(s, n, format, first);
        va_end(first);
        if (length != MUSLS) {
            return length;
        }
    }
    return __brawn_musl_vsnprintf(s, n, format, ap);
}
