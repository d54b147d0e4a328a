/* wcstol, and all that is the same with 64 bits: see integer.h. */

#define WIDE
#include "integer.h"

PUBLIC long wcstol(const wchar_t *restrict s, wchar_t **restrict end, int base);

long wcstol(const wchar_t *restrict s, wchar_t **restrict end, int base) {
    return read_signed(s, end, base);
}

ALIAS(wcstol, wcstoll);
ALIAS(wcstol, wcstoimax);
