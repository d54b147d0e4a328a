/* What strchr and, with a null `base`, strchrnul do close to the end of a page: strfind.h. */
#include <stddef.h>

typedef char *find_result;
#include "strfind.h"

DISPATCH_TO_AVX512(find_result, find_long, __brawn_strchr, (const lane *base, uintptr_t what, const lane *p),
                   (base, what, p))

OVER_READS COLD find_result find_character_across(const lane *base, uintptr_t what, const lane *p) {
    return find_to_page((struct find){.character = true, .answer = EITHER}, base, what, p);
}
