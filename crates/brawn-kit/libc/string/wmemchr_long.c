/* The search for a wide character in more than 64 bytes: find_long.h. */
#define LANES_WIDE
#include "find_long.h"

OVER_READS LONG_PART(void *, __brawn_wmemchr, (const lane *s, lane c, size_t n)) {
    return find_long(s, c, n);
}
