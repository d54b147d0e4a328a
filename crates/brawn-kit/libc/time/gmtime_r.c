#include "civil.h"

PUBLIC struct brawn_tm *__gmtime_r(const brawn_time *restrict time, struct brawn_tm *restrict tm);

struct brawn_tm *__gmtime_r(const brawn_time *restrict time, struct brawn_tm *restrict tm) {
    if (!civil_fill(*time, tm)) {
        *__errno_location() = BRAWN_EOVERFLOW;
        return NULL;
    }
    tm->tm_isdst = 0;
    tm->tm_gmtoff = 0;
    tm->tm_zone = __utc;
    return tm;
}

WEAK_ALIAS(__gmtime_r, gmtime_r);
