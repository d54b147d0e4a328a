/* Copies at most n bytes of a string and fills up with nulls: strncopy.h. */
#include "entry.h"
#include "text.h"
#include "strncopy.h"

PUBLIC char *NAME(strncpy)(char *restrict d, const char *restrict s, size_t n);

OVER_READS char *NAME(strncpy)(char *restrict d, const char *restrict s, size_t n) {
    copy_limited(d, s, n);
    return d;
}
