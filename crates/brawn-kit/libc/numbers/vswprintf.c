/*
 * vswprintf, and with it swprintf: what is ASCII throughout, by way of bytes. All other texts, long ones and those for which
 * there is no room are musl's.
 */

#include "format.h"

#pragma GCC visibility push(default)
int vswprintf(wchar_t *restrict s, size_t n, const wchar_t *restrict format, va_list ap);
int __brawn_musl_vswprintf(wchar_t *restrict s, size_t n, const wchar_t *restrict format, va_list ap);
#pragma GCC visibility pop

/* The number of characters, or MUSLS: then nothing was written. */
static int as_bytes(wchar_t *restrict s, size_t n, const wchar_t *restrict format, va_list ap) {
    char narrow[256], text[512];
    size_t size = 0;
    do {
        if (size == sizeof narrow || (unsigned)format[size] > 127) {
            return MUSLS;
        }
        narrow[size] = (char)format[size];
    } while (narrow[size++] != 0);
    const int length = __brawn_format(text, sizeof text, narrow, ap);
    if (length == MUSLS || (size_t)length >= sizeof text || (size_t)length >= n) {
        return MUSLS;
    }
    for (int i = 0; i < length; i++) {
        if ((unsigned char)text[i] > 127) {
            return MUSLS;
        }
    }
    for (int i = 0; i <= length; i++) {
        s[i] = text[i];
    }
    return length;
}

int vswprintf(wchar_t *restrict s, size_t n, const wchar_t *restrict format, va_list ap) {
    va_list first;
    va_copy(first, ap);
    const int length = as_bytes(s, n, format, first);
    va_end(first);
    return length != MUSLS ? length : __brawn_musl_vswprintf(s, n, format, ap);
}
