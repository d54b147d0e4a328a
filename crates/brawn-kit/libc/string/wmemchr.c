/* wmemchr: see find.h. */
#define WITHOUT_AVX512
#define LANES_WIDE
#include "characters.h"

#define FIND_LINKAGE OVER_READS static NOINLINE
#define BRAWN_BODY "find_body.h"
#include "levels.h"

#include "find.h"

PUBLIC wchar_t *NAME(wmemchr)(const wchar_t *s, wchar_t c, size_t n);

OVER_READS wchar_t *NAME(wmemchr)(const wchar_t *s, wchar_t c, size_t n) {
    return find((const uint32_t *)s, (uint32_t)c, n);
}
