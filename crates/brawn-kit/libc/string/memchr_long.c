/* The search for a byte in more than 64 of them, for memchr, memccpy and memmem: find_long.h. */
#include "find_long.h"

OVER_READS LONG_PART(void *, __brawn_memchr, (const lane *s, lane c, size_t n)) {
    return find_long(s, c, n);
}
