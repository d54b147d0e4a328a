/* Length of a wide string: strfind.h. */
#define LANES_WIDE
#include "text.h"
#define FIND_CHARACTER 0
#define FIND_LIMITED 0
#define FIND_PREDICTED
#define FIND_RESULT size_t
#define FIND_DONE(hit) ((size_t)((hit) - base))
#define FIND_LONG __brawn_wcsnlen_
#define FIND_BASE base
#define BRAWN_BODY "strfind.h"
#include "levels.h"
#include "strfind.h"

PUBLIC size_t NAME(wcslen)(const wchar_t *s);

OVER_READS size_t NAME(wcslen)(const wchar_t *s) {
    return find_small((const lane *)s, 0, 0);
}
