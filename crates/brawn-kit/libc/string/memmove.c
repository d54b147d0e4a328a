/* memmove: see copy.h. */
#include "copy.h"

PUBLIC void *NAME(memmove)(void *target, const void *source, size_t n);

void *NAME(memmove)(void *target, const void *source, size_t n) {
    return copy(target, source, n, target);
}
