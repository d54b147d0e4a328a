/* Order of two strings whatever their letters' case: strcasecmp_to.c. */
#include "brawn_string.h"

HIDDEN int NAME(__brawn_strcasecmp_to)(const char *a, const char *b, size_t n);
PUBLIC int NAME(strcasecmp)(const char *a, const char *b);

int NAME(strcasecmp)(const char *a, const char *b) {
    return NAME(__brawn_strcasecmp_to)(a, b, ~(size_t)0);
}

/* The same with a locale behind, which is not looked at: musl's locales all have the same letters in the
 * range of bytes. */
PUBLIC int NAME(__strcasecmp_l)(const char *a, const char *b)
    __attribute__((alias(BRAWN_STRINGIFY(NAME(strcasecmp)))));
WEAK_ALIAS(int, strcasecmp_l, strcasecmp, (const char *a, const char *b));
