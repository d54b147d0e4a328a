/* What strcasecmp and strncasecmp share: strcompare_small.h. */
#include "strcompare_small.h"

OVER_READS COLD int NAME(__brawn_strcasecmp_edge)(const lane *a, const lane *b, const lane *end,
                                                  size_t first) {
    return compare_across(a, b, end, first, true);
}

HIDDEN int NAME(__brawn_strcasecmp_to)(const char *a, const char *b, size_t n);

OVER_READS int NAME(__brawn_strcasecmp_to)(const char *a, const char *b, size_t n) {
    return compare_small((const lane *)a, (const lane *)b, n, true, true);
}
