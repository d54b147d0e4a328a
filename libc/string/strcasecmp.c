/* Order of two strings whatever their letters' case: strcasecmp_to.c. */
#include "brawn_string.h"

HIDDEN int NAME(__brawn_strcasecmp_to)(const char *a, const char *b, size_t n);
PUBLIC int NAME(strcasecmp)(const char *a, const char *b);

int NAME(strcasecmp)(const char *a, const char *b) {
    return NAME(__brawn_strcasecmp_to)(a, b, ~(size_t)0);
}

/* A locale's address; musl's locales all have the same letters in the range of bytes. */
struct __locale_struct;

PUBLIC int NAME(__strcasecmp_l)(const char *a, const char *b, struct __locale_struct *locale);

int NAME(__strcasecmp_l)(const char *a, const char *b, struct __locale_struct *locale) {
    (void)locale;
    return NAME(__brawn_strcasecmp_to)(a, b, ~(size_t)0);
}

WEAK_ALIAS(int, strcasecmp_l, __strcasecmp_l, (const char *a, const char *b, struct __locale_struct *locale));
