/* bcmp: are they the same? Compilers call it for a memcmp of which only that matters. */
#include "compare.h"

PUBLIC int NAME(bcmp)(const void *a, const void *b, size_t n);

OVER_READS int NAME(bcmp)(const void *a, const void *b, size_t n) {
    return compare(a, b, n, false, false);
}
