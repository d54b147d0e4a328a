/* First place of a wide character, or a null pointer: strfind.h. */
#define LANES_WIDE
#define FIND_WITHOUT_AVX512
#include <stddef.h>

typedef wchar_t *find_result;
#include "strfind.h"

DISPATCH_TO_AVX2(find_result, find_long, __brawn_wcschr, (const lane *base, uintptr_t what, const lane *p),
                 (base, what, p))

OVER_READS COLD find_result find_character_across(const lane *base, uintptr_t what, const lane *p) {
    return find_to_page((struct find){.character = true, .answer = PLACE_OR_NULL}, base, what, p);
}

PUBLIC wchar_t *NAME(wcschr)(const wchar_t *s, wchar_t c);

OVER_READS wchar_t *NAME(wcschr)(const wchar_t *s, wchar_t c) {
    const struct find find = {.character = true, .answer = PLACE_OR_NULL};
    return find_small(find, (const lane *)s, (lane)c, 0, (const lane *)s);
}
