/* The memory functions as their descriptions read, one byte at a time. */
#ifndef BRAWN_ORACLE_MEMORY_H
#define BRAWN_ORACLE_MEMORY_H

#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

static inline void *oracle_memchr(const void *s, int c, size_t n) {
    for (const unsigned char *p = s; n; p++, n--) {
        if (*p == (unsigned char)c) {
            return (void *)p;
        }
    }
    return NULL;
}

static inline wchar_t *oracle_wmemchr(const wchar_t *s, wchar_t c, size_t n) {
    for (; n; s++, n--) {
        if (*s == c) {
            return (wchar_t *)s;
        }
    }
    return NULL;
}

#endif
