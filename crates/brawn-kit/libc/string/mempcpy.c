/* mempcpy: see copy.h. */
#include "copy.h"

PUBLIC void *NAME(mempcpy)(void *restrict target, const void *restrict source, size_t n);

void *NAME(mempcpy)(void *restrict target, const void *restrict source, size_t n) {
    return copy(target, source, n, (unsigned char *)target + n);
}
