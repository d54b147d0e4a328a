// Clocks and the calendar. Dates lie between 2010 and 2030, where the zone's file and its rule agree.

#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "rows.h"

static const char RULE[] = "CET-1CEST,M3.5.0,M10.5.0/3";
static time_t instants[256], month[256];
static struct tm dates[256];
static char to[128];

// Makes it the zone; the file where it is there, for which the rule answers the same.
static void zone(const char *name) {
    if (setenv("TZ", name, 1) != 0)
        fail("setenv");
    tzset();
}

static void by_file(void) {
    zone(access("/usr/share/zoneinfo/Europe/Berlin", R_OK) == 0 ? "Europe/Berlin" : RULE);
}

static void prepare(void) {
    uint64_t seed = 3;
    zone(RULE);
    for (int i = 0; i < 256; i++) {
        instants[i] = (time_t)(1262304000 + next_random(&seed) % 631152000);
        month[i] = 1718000000 + 9973 * i;
        localtime_r(&instants[i], &dates[i]);
    }
}

static uint64_t date(const struct tm *tm) {
    return tm == NULL
               ? 0
               : (uint64_t)(((((tm->tm_year * 12 + tm->tm_mon) * 31 + tm->tm_mday) * 24l + tm->tm_hour) * 60 +
                             tm->tm_min) *
                                60 +
                            tm->tm_sec) +
                     (uint64_t)(tm->tm_wday + tm->tm_yday + tm->tm_isdst + tm->tm_gmtoff);
}

static uint64_t clock_of(clockid_t id) {
    struct timespec time;
    return clock_gettime(id, &time) == 0 && time.tv_nsec < 1000000000;
}

static uint64_t day(void) {
    struct timeval time;
    return gettimeofday(&time, NULL) == 0 && time.tv_sec > instants[0];
}

static uint64_t localtime_of(uint64_t times, const time_t *from) {
    uint64_t sum = 0;
    struct tm tm;
    for (uint64_t i = 0; i < times; i++)
        sum = mix(sum, date(localtime_r(&from[i % 256], &tm)));
    return sum;
}

static uint64_t localtime_rule(uint64_t times) {
    zone(RULE);
    return localtime_of(times, instants);
}

static uint64_t localtime_file(uint64_t times) {
    by_file();
    return localtime_of(times, instants);
}

static uint64_t localtime_month(uint64_t times) {
    by_file();
    return localtime_of(times, month);
}

static uint64_t localtime_utc(uint64_t times) {
    zone("UTC0");
    return localtime_of(times, instants);
}

static uint64_t call_localtime(uint64_t times) {
    by_file();
    uint64_t sum = 0;
    for (uint64_t i = 0; i < times; i++)
        sum = mix(sum, date(localtime(&month[i % 256])));
    return sum;
}

static uint64_t call_gmtime(uint64_t times) {
    uint64_t sum = 0;
    struct tm tm;
    for (uint64_t i = 0; i < times; i++)
        sum = mix(sum, date(gmtime_r(&instants[i % 256], &tm)));
    return sum;
}

static uint64_t mktime_here(uint64_t times) {
    uint64_t sum = 0;
    for (uint64_t i = 0; i < times; i++) {
        struct tm tm = dates[i % 256];
        sum = mix(sum, (uint64_t)mktime(&tm));
    }
    return sum;
}

static uint64_t mktime_rule(uint64_t times) {
    zone(RULE);
    return mktime_here(times);
}

static uint64_t mktime_file(uint64_t times) {
    by_file();
    return mktime_here(times);
}

static uint64_t call_timegm(uint64_t times) {
    uint64_t sum = 0;
    for (uint64_t i = 0; i < times; i++) {
        struct tm tm = dates[i % 256];
        sum = mix(sum, (uint64_t)timegm(&tm));
    }
    return sum;
}

static uint64_t parsed(uint64_t i) {
    static const char *const TEXTS[4] = {"2024-02-29 23:59:58", "2011-12-31 00:00:01", "2020-06-15 12:34:56",
                                         "2030-01-01 01:02:03"};
    struct tm tm = {0};
    const char *end = strptime(TEXTS[i % 4], "%Y-%m-%d %H:%M:%S", &tm);
    // Only glibc works out the day of the week and of the year.
    tm.tm_wday = tm.tm_yday = 0;
    tm.tm_gmtoff = 0;
    return end && *end == 0 ? date(&tm) : 0;
}

static uint64_t format(const char *format, uint64_t i) {
    return written(to, strftime(to, sizeof to, format, &dates[i % 256]));
}

// A line of a log: the clock, the date, the text.
static uint64_t log_line(uint64_t i) {
    struct tm tm;
    time_t now = time(NULL);
    uint64_t later = now > instants[i % 256] || now < 1262304000;
    localtime_r(&month[i % 256], &tm);
    return later + written(to, strftime(to, sizeof to, "%d/%b/%Y:%H:%M:%S %z", &tm));
}

CALLS(call_time, time(NULL) > 1000000000)
CALLS(monotonic, clock_of(CLOCK_MONOTONIC))
CALLS(realtime, clock_of(CLOCK_REALTIME))
CALLS(coarse, clock_of(CLOCK_REALTIME_COARSE))
CALLS(cputime, clock_of(CLOCK_THREAD_CPUTIME_ID))
CALLS(call_gettimeofday, day())
CALLS(call_clock, clock() >= 0)
CALLS(strftime_iso, format("%Y-%m-%d %H:%M:%S", i))
CALLS(strftime_http, format("%a, %d %b %Y %H:%M:%S GMT", i))
CALLS(strftime_c, format("%c", i))
CALLS(strftime_zone, format("%H:%M %Z %z", i))
CALLS(strftime_week, format("%G-W%V-%u %j", i))
CALLS(strptime_iso, parsed(i))
CALLS(call_asctime, text(asctime_r(&dates[i % 256], to)))
CALLS(call_ctime, text(ctime_r(&month[i % 256], to)))
CALLS(call_difftime, bits(difftime(instants[i % 256], instants[0])))
CALLS(call_log_line, log_line(i))

static const struct row ROWS[] = {
    {"time", call_time, 4, QUICK},
    {"clock_gettime-monotonic", monotonic, 4},
    {"clock_gettime-realtime", realtime, 4},
    {"clock_gettime-coarse", coarse, 4},
    {"clock_gettime-thread", cputime, 4},
    {"gettimeofday", call_gettimeofday, 4},
    {"clock", call_clock, 4},
    {"gmtime_r", call_gmtime, 256},
    {"localtime_r-UTC", localtime_utc, 256},
    {"localtime_r-rule", localtime_rule, 256},
    {"localtime_r-file", localtime_file, 256},
    {"localtime_r-file-one-month", localtime_month, 256, QUICK},
    {"localtime", call_localtime, 256},
    {"mktime-rule", mktime_rule, 256},
    {"mktime-file", mktime_file, 256},
    {"timegm", call_timegm, 256},
    {"strftime-date-and-time", strftime_iso, 256, QUICK},
    {"strftime-http", strftime_http, 256},
    {"strftime-%c", strftime_c, 256},
    {"strftime-%Z-%z", strftime_zone, 256},
    {"strftime-week", strftime_week, 256},
    {"strptime", strptime_iso, 4},
    {"asctime_r", call_asctime, 256},
    {"ctime_r", call_ctime, 256},
    {"difftime", call_difftime, 256},
    {"log-line", call_log_line, 256},
};

const struct group time_group = GROUP("time", prepare, ROWS);
