/* The long part of wcscmp and wcsncmp: strcompare_long.h. */
#define LANES_WIDE
#include "strcompare_long.h"

OVER_READS LONG_PART(int, __brawn_wcscmp, (const lane *a, const lane *b, const lane *end)) {
    return compare_long(a, b, end, false);
}
