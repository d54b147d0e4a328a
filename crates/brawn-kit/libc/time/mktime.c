#include "zone.h"

PUBLIC brawn_time mktime(struct brawn_tm *tm);

/* Where the date and time come twice or never, the same choice as musl's: the kind that holds by the local time, and
 * when it is not the asked one, the kind beside it. */
brawn_time mktime(struct brawn_tm *tm) {
    const struct zone *const zone = zone_now();
    const brawn_time local = civil_seconds(tm);
    const struct kind *other;
    const struct kind *kind = zone_at_local(zone, local, &other);
    if (tm->tm_isdst >= 0 && tm->tm_isdst != kind->dst)
        kind = other;
    const brawn_time time = local - kind->offset;
    struct brawn_tm whole;
    if (!zone_local(zone, time, &whole)) {
        *__errno_location() = BRAWN_EOVERFLOW;
        return -1;
    }
    *tm = whole;
    return time;
}
