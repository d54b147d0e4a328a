/* Length of a string, or the limit: strfind.h. */
#include "text.h"
#define FIND_CHARACTER 0
#define FIND_LIMITED 1
#define FIND_PREDICTED
#define FIND_RESULT size_t
#define FIND_DONE(hit) ((size_t)((hit) - base))
#define FIND_LONG __brawn_strnlen_
#define FIND_BASE base
#define BRAWN_BODY "strfind.h"
#include "levels.h"
#include "strfind.h"

PUBLIC size_t NAME(strnlen)(const char *s, size_t n);

OVER_READS size_t NAME(strnlen)(const char *s, size_t n) {
    return find_small((const lane *)s, 0, n);
}
