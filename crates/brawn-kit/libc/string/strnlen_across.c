/* What strlen and strnlen do close to the end of a page: strfind.h. */
#include <stddef.h>

typedef size_t find_result;
#include "strfind.h"

DISPATCH_TO_AVX512(find_result, find_long, __brawn_strnlen, (const lane *base, uintptr_t what, const lane *p),
                   (base, what, p))

OVER_READS COLD find_result find_end_across(const lane *base, uintptr_t what, const lane *p) {
    return find_to_page((struct find){.limited = true, .answer = LENGTH}, base, what, p);
}
