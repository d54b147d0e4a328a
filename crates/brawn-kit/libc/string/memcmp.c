/* memcmp: see compare.h. */
#include "compare.h"

PUBLIC int NAME(memcmp)(const void *a, const void *b, size_t n);

OVER_READS int NAME(memcmp)(const void *a, const void *b, size_t n) {
    return compare(a, b, n, false, true);
}
