#include "zone.h"

PUBLIC struct brawn_tm *__localtime_r(const brawn_time *restrict time, struct brawn_tm *restrict tm);

/* localtime_r, called localtime_r, and by localtime and ctime. */
struct brawn_tm *__localtime_r(const brawn_time *restrict time, struct brawn_tm *restrict tm) {
    if (zone_local(zone_now(), *time, tm))
        return tm;
    *__errno_location() = BRAWN_EOVERFLOW;
    return NULL;
}

WEAK_ALIAS(__localtime_r, localtime_r);
