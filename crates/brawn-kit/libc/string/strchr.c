/* First place of a character, or a null pointer: strfind.h. */
#include <stddef.h>

typedef char *find_result;
#include "strfind.h"

DISPATCH_TO_AVX512(find_result, find_long, __brawn_strchr, (const lane *base, uintptr_t what, const lane *p),
                   (base, what, p))

PUBLIC char *NAME(strchr)(const char *s, int c);

OVER_READS char *NAME(strchr)(const char *s, int c) {
    const struct find find = {.character = true, .answer = PLACE_OR_NULL};
    return find_small(find, (const lane *)s, (unsigned char)c, 0, (const lane *)s);
}
