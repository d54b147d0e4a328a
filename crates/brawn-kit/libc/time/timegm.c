#include "civil.h"

PUBLIC brawn_time timegm(struct brawn_tm *tm);

brawn_time timegm(struct brawn_tm *tm) {
    struct brawn_tm whole;
    const brawn_time time = civil_seconds(tm);
    if (!civil_fill(time, &whole)) {
        *__errno_location() = BRAWN_EOVERFLOW;
        return -1;
    }
    whole.tm_isdst = 0;
    whole.tm_gmtoff = 0;
    whole.tm_zone = __utc;
    *tm = whole;
    return time;
}
