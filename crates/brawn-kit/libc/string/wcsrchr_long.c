/* The long part of wcsrchr: strrfind_long.h. */
#define LANES_WIDE
#include "strrfind_long.h"

OVER_READS LONG_PART(wchar_t *, __brawn_wcsrchr, (const lane *p, lane character, const lane *last)) {
    return last_long(p, character, last);
}
