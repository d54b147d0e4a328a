/* Length of a wide string: strfind.h. */
#define LANES_WIDE
#include <stddef.h>

typedef size_t find_result;
#include "strfind.h"

DISPATCH_TO_AVX512(find_result, find_long, __brawn_wcsnlen, (const lane *base, uintptr_t what, const lane *p),
                   (base, what, p))

PUBLIC size_t NAME(wcslen)(const wchar_t *s);

OVER_READS size_t NAME(wcslen)(const wchar_t *s) {
    const struct find find = {.predicted = true, .answer = LENGTH};
    return find_small(find, (const lane *)s, 0, 0, (const lane *)s);
}
