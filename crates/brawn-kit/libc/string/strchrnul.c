/* First place of a character, or the end of the string: strfind.h. */
#include "text.h"
#define FIND_CHARACTER 1
#define FIND_LIMITED 0
#define FIND_PREDICTED
#define FIND_RESULT char *
#define FIND_DONE(hit) ((char *)(uintptr_t)(hit))
#define FIND_LONG __brawn_strchr_
#define FIND_BASE NULL
#define BRAWN_BODY "strfind.h"
#include "levels.h"
#include "strfind.h"

PUBLIC char *NAME(__strchrnul)(const char *s, int c);

OVER_READS char *NAME(__strchrnul)(const char *s, int c) {
    return find_small((const lane *)s, (unsigned char)c, 0);
}

WEAK_ALIAS(char *, strchrnul, __strchrnul, (const char *s, int c));
