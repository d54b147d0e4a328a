/* Copies at most n bytes of a string, fills up with nulls and returns where the copy ends: strncopy.h. */
#include "entry.h"
#include "text.h"
#include "strncopy.h"

PUBLIC char *NAME(__stpncpy)(char *restrict d, const char *restrict s, size_t n);

OVER_READS char *NAME(__stpncpy)(char *restrict d, const char *restrict s, size_t n) {
    return copy_limited(d, s, n);
}

WEAK_ALIAS(char *, stpncpy, __stpncpy, (char *restrict d, const char *restrict s, size_t n));
