/* wmemmove: memmove in units of wide characters. */
#include "brawn_string.h"

#include <wchar.h>

void *NAME(memmove)(void *target, const void *source, size_t n);
PUBLIC wchar_t *NAME(wmemmove)(wchar_t *target, const wchar_t *source, size_t n);

wchar_t *NAME(wmemmove)(wchar_t *target, const wchar_t *source, size_t n) {
    return NAME(memmove)(target, source, n * sizeof(wchar_t));
}
