/* The long part of strcmp and strncmp: strcompare_long.h. */
#include "strcompare_long.h"

OVER_READS LONG_PART(int, __brawn_strcmp, (const lane *a, const lane *b, const lane *end)) {
    return compare_long(a, b, end, false);
}
