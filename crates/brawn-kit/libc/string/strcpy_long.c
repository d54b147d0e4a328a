/* The long part of strcpy, stpcpy and strcat: strcopy_long.h. */
#include "strcopy_long.h"

OVER_READS LONG_PART(char *, __brawn_strcpy, (char *restrict d, const char *restrict s, char *result)) {
    return copy_long(d, s, NULL, result, false);
}
