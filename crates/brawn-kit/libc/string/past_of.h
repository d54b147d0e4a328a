/* From how many bytes on a copy goes past the last cache; past.h has the rest. */
#ifndef BRAWN_PAST_OF_H
#define BRAWN_PAST_OF_H

#include <stddef.h>

/* Until the first copy or fill that large has looked for the cache: it goes past it in any case. Below that much more would be
 * lost by the look than is gained. */
#define PAST_UNKNOWN ((size_t)4 << 20)

/* A quarter of the last cache: source and target of a copy have half of it, and other cores want the rest. But what a virtual
 * machine is told of a large one is not what it may use of it: 48 MiB are past it wherever that was measured. */
static inline size_t past_of(size_t cache) {
    const size_t quarter = cache / 4, largest = (size_t)48 << 20;
    return quarter <= PAST_UNKNOWN ? PAST_UNKNOWN + 1 : quarter > largest ? largest : quarter;
}

#endif
