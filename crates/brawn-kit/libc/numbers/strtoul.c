/* strtoul, and all that is the same with 64 bits: see integer.h. */

#include "integer.h"

PUBLIC unsigned long strtoul(const char *restrict s, char **restrict end, int base);

unsigned long strtoul(const char *restrict s, char **restrict end, int base) {
    return read_unsigned(s, end, base);
}

ALIAS(strtoul, strtoull);
ALIAS(strtoul, strtoumax);
WEAK_ALIAS(strtoul, __strtoul_internal);
WEAK_ALIAS(strtoul, __strtoull_internal);
WEAK_ALIAS(strtoul, __strtoumax_internal);
