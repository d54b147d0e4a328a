/* bzero: see set.h. */
#include "entry.h"

#include "set.h"

PUBLIC void NAME(bzero)(void *target, size_t n);

void NAME(bzero)(void *target, size_t n) {
    (void)set_bytes(target, 0, n);
}
