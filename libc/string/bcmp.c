/* bcmp: see compare.h. Compilers call it for a memcmp of which only zero or not matters. */
#define COMPARE_EQUALITY
#define BRAWN_BODY "compare.h"
#include "levels.h"
#include "compare.h"

PUBLIC int NAME(bcmp)(const void *a, const void *b, size_t n);

int NAME(bcmp)(const void *a, const void *b, size_t n) {
    return compare(a, b, n);
}
