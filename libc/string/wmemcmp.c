/* wmemcmp: see compare.h. wchar_t is signed on x86_64 and unsigned on aarch64, and so is the order. */
#define LANES_WIDE
#define BRAWN_BODY "compare.h"
#include "levels.h"
#include "compare.h"

PUBLIC int NAME(wmemcmp)(const wchar_t *a, const wchar_t *b, size_t n);

int NAME(wmemcmp)(const wchar_t *a, const wchar_t *b, size_t n) {
    return compare((const uint32_t *)a, (const uint32_t *)b, n);
}
