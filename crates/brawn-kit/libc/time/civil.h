/* Days to dates and back without loops or branches, by multiplications: years begin in March, so that the leap day is
 * the last of a year, and a date is a line through integers (C. Neri and L. Schneider, "Euclidean affine functions
 * and their application to calendar algorithms", 2022; written from the article). */
#ifndef BRAWN_CIVIL_H
#define BRAWN_CIVIL_H

#include "brawn_time.h"

/* 400 years, after which the calendar repeats itself, weekdays included. */
#define ERA_DAYS 146097
#define ERA_SECONDS ((int64_t)ERA_DAYS * DAY)

/* From the first of March of year 0 to the first day of 1970. */
#define EPOCH_DAYS 719468

/* Times beyond these have a year that no int holds, whatever the zone. */
#define TIME_LEAST (INT_MIN * 31622400LL)
#define TIME_MOST (INT_MAX * 31622400LL)

/* So many eras before year 0 begins what is counted without a sign: more than TIME_LEAST and any year of a `struct tm`
 * need. */
#define BIAS_ERAS 6000000LL

struct civil_day {
    int64_t days; /* since 1970 */
    uint32_t seconds;
};

static inline struct civil_day civil_day(int64_t time) {
    const uint64_t from_bias = (uint64_t)(time + BIAS_ERAS * ERA_SECONDS);
    const uint64_t days = from_bias / DAY;
    return (struct civil_day){(int64_t)days - BIAS_ERAS * ERA_DAYS, (uint32_t)(from_bias - days * DAY)};
}

struct civil_year {
    uint32_t century;    /* of the year that began in March */
    uint32_t in_century; /* its year in the century */
    uint32_t day;        /* day of the year that began in March */
    uint32_t from_start; /* days since the first of March of the first year counted */
    int64_t first;       /* the first year counted */
};

/* The year that began in March. What 32 bits hold spans 2.9 million years, 32,800 of them before year 0; beyond it the
 * era is split off first. */
static inline struct civil_year civil_year(int64_t days) {
    struct civil_year year = {.first = -82 * 400};
    const uint64_t near = (uint64_t)(days + EPOCH_DAYS + 82 * ERA_DAYS);
    if (__builtin_expect(near < UINT32_C(1) << 30, 1)) {
        year.from_start = (uint32_t)near;
    } else {
        const uint64_t far = (uint64_t)(days + EPOCH_DAYS + BIAS_ERAS * ERA_DAYS);
        const uint64_t era = far / ERA_DAYS;
        year.first = ((int64_t)era - BIAS_ERAS) * 400;
        year.from_start = (uint32_t)(far - era * ERA_DAYS);
    }
    const uint32_t quarters = 4 * year.from_start + 3;
    year.century = quarters / ERA_DAYS;
    const uint32_t in_century = quarters % ERA_DAYS | 3;
    const uint64_t product = UINT64_C(2939745) * in_century;
    year.in_century = (uint32_t)(product >> 32);
    year.day = (uint32_t)product / 2939745 / 4;
    return year;
}

/* Whether the year that began in March ended in a leap day's year; true of the January that follows when its own year
 * is one, so it is asked of the calendar's year. */
static inline bool civil_leap(uint32_t century, uint32_t in_century) {
    return in_century ? in_century % 4 == 0 : century % 4 == 0;
}

/* Fills all but the zone's fields; false where no int holds the year. */
static inline bool civil_fill(int64_t time, struct brawn_tm *tm) {
    if (time < TIME_LEAST || time > TIME_MOST)
        return false;
    const struct civil_day at = civil_day(time);
    const struct civil_year year = civil_year(at.days);
    const uint32_t line = 2141 * year.day + 197913;
    const bool new_year = year.day >= 306;
    const int64_t number = year.first + 100 * year.century + year.in_century + new_year - 1900;
    if (number != (int)number)
        return false;
    tm->tm_year = (int)number;
    tm->tm_mon = (int)(line >> 16) - 1 - (new_year ? 12 : 0);
    tm->tm_mday = (int)((line & 0xffff) / 2141) + 1;
    /* March and later: 59 days before it, or 60 in a leap year. */
    tm->tm_yday = (int)year.day + (new_year ? -306 : 59 + civil_leap(year.century, year.in_century));
    /* The first of March of year 0, and of every era, is a Wednesday. */
    tm->tm_wday = (int)((year.from_start + 3) % 7);
    tm->tm_hour = (int)(at.seconds / 3600);
    tm->tm_min = (int)(at.seconds / 60 % 60);
    tm->tm_sec = (int)(at.seconds % 60);
    return true;
}

/* Seconds of a date and time of day whose fields may lie beyond their usual range. */
static inline int64_t civil_seconds(const struct brawn_tm *tm) {
    int64_t years = (int64_t)tm->tm_year + 1900;
    int month = tm->tm_mon - 2;
    if ((unsigned)tm->tm_mon >= 12) {
        int over = tm->tm_mon / 12;
        month = tm->tm_mon % 12;
        if (month < 0) {
            over--;
            month += 12;
        }
        years += over;
        month -= 2;
    }
    if (month < 0) {
        month += 12;
        years--;
    }
    const uint64_t year = (uint64_t)(years + BIAS_ERAS * 400);
    const int64_t days = (int64_t)(365 * year + year / 4 - year / 100 + year / 400) +
                         (int)((unsigned)(153 * month + 2) / 5) - EPOCH_DAYS - BIAS_ERAS * ERA_DAYS;
    return DAY * (days + tm->tm_mday - 1) + 3600LL * tm->tm_hour + 60LL * tm->tm_min + tm->tm_sec;
}

#endif
