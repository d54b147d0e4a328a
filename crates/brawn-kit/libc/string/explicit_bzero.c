/* explicit_bzero: a memset, but never optimised away, not even with the caller inlined around it. */
#include "brawn_string.h"

void *NAME(memset)(void *target, int c, size_t n);
PUBLIC void NAME(explicit_bzero)(void *target, size_t n);

void NAME(explicit_bzero)(void *target, size_t n) {
    /* Nothing is known of this memset, so the call stays: the flags of this file say -fno-builtin and
     * -fno-lto. */
    (void)NAME(memset)(target, 0, n);
}
