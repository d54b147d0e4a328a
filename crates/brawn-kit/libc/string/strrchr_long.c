/* The long part of strrchr: strrfind_long.h. */
#include "strrfind_long.h"

OVER_READS LONG_PART(char *, __brawn_strrchr, (const lane *p, lane character, const lane *last)) {
    return last_long(p, character, last);
}
