/* The long part of strchr and strchrnul: strfind_long.h. */
#include <stddef.h>

typedef char *find_result;
#include "strfind_long.h"

/* A null `base` asks for the place of the null, if that comes first: strchrnul. */
OVER_READS INLINE find_result answer(const lane *base, const lane *hit, lane character) {
    if (*hit == character || base == NULL) {
        return (char *)(uintptr_t)hit;
    }
    BRANCH();
    return NULL;
}

OVER_READS LONG_PART(char *, __brawn_strchr, (const lane *base, uintptr_t what, const lane *p)) {
    return find(true, base, what, p);
}
