/* bzero: a memset. */
#include "brawn_string.h"

void *NAME(memset)(void *target, int c, size_t n);
PUBLIC void NAME(bzero)(void *target, size_t n);

void NAME(bzero)(void *target, size_t n) {
    (void)NAME(memset)(target, 0, n);
}
