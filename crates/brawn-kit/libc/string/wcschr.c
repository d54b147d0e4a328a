/* First place of a wide character, or a null pointer: strfind.h. */
#define WITHOUT_AVX512
#define LANES_WIDE
#include "text.h"

OVER_READS INLINE wchar_t *found_or_not(const lane *hit, lane character) {
    if (*hit == character) {
        return (wchar_t *)(uintptr_t)hit;
    }
    BRANCH();
    return NULL;
}

#define FIND_CHARACTER 1
#define FIND_LIMITED 0
#define FIND_RESULT wchar_t *
#define FIND_DONE(hit) found_or_not(hit, character)
#define BRAWN_BODY "strfind.h"
#include "levels.h"
#include "strfind.h"

PUBLIC wchar_t *NAME(wcschr)(const wchar_t *s, wchar_t c);

OVER_READS wchar_t *NAME(wcschr)(const wchar_t *s, wchar_t c) {
    return find_small((const lane *)s, (lane)c, 0);
}
