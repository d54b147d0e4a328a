/* Copies a string and returns where the copy ends: strcopy.h. */
#include "entry.h"
#include "text.h"
#include "strcopy.h"
#include "strcpy_long.h"

PUBLIC char *NAME(__stpcpy)(char *restrict d, const char *restrict s);

OVER_READS char *NAME(__stpcpy)(char *restrict d, const char *restrict s) {
    return (char *)copy_small((lane *)d, (const lane *)s, NULL);
}

WEAK_ALIAS(char *, stpcpy, __stpcpy, (char *restrict d, const char *restrict s));
