/* wmemcpy: see copy.h. */
#include "entry.h"

#include "copy.h"

PUBLIC wchar_t *NAME(wmemcpy)(wchar_t *restrict target, const wchar_t *restrict source, size_t n);

wchar_t *NAME(wmemcpy)(wchar_t *restrict target, const wchar_t *restrict source, size_t n) {
    return copy(target, source, n * sizeof(wchar_t), target);
}
