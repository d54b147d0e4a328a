/* The string functions as musl's manual reads, one unit at a time. What bounds the work is always given: an
 * unlimited function is a limited one without limit. */
#ifndef BRAWN_ORACLE_STRING_H
#define BRAWN_ORACLE_STRING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

static inline size_t oracle_strnlen(const char *s, size_t n) {
    size_t length = 0;
    while (length < n && s[length]) {
        length++;
    }
    return length;
}

static inline size_t oracle_wcsnlen(const wchar_t *s, size_t n) {
    size_t length = 0;
    while (length < n && s[length]) {
        length++;
    }
    return length;
}

/* The place of c, first or last, or NULL; the null is part of the string. */
static inline const char *oracle_strchr(const char *s, char c, bool last) {
    const char *found = NULL;
    do {
        if (*s == c && (last || found == NULL)) {
            found = s;
        }
    } while (*s++);
    return found;
}

static inline const wchar_t *oracle_wcschr(const wchar_t *s, wchar_t c, bool last) {
    const wchar_t *found = NULL;
    do {
        if (*s == c && (last || found == NULL)) {
            found = s;
        }
    } while (*s++);
    return found;
}

static inline int oracle_fold(unsigned char c) {
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

/* musl returns the difference of the bytes that decide. */
static inline int oracle_strncmp(const char *a, const char *b, size_t n, bool folded) {
    for (; n; a++, b++, n--) {
        const int u = folded ? oracle_fold((unsigned char)*a) : (unsigned char)*a;
        const int v = folded ? oracle_fold((unsigned char)*b) : (unsigned char)*b;
        if (u != v || u == 0) {
            return u - v;
        }
    }
    return 0;
}

static inline int oracle_wcsncmp(const wchar_t *a, const wchar_t *b, size_t n) {
    for (; n; a++, b++, n--) {
        if (*a != *b || *a == 0) {
            return *a < *b ? -1 : *a > *b;
        }
    }
    return 0;
}

/* Copies at most n bytes and the null that ends them; returns how many bytes without it. */
static inline size_t oracle_strcpy(char *d, const char *s, size_t n) {
    size_t i = 0;
    for (; i < n && s[i]; i++) {
        d[i] = s[i];
    }
    d[i] = 0;
    return i;
}

static inline void oracle_strncpy(char *d, const char *s, size_t n) {
    bool ended = false;
    for (size_t i = 0; i < n; i++) {
        ended = ended || s[i] == 0;
        d[i] = ended ? 0 : s[i];
    }
}

static inline size_t oracle_strspn(const char *s, const char *set, bool spanning) {
    size_t i = 0;
    for (; s[i]; i++) {
        bool member = false;
        for (const char *c = set; *c; c++) {
            member = member || *c == s[i];
        }
        if (member != spanning) {
            break;
        }
    }
    return i;
}

static inline const char *oracle_strstr(const char *s, const char *needle, bool folded) {
    const size_t length = oracle_strnlen(needle, SIZE_MAX);
    for (;; s++) {
        if (oracle_strncmp(s, needle, length, folded) == 0) {
            return s;
        }
        if (*s == 0) {
            return NULL;
        }
    }
}

#endif
