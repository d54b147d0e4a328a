/* memcmp: see compare.h. */
#define BRAWN_BODY "compare.h"
#include "levels.h"
#include "compare.h"

PUBLIC int NAME(memcmp)(const void *a, const void *b, size_t n);

int NAME(memcmp)(const void *a, const void *b, size_t n) {
    return compare(a, b, n);
}
