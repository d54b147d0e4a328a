/* Length of a string: strfind.h. */
#include "text.h"
#define FIND_CHARACTER 0
#define FIND_LIMITED 0
#define FIND_PREDICTED
#define FIND_RESULT size_t
#define FIND_DONE(hit) ((size_t)((hit) - base))
#define FIND_LONG __brawn_strnlen_
#define FIND_BASE base
#define BRAWN_BODY "strfind.h"
#include "levels.h"
#include "strfind.h"

PUBLIC size_t NAME(strlen)(const char *s);

OVER_READS size_t NAME(strlen)(const char *s) {
    return find_small((const lane *)s, 0, 0);
}
