/* memcpy: overlapping operands are copied as memmove does, because it costs nothing. */
#include "copy.h"

PUBLIC void *NAME(memcpy)(void *restrict target, const void *restrict source, size_t n);

void *NAME(memcpy)(void *restrict target, const void *restrict source, size_t n) {
    return copy(target, source, n, target);
}
