/* The long part of strncpy and stpncpy: strcopy_long.h. */
#include "strcopy_long.h"

OVER_READS LONG_PART(char *, __brawn_strncpy,
                     (char *restrict d, const char *restrict s, char *end, char *result)) {
    return copy_long(d, s, end, result, true);
}
