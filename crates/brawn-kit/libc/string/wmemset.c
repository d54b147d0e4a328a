/* wmemset: see set.h. */
#include "set.h"

PUBLIC wchar_t *NAME(wmemset)(wchar_t *target, wchar_t c, size_t n);

wchar_t *NAME(wmemset)(wchar_t *target, wchar_t c, size_t n) {
    return set(target, (uint32_t)c, n * sizeof(wchar_t));
}
