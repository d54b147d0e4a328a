/* wmemcmp: see compare.h. wchar_t is signed on x86_64 and unsigned on aarch64, and so is the order. */
#include "compare.h"

PUBLIC int NAME(wmemcmp)(const wchar_t *a, const wchar_t *b, size_t n);

OVER_READS int NAME(wmemcmp)(const wchar_t *a, const wchar_t *b, size_t n) {
    return compare(a, b, n * sizeof(wchar_t), true, true);
}
