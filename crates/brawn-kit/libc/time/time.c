/* time: of the kernel's last tick, as glibc's is, and not read off the processor's counter. */
#include "vdso.h"

PUBLIC brawn_time time(brawn_time *to);

enum { REALTIME = 0, REALTIME_COARSE = 5 };

static uintptr_t known;

brawn_time time(brawn_time *to) {
    struct brawn_timespec now;
#if defined(__x86_64__)
    brawn_time (*const function)(brawn_time *) = vdso_find(&known, VDSO_NAME("time"));
    if (function)
        return function(to);
#else
    int (*const function)(int, struct brawn_timespec *) = vdso_find(&known, VDSO_NAME("clock_gettime"));
    if (!function || function(REALTIME_COARSE, &now))
#endif
    __clock_gettime(REALTIME, &now);
    if (to)
        *to = now.tv_sec;
    return now.tv_sec;
}
