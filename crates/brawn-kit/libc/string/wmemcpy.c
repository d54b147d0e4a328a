/* wmemcpy: memcpy in units of wide characters. */
#include "brawn_string.h"

#include <wchar.h>

void *NAME(memcpy)(void *restrict target, const void *restrict source, size_t n);
PUBLIC wchar_t *NAME(wmemcpy)(wchar_t *restrict target, const wchar_t *restrict source, size_t n);

wchar_t *NAME(wmemcpy)(wchar_t *restrict target, const wchar_t *restrict source, size_t n) {
    return NAME(memcpy)(target, source, n * sizeof(wchar_t));
}
