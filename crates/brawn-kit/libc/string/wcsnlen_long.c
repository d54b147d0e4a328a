/* The long part of wcslen and wcsnlen: strfind_long.h. */
#define LANES_WIDE
#include <stddef.h>

typedef size_t find_result;
#include "strfind_long.h"

INLINE find_result answer(const lane *base, const lane *hit, lane character) {
    (void)character;
    return (size_t)(hit - base);
}

OVER_READS LONG_PART(size_t, __brawn_wcsnlen, (const lane *base, uintptr_t what, const lane *p)) {
    return find(false, base, what, p);
}
