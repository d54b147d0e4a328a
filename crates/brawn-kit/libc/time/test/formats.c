/* Prints digests of what strftime and wcsftime write, as answers.c does of times; and compares the clocks. */
#define _GNU_SOURCE
#include <limits.h>
#include <locale.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <wchar.h>

static uint64_t digest = 14695981039346656037u, state = 88172645463325252u;

static void mix(const void *data, size_t size) {
    const unsigned char *at = data;
    while (size--)
        digest = (digest ^ *at++) * 1099511628211u;
}

static void say(const char *kind, const char *what) {
    printf("%s %s %016llx\n", kind, what, (unsigned long long)digest);
    digest = 14695981039346656037u;
}

static unsigned draw(unsigned below) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return (unsigned)(state >> 20) % below;
}

static int odd(void) {
    static const int VALUES[] = {-1, -100,  -1900, -1901, -2000,   -11900,  8099, 8100,
                                 97, 98100, 60,    366,   INT_MAX, INT_MIN, 0,    7};
    return VALUES[draw(16)];
}

static struct tm draw_tm(void) {
    const time_t time = (time_t)draw(1u << 31) * 40 - (time_t)draw(1u << 31) * 40;
    struct tm tm;
    localtime_r(&time, &tm);
    if (draw(3) == 0) {
        int *const fields[] = {&tm.tm_sec,  &tm.tm_min,  &tm.tm_hour, &tm.tm_mday, &tm.tm_mon,
                               &tm.tm_year, &tm.tm_wday, &tm.tm_yday, &tm.tm_isdst};
        const unsigned field = draw(9);
        *fields[field] = odd();
        /* Sums that overflow have no answer. */
        if (tm.tm_mon == INT_MAX || tm.tm_yday == INT_MAX)
            tm.tm_mon = tm.tm_yday = 3;
        if (tm.tm_mday == INT_MIN)
            tm.tm_mday = 3;
        if (draw(8) == 0)
            tm.tm_zone = "none of ours";
        if (draw(8) == 0)
            tm.tm_gmtoff = (long)draw(200000) - 100000;
    }
    return tm;
}

static void form(char *format, int parts) {
    static const char *const FLAGS[] = {"", "", "", "-", "_", "0", "+", "-+", "0+", "_+", "+0"};
    static const char *const WIDTHS[] = {"",  "",  "",  "0",  "1",     "2",  "4",
                                         "5", "6", "9", "12", "00013", "70", "4000000000"};
    static const char *const MODIFIERS[] = {"", "", "", "E", "O"};
    static const char CONVERSIONS[] = "aAbBcCdDeFgGhHIjmMnprRsStTuUVwWxXyYzZ%YGCFYGCF";
    *format = 0;
    while (parts--) {
        const char conversion = draw(40) ? CONVERSIONS[draw(sizeof CONVERSIONS - 1)] : (char)draw(128);
        const unsigned width = draw(14);
        format += sprintf(format, "%s%%%s%s%s", draw(4) ? "" : " x", FLAGS[draw(11)], WIDTHS[width],
                          MODIFIERS[draw(5)]);
        *format++ = conversion;
        *format = 0;
    }
}

int main(int count, char **arguments) {
    (void)count;
    (void)arguments;
    static char to[512], format[256];
    static wchar_t wide[512], wide_format[256];
    const char *const zones[] = {"UTC0", "<+0545>-5:45", "EST5EDT,M3.2.0,M11.1.0"};
    for (int i = 0; i < 300000; i++) {
        if (i % 1000 == 0)
            setenv("TZ", zones[i / 1000 % 3], 1);
        const struct tm tm = draw_tm();
        form(format, 1 + (int)draw(3));
        const size_t size = draw(3) ? 300 : draw(40);
        memset(to, '#', sizeof to);
        const size_t length = strftime(to, size, format, &tm);
        mix(&length, sizeof length);
        mix(to, sizeof to);
        if (i % 4 == 0) {
            for (size_t k = 0; k < 256; k++)
                wide_format[k] = (unsigned char)format[k];
            wmemset(wide, '#', 512);
            const size_t wide_length = wcsftime(wide, 400, wide_format, &tm);
            mix(&wide_length, sizeof wide_length);
            if (wide_length)
                mix(wide, wide_length * sizeof *wide);
        }
        if (i % 20000 == 0)
            say("musl", "strftime");
    }
    say("musl", "strftime");
    /* In a locale by a name, whose translations are none, and in a locale of its own. */
    setlocale(LC_ALL, "xx_YY.UTF-8");
    const locale_t own = newlocale(LC_ALL_MASK, "C", NULL);
    for (int i = 0; i < 30000; i++) {
        const struct tm tm = draw_tm();
        form(format, 2);
        memset(to, '#', sizeof to);
        const size_t length = i & 1 ? strftime(to, 200, format, &tm) : strftime_l(to, 200, format, &tm, own);
        mix(&length, sizeof length);
        mix(to, sizeof to);
    }
    say("musl", "locales");
    setlocale(LC_ALL, "C");
    setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
    tzset();
    for (int i = 0; i < 150000; i++) {
        const time_t time = (time_t)i * 86400 / 2 + (time_t)draw(86400);
        struct tm tm;
        localtime_r(&time, &tm);
        const size_t length = strftime(to, sizeof to,
                                       "%Y-%m-%d %H:%M:%S %a %A %b %B %h %j %U %W %V %G %g %u %w %I %p %e %y "
                                       "%C %D %F %T %R %r %c %x %X %z %Z %s %n%t%%",
                                       &tm);
        mix(to, length);
    }
    say("all", "strftime");
    /* In the usual form, and with fields that are out of it; a text of more than 25 characters ends the program in musl. */
    for (int i = 0; i < 100000; i++) {
        const int year = (int)draw(9900) + 100;
        const struct tm tm = {.tm_sec = (int)draw(i % 7 ? 62 : 100) - (i % 7 || year > 999 ? 0 : 9),
                              .tm_min = (int)draw(60),
                              .tm_hour = (int)draw(24),
                              .tm_mday = i % 5 ? (int)draw(32) : (int)draw(109) - 9,
                              .tm_mon = (int)draw(12),
                              .tm_wday = (int)draw(7),
                              .tm_year = year - 1900};
        mix(to, strlen(asctime_r(&tm, to)) + 1);
    }
    say("all", "asctime_r");
    for (int i = 0; i < 100000; i++) {
        struct timespec before, after;
        struct timeval between;
        clock_gettime(CLOCK_REALTIME, &before);
        time_t second, same = time(&second);
        if (gettimeofday(&between, NULL) || gettimeofday(NULL, NULL))
            return 1;
        clock_gettime(CLOCK_REALTIME, &after);
        /* The kernel's last tick is at most that of one second before. */
        if (same != second || same > after.tv_sec || same < before.tv_sec - 1)
            return 1;
        if (between.tv_sec < before.tv_sec || between.tv_sec > after.tv_sec || between.tv_usec < 0 ||
            between.tv_usec > 999999)
            return 1;
    }
    return 0;
}
