/* First place of a character, or a null pointer: strfind.h. */
#include "text.h"
#define FIND_CHARACTER 1
#define FIND_LIMITED 0
#define FIND_RESULT char *
#define FIND_DONE(hit) (*(hit) == character ? (char *)(uintptr_t)(hit) : NULL)
#define FIND_LONG __brawn_strchr_long
#define FIND_BASE base
#define BRAWN_BODY "strfind.h"
#include "levels.h"
#include "strfind.h"

PUBLIC char *NAME(strchr)(const char *s, int c);

OVER_READS char *NAME(strchr)(const char *s, int c) {
    return find_small((const lane *)s, (unsigned char)c, 0);
}
