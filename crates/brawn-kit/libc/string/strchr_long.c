/* The long part of strchr and, with a null `base`, of strchrnul: strfind.h. */
#include "text.h"

OVER_READS INLINE char *found_or_not(const lane *base, const lane *hit, lane character) {
    if (*hit == character || base == NULL) {
        return (char *)(uintptr_t)hit;
    }
    BRANCH();
    return NULL;
}

#define FIND_CHARACTER 1
#define FIND_LIMITED 0
#define FIND_RESULT char *
#define FIND_DONE(hit) found_or_not(base, hit, character)
#define FIND_LONG __brawn_strchr_
#define FIND_DEFINED
#define BRAWN_BODY "strfind.h"
#include "levels.h"
#include "strfind.h"
