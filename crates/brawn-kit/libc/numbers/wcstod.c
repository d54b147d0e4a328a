/* wcstod, wcstof and wcstold, by way of bytes. What is long, and what is no number, is musl's. */

#include <stdbool.h>
#include <stddef.h>

enum { MOST_WIDE = 64 };

static inline bool of_a_number(unsigned c) {
    return c - '0' < 10 || (c | 32) - 'a' < 26 || c == '+' || c == '-' || c == '.' || c == '_' || c == '(' ||
           c == ')';
}

/* The bytes of what a number may be made of, and where that begins. NULL where it is too long, and where there is nothing,
 * perhaps as a space that is not ASCII comes first. */
static inline const wchar_t *narrowed(const wchar_t *s, char *to) {
    while (*s == ' ' || (unsigned)*s - '\t' < 5) {
        s++;
    }
    size_t size = 0;
    for (; of_a_number((unsigned)s[size]); size++) {
        if (size == MOST_WIDE - 1) {
            return NULL;
        }
        to[size] = (char)s[size];
    }
    to[size] = 0;
    return size != 0 ? s : NULL;
}

#pragma GCC visibility push(default)
#define WIDE(type, name, narrow)                                                                             \
    type name(const wchar_t *restrict s, wchar_t **restrict e);                                              \
    type __brawn_musl_##name(const wchar_t *restrict s, wchar_t **restrict e);                               \
    type narrow(const char *restrict s, char **restrict e);                                                  \
    type name(const wchar_t *restrict s, wchar_t **restrict e) {                                             \
        char text[MOST_WIDE], *end = text;                                                                   \
        const wchar_t *const begin = narrowed(s, text);                                                      \
        const type result = begin != NULL ? narrow(text, &end) : 0;                                          \
        if (end == text) {                                                                                   \
            return __brawn_musl_##name(s, e);                                                                \
        }                                                                                                    \
        if (e != NULL) {                                                                                     \
            *e = (wchar_t *)(begin + (end - text));                                                          \
        }                                                                                                    \
        return result;                                                                                       \
    }

WIDE(float, wcstof, strtof)
WIDE(double, wcstod, strtod)
WIDE(long double, wcstold, strtold)
