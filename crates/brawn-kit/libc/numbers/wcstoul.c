/* wcstoul, and all that is the same with 64 bits: see integer.h. */

#define WIDE
#include "integer.h"

PUBLIC unsigned long wcstoul(const wchar_t *restrict s, wchar_t **restrict end, int base);

unsigned long wcstoul(const wchar_t *restrict s, wchar_t **restrict end, int base) {
    return read_unsigned(s, end, base);
}

ALIAS(wcstoul, wcstoull);
ALIAS(wcstoul, wcstoumax);
