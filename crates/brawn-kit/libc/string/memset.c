/* memset: see set.h. */
#include "set.h"

PUBLIC void *NAME(memset)(void *target, int c, size_t n);

void *NAME(memset)(void *target, int c, size_t n) {
    return set_bytes(target, (unsigned char)c, n);
}
