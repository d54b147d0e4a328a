/* The long part of strstr: strsearch.h. */
#include "vector.h"
#include "strsearch.h"

/* All places before p - 1 have been looked at, and p less the width of a vector is within the haystack. */
OVER_READS LONG_PART(char *, __brawn_strstr, (const char *p, const char *needle, struct search search)) {
    const struct pair pair = pair_of(needle, false);
    char *found;
    for (p = (const char *)((uintptr_t)p & ~(uintptr_t)(VEC - 1));; p += VEC) {
        if (search_in(p, pair, needle, &search, &found, false)) {
            return found;
        }
    }
}
