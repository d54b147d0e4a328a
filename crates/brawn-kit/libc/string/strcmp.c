/* Order of two strings: strcompare_small.h. */
#include "strcompare_small.h"

PUBLIC int NAME(strcmp)(const char *a, const char *b);

OVER_READS int NAME(strcmp)(const char *a, const char *b) {
    return compare_small((const lane *)a, (const lane *)b, ~(size_t)0, false, false);
}
