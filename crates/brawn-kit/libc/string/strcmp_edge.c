/* What strcmp and strncmp do close to the end of a page: strcompare_small.h. */
#include "strcompare_small.h"

OVER_READS COLD int NAME(__brawn_strcmp_edge)(const lane *a, const lane *b, const lane *end, size_t first) {
    return compare_across(a, b, end, first, false);
}
