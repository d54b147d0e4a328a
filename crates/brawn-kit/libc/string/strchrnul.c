/* First place of a character, or the end of the string: strfind.h. */
#include <stddef.h>

typedef char *find_result;
#include "strfind.h"

DISPATCH_TO_AVX512(find_result, find_long, __brawn_strchr, (const lane *base, uintptr_t what, const lane *p),
                   (base, what, p))

PUBLIC char *NAME(__strchrnul)(const char *s, int c);

OVER_READS char *NAME(__strchrnul)(const char *s, int c) {
    const struct find find = {.character = true, .predicted = true, .answer = PLACE};
    return find_small(find, (const lane *)s, (unsigned char)c, 0, NULL);
}

WEAK_ALIAS(char *, strchrnul, __strchrnul, (const char *s, int c));
