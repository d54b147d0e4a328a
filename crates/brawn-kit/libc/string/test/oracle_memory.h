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

static inline void *oracle_memrchr(const void *s, int c, size_t n) {
    for (const unsigned char *p = s; n; n--) {
        if (p[n - 1] == (unsigned char)c) {
            return (void *)(p + n - 1);
        }
    }
    return NULL;
}

static inline int oracle_memcmp(const void *a, const void *b, size_t n) {
    const unsigned char *p = a, *q = b;
    for (; n; p++, q++, n--) {
        if (*p != *q) {
            return *p < *q ? -1 : 1;
        }
    }
    return 0;
}

static inline int oracle_wmemcmp(const wchar_t *a, const wchar_t *b, size_t n) {
    for (; n; a++, b++, n--) {
        if (*a != *b) {
            return *a < *b ? -1 : 1;
        }
    }
    return 0;
}

/* The expected target is written here, beside what must stay as it was. */
static inline void oracle_copy(unsigned char *target, const unsigned char *source, size_t n) {
    if (target < source) {
        for (size_t i = 0; i < n; i++) {
            target[i] = source[i];
        }
    } else {
        for (size_t i = n; i; i--) {
            target[i - 1] = source[i - 1];
        }
    }
}

static inline void oracle_set(unsigned char *target, unsigned char c, size_t n) {
    for (size_t i = 0; i < n; i++) {
        target[i] = c;
    }
}

static inline void *oracle_memccpy(void *target, const void *source, int c, size_t n) {
    unsigned char *to = target;
    for (const unsigned char *from = source; n; n--) {
        *to++ = *from;
        if (*from++ == (unsigned char)c) {
            return to;
        }
    }
    return NULL;
}

static inline void *oracle_memmem(const void *haystack, size_t n, const void *needle, size_t length) {
    const unsigned char *s = haystack, *what = needle;
    for (size_t at = 0; at + length <= n; at++) {
        size_t i = 0;
        while (i < length && s[at + i] == what[i]) {
            i++;
        }
        if (i == length) {
            return (void *)(s + at);
        }
    }
    return NULL;
}

static inline void oracle_swab(const unsigned char *source, unsigned char *target, ptrdiff_t n) {
    for (; n > 1; n -= 2, source += 2, target += 2) {
        target[0] = source[1];
        target[1] = source[0];
    }
}

#endif
