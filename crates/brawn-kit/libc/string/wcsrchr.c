/* Last place of a wide character, or a null pointer: strrfind.h. */
#define LANES_WIDE
#include "strrfind.h"

PUBLIC wchar_t *NAME(wcsrchr)(const wchar_t *s, wchar_t c);

OVER_READS wchar_t *NAME(wcsrchr)(const wchar_t *s, wchar_t c) {
    return find_last((const lane *)s, (lane)c);
}
