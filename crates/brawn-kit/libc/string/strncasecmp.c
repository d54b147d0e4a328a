/* Order of two strings, of at most n bytes, whatever their letters' case: strcasecmp_to.c. */
#include "brawn_string.h"

HIDDEN int NAME(__brawn_strcasecmp_to)(const char *a, const char *b, size_t n);
PUBLIC int NAME(strncasecmp)(const char *a, const char *b, size_t n);

int NAME(strncasecmp)(const char *a, const char *b, size_t n) {
    return NAME(__brawn_strcasecmp_to)(a, b, n);
}

/* The same with a locale behind, which is not looked at: musl's locales all have the same letters in the
 * range of bytes. */
PUBLIC int NAME(__strncasecmp_l)(const char *a, const char *b, size_t n)
    __attribute__((alias(BRAWN_STRINGIFY(NAME(strncasecmp)))));
WEAK_ALIAS(int, strncasecmp_l, strncasecmp, (const char *a, const char *b, size_t n));
