/* asctime_r without printf; what has not the usual 24 characters goes by snprintf, as in musl. asctime, ctime and ctime_r of
 * musl call it. */
#include "brawn_time.h"

extern const char __c_locale[] __attribute__((visibility("hidden")));
extern const char *__nl_langinfo_l(int item, const void *locale);
extern int snprintf(char *restrict to, size_t size, const char *restrict format, ...);

PUBLIC char *__asctime_r(const struct brawn_tm *restrict tm, char *restrict to);

static const char NAMES[][3] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Jan", "Feb", "Mar",
                                "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
enum { MONTHS = 7, ITEM_DAY = 0x20000, ITEM_MONTH = 0x2000e };

static char *name(char *at, int number) {
    at[0] = NAMES[number][0], at[1] = NAMES[number][1], at[2] = NAMES[number][2], at[3] = ' ';
    return at + 4;
}

static char *two(char *at, unsigned value, char behind) {
    at[0] = (char)('0' + value / 10), at[1] = (char)('0' + value % 10), at[2] = behind;
    return at + 3;
}

char *__asctime_r(const struct brawn_tm *restrict tm, char *restrict to) {
    const unsigned day = (unsigned)tm->tm_mday, hour = (unsigned)tm->tm_hour, minute = (unsigned)tm->tm_min,
                   second = (unsigned)tm->tm_sec, year = 1900 + (unsigned)tm->tm_year;
    const unsigned week_day = (unsigned)tm->tm_wday, month = (unsigned)tm->tm_mon;
    if (day >= 100 || hour >= 100 || minute >= 100 || second >= 100 || year - 1000 >= 9000 || week_day >= 7 ||
        month >= 12) {
        if (snprintf(to, 26, "%.3s %.3s%3d %.2d:%.2d:%.2d %d\n",
                     __nl_langinfo_l((int)(ITEM_DAY + week_day), __c_locale),
                     __nl_langinfo_l((int)(ITEM_MONTH + month), __c_locale), tm->tm_mday, tm->tm_hour,
                     tm->tm_min, tm->tm_sec, (int)year) >= 26) {
            /* ISO C lets it write past the end; musl ends the program. */
            __builtin_trap();
        }
        return to;
    }
    char *at = name(name(to, (int)week_day), (int)(MONTHS + month));
    at = two(at, day, ' ');
    if (day < 10) {
        at[-3] = ' ';
    }
    at = two(two(two(at, hour, ':'), minute, ':'), second, ' ');
    two(two(at, year / 100, 0) - 1, year % 100, '\n')[0] = 0;
    return to;
}

WEAK_ALIAS(__asctime_r, asctime_r);
