/* First place of a character, or a null pointer: strfind.h. */
#include "text.h"

OVER_READS INLINE char *found_or_not(const lane *hit, lane character) {
    if (*hit == character) {
        return (char *)(uintptr_t)hit;
    }
    BRANCH();
    return NULL;
}

#define FIND_CHARACTER 1
#define FIND_LIMITED 0
#define FIND_RESULT char *
#define FIND_DONE(hit) found_or_not(hit, character)
#define FIND_LONG __brawn_strchr_
#define FIND_BASE base
#define BRAWN_BODY "strfind.h"
#include "levels.h"
#include "strfind.h"

PUBLIC char *NAME(strchr)(const char *s, int c);

OVER_READS char *NAME(strchr)(const char *s, int c) {
    return find_small((const lane *)s, (unsigned char)c, 0);
}
