/* wmemset: see set.h. */
#include "entry.h"

#include "set.h"

PUBLIC wchar_t *NAME(wmemset)(wchar_t *target, wchar_t c, size_t n);

wchar_t *NAME(wmemset)(wchar_t *target, wchar_t c, size_t n) {
    const uint32_t pattern = (uint32_t)c;
    const size_t bytes = n * sizeof(wchar_t);
    if (bytes > SET_SMALL) {
        return set_long((unsigned char *)target, pattern, bytes);
    }
    if (bytes >= 16) {
        return set_middle((unsigned char *)target, pattern, bytes);
    }
    if (n) {
        target[0] = c;
        target[n >> 1] = c;
        target[n - 1] = c;
    }
    return target;
}
