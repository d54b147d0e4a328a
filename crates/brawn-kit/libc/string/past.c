/* How large what is copied or filled must be to go past the last cache, found by the first call that might. */
#include "past.h"

#if defined(__x86_64__)

#include <cpuid.h>

HIDDEN size_t past_from = PAST_UNKNOWN;

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

/* A quarter of the last cache: source and target of a copy have half of it, and other cores want the rest. But what a virtual
 * machine is told of a large one is not what it may use of it: 48 MiB are past it wherever that was measured. */
COLD void past_find(void) {
    /* Intel's leaf, and AMD's, of which each says nothing of the other's. Whatever a processor without either says, what comes
     * of it lies between two bounds. */
    size_t size = last_cache(4);
    if (size == 0) {
        size = last_cache(0x8000001d);
    }
    const size_t largest = (size_t)48 << 20;
    size_t from = size / 4;
    from = from <= PAST_UNKNOWN ? PAST_UNKNOWN + 1 : from > largest ? largest : from;
    __atomic_store_n(&past_from, from, __ATOMIC_RELAXED);
}

#endif
