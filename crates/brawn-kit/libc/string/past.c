/* How large what is copied or filled must be to go past the last cache, found by the first call that might. */
#include "past.h"

#if defined(__x86_64__)

#include <cpuid.h>

/* Weak: a program that defines it decides itself. docs/explain/strings.md says how. */
HIDDEN __attribute__((weak)) size_t past_from = PAST_UNKNOWN;
HIDDEN unsigned char past_leaf = 0;

/* Intel's leaf, and AMD's, of which each says nothing of the other's; one sub-leaf a cache, the last one last. Whatever a
 * processor without either says, what comes of it lies between two bounds. */
COLD void past_find(void) {
    size_t cache = 0;
    unsigned leaf = PAST_INTEL;
    for (unsigned i = 0; i < 8;) {
        unsigned a, b, c, d;
        __cpuid_count(leaf, i, a, b, c, d);
        if (a & 31) {
            cache = (size_t)((b >> 22) + 1) * ((b >> 12 & 1023) + 1) * ((b & 4095) + 1) * (c + 1);
            i++;
        } else if (i == 0 && leaf == PAST_INTEL) {
            leaf = 0x8000001d;
        } else {
            break;
        }
    }
    if (__atomic_load_n(&past_from, __ATOMIC_RELAXED) == PAST_UNKNOWN) {
        __atomic_store_n(&past_from, past_of(cache), __ATOMIC_RELAXED);
    }
    __atomic_store_n(&past_leaf, (unsigned char)leaf, __ATOMIC_RELAXED);
}

#endif
