/* explicit_bzero: never optimised away, not even with the caller inlined around it. */
#include "entry.h"

#include "set.h"

PUBLIC void NAME(explicit_bzero)(void *target, size_t n);

void NAME(explicit_bzero)(void *target, size_t n) {
    target = set_bytes(target, 0, n);
    __asm__ volatile("" : : "r"(target) : "memory");
}
