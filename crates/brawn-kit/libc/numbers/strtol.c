/* strtol, and all that is the same with 64 bits: see integer.h. */

#include "integer.h"

PUBLIC long strtol(const char *restrict s, char **restrict end, int base);

long strtol(const char *restrict s, char **restrict end, int base) {
    return read_signed(s, end, base);
}

ALIAS(strtol, strtoll);
ALIAS(strtol, strtoimax);
WEAK_ALIAS(strtol, __strtol_internal);
WEAK_ALIAS(strtol, __strtoll_internal);
WEAK_ALIAS(strtol, __strtoimax_internal);
