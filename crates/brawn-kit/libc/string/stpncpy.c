/* Copies at most n bytes of a string, fills up with nulls and returns where the copy ends: strncpy_to.c. */
#include "strcpy_to.h"

PUBLIC char *NAME(__stpncpy)(char *restrict d, const char *restrict s, size_t n);

char *NAME(__stpncpy)(char *restrict d, const char *restrict s, size_t n) {
    return NAME(__brawn_strncpy_to)(d, s, n, NULL);
}

WEAK_ALIAS(char *, stpncpy, __stpncpy, (char *restrict d, const char *restrict s, size_t n));
