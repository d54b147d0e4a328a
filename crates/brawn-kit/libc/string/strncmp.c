/* Order of two strings, of at most n bytes: strcompare_small.h. */
#include "strcompare_small.h"

PUBLIC int NAME(strncmp)(const char *a, const char *b, size_t n);

OVER_READS int NAME(strncmp)(const char *a, const char *b, size_t n) {
    return compare_small((const lane *)a, (const lane *)b, n, true, false);
}
