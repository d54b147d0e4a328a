/* Length of a string: strfind.h. */
#include <stddef.h>

typedef size_t find_result;
#include "strfind.h"

DISPATCH_TO_AVX512(find_result, find_long, __brawn_strnlen, (const lane *base, uintptr_t what, const lane *p),
                   (base, what, p))

PUBLIC size_t NAME(strlen)(const char *s);

OVER_READS size_t NAME(strlen)(const char *s) {
    const struct find find = {.predicted = true, .answer = LENGTH};
    return find_small(find, (const lane *)s, 0, 0, (const lane *)s);
}
