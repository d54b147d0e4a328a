/* Order of two strings, of at most n bytes, whatever their letters' case: strcasecmp_to.c. */
#include "brawn_string.h"

HIDDEN int NAME(__brawn_strcasecmp_to)(const char *a, const char *b, size_t n);
PUBLIC int NAME(strncasecmp)(const char *a, const char *b, size_t n);

int NAME(strncasecmp)(const char *a, const char *b, size_t n) {
    return NAME(__brawn_strcasecmp_to)(a, b, n);
}

/* A locale's address; musl's locales all have the same letters in the range of bytes. */
struct __locale_struct;

PUBLIC int NAME(__strncasecmp_l)(const char *a, const char *b, size_t n, struct __locale_struct *locale);

int NAME(__strncasecmp_l)(const char *a, const char *b, size_t n, struct __locale_struct *locale) {
    (void)locale;
    return NAME(__brawn_strcasecmp_to)(a, b, n);
}

WEAK_ALIAS(int, strncasecmp_l, __strncasecmp_l,
           (const char *a, const char *b, size_t n, struct __locale_struct *locale));
