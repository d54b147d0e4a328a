/* The long part of wcschr: strfind_long.h. */
#define LANES_WIDE
#include <stddef.h>

typedef wchar_t *find_result;
#include "strfind_long.h"

OVER_READS INLINE find_result answer(const lane *base, const lane *hit, lane character) {
    (void)base;
    if (*hit == character) {
        return (wchar_t *)(uintptr_t)hit;
    }
    BRANCH();
    return NULL;
}

OVER_READS LONG_PART(wchar_t *, __brawn_wcschr, (const lane *base, uintptr_t what, const lane *p)) {
    return find(true, base, what, p);
}
