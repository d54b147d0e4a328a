/* wmemchr: see find.h. */
#define LANES_WIDE
#include "find.h"

PUBLIC wchar_t *NAME(wmemchr)(const wchar_t *s, wchar_t c, size_t n);

OVER_READS wchar_t *NAME(wmemchr)(const wchar_t *s, wchar_t c, size_t n) {
    return find((const uint32_t *)s, (uint32_t)c, n);
}
