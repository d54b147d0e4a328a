/* wmemmove: see copy.h. */
#include "entry.h"

#include "copy.h"

PUBLIC wchar_t *NAME(wmemmove)(wchar_t *target, const wchar_t *source, size_t n);

wchar_t *NAME(wmemmove)(wchar_t *target, const wchar_t *source, size_t n) {
    return copy(target, source, n * sizeof(wchar_t), target);
}
