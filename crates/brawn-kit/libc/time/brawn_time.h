/* What the functions of time share: musl's `struct tm` on 64-bit machines, and the names of musl that they use. No
 * header of a C library: which one the compiler would find is not known. */
#ifndef BRAWN_TIME_H
#define BRAWN_TIME_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PUBLIC __attribute__((visibility("default")))
#define WEAK_ALIAS(old, new)                                                                                 \
    extern __typeof(old) new __attribute__((weak, alias(#old), visibility("default")))

typedef int64_t brawn_time;

struct brawn_tm {
    int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year, tm_wday, tm_yday, tm_isdst;
    long tm_gmtoff;
    const char *tm_zone;
};

struct brawn_timespec {
    brawn_time tv_sec;
    long tv_nsec;
};

enum { BRAWN_EINVAL = 22, BRAWN_ENOSYS = 38, BRAWN_EOVERFLOW = 75 };

#define DAY 86400

extern int *__errno_location(void);

extern const char __utc[4] PUBLIC;

#endif
