/* How large what is copied or filled must be to go past the last cache, found by the first call that might. */
#include "past.h"

#if defined(__x86_64__)

#include <cpuid.h>

/* Weak: a program that defines it decides itself. docs/explain/strings.md says how. */
HIDDEN __attribute__((weak)) size_t past_from = PAST_UNKNOWN;

/* The last cache's bytes as this leaf has them, one sub-leaf a cache, or 0. */
static COLD size_t last_cache(unsigned leaf) {
    size_t size = 0;
    for (unsigned i = 0; i < 8; i++) {
        unsigned a, b, c, d;
        __cpuid_count(leaf, i, a, b, c, d);
        if ((a & 31) == 0) {
            break;
        }
        size = (size_t)((b >> 22) + 1) * ((b >> 12 & 1023) + 1) * ((b & 4095) + 1) * (c + 1);
    }
    return size;
}

COLD void past_find(void) {
    /* Intel's leaf, and AMD's, of which each says nothing of the other's. Whatever a processor without either says, what comes
     * of it lies between two bounds. */
    size_t cache = last_cache(4);
    if (cache == 0) {
        cache = last_cache(0x8000001d);
    }
    __atomic_store_n(&past_from, past_of(cache), __ATOMIC_RELAXED);
}

#endif
