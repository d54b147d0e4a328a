/* strftime without printf: each conversion goes straight to its place. What each prints, with every flag and width, is
 * musl's. The names and forms of a locale with a translation come from musl as before. */
#include "civil.h"

typedef const void *locale;

extern const char *__tm_to_tzname(const struct brawn_tm *tm);
/* Of the thread's locale, and of this one. */
extern const char *__nl_langinfo(int item);
extern const char *__nl_langinfo_l(int item, locale locale);

PUBLIC size_t __strftime_l(char *restrict to, size_t size, const char *restrict format,
                           const struct brawn_tm *restrict tm, locale locale);
PUBLIC size_t strftime(char *restrict to, size_t size, const char *restrict format,
                       const struct brawn_tm *restrict tm);
PUBLIC const char *__strftime_fmt_1(char (*to)[100], size_t *length, int conversion,
                                    const struct brawn_tm *tm, locale locale, int pad);

/* musl's numbers of what a locale has for times: LC_TIME is 2. */
enum {
    ITEM_DAY = 0x20000,
    ITEM_LONG_DAY = 0x20007,
    ITEM_MONTH = 0x2000e,
    ITEM_LONG_MONTH = 0x2001a,
    ITEM_AM = 0x20026,
    ITEM_DATE_TIME = 0x20028,
    ITEM_DATE = 0x20029,
    ITEM_TIME = 0x2002a,
    ITEM_TIME_AM = 0x2002b,
    ITEM_LOCALE = 0x2ffff, /* the locale's name */
};

/* More than the longest of any conversion that is written here: that of %c, with no number of its usual size. */
#define ROOM 100

/* Of no locale but the one that has no translation. Not pointers, which would want relocations. */
static const char DAYS[7][10] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                 "Thursday", "Friday", "Saturday"};
static const char MONTHS[12][10] = {"January", "February", "March",     "April",   "May",      "June",
                                    "July",    "August",   "September", "October", "November", "December"};

struct text {
    const char *start;
    size_t length;
};

/* Whose names are wanted; a locale of NULL is the thread's. */
struct names {
    locale locale;
    int plain; /* whether it has no translation; -1 until that is asked */
};

static const char *item_of(const struct names *names, int item) {
    return names->locale ? __nl_langinfo_l(item, names->locale) : __nl_langinfo(item);
}

static bool plain(struct names *names) {
    if (names->plain < 0) {
        const char *const name = item_of(names, ITEM_LOCALE);
        names->plain = name[0] == 'C' && !name[1];
    }
    return names->plain;
}

static struct text text(const char *start) {
    size_t length = 0;
    while (start[length])
        length++;
    return (struct text){start, length};
}

static char *two(char *at, unsigned value) {
    at[0] = (char)('0' + value / 10);
    at[1] = (char)('0' + value % 10);
    return at + 2;
}

/* As printf's %lld: with that width, filled by zeros behind the sign or blanks before it. */
__attribute__((noinline)) static char *number(char *at, int64_t value, int width, int pad) {
    if (pad == '0' && (uint64_t)value < 10000) {
        const unsigned small = (unsigned)value;
        if (width == 2 && small < 100)
            return two(at, small);
        if (width == 4)
            return two(two(at, small / 100), small % 100);
        if (width == 3 && small < 1000) {
            *at = (char)('0' + small / 100);
            return two(at + 1, small % 100);
        }
        if (width == 1 && small < 10) {
            *at = (char)('0' + small);
            return at + 1;
        }
    }
    char digits[20];
    int count = 0;
    const bool minus = value < 0;
    uint64_t rest = minus ? -(uint64_t)value : (uint64_t)value;
    do {
        digits[count++] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest);
    int fill = pad == '-' ? 0 : width - count - minus;
    if (pad == '_') {
        for (; fill > 0; fill--)
            *at++ = ' ';
    }
    if (minus)
        *at++ = '-';
    for (; fill > 0; fill--)
        *at++ = '0';
    while (count)
        *at++ = digits[--count];
    return at;
}

static bool leap(int64_t year) {
    return year % 4 == 0 && (year % 100 || year % 400 == 0);
}

/* The week of ISO 8601; fields out of range give what they give in musl. */
__attribute__((noinline)) static int week(const struct brawn_tm *tm) {
    const unsigned weekday = (unsigned)tm->tm_wday, day = (unsigned)tm->tm_yday;
    int number = (int)((day + 7 - (weekday + 6) % 7) / 7);
    /* The first of January is at most three days after a Monday: that week is this year's. */
    if ((weekday + 371 - day - 2) % 7 <= 2)
        number++;
    if (!number) {
        const unsigned last = (weekday + 7 - day - 1) % 7;
        return 52 + (last == 4 || (last == 5 && leap(1900 + tm->tm_year % 400 - 1)));
    }
    if (number == 53) {
        const unsigned first = (weekday + 371 - day) % 7;
        if (first != 4 && (first != 3 || !leap(1900 + (int64_t)tm->tm_year)))
            return 1;
    }
    return number;
}

__attribute__((noinline)) static char *time_of_day(char *at, const struct brawn_tm *tm, bool seconds) {
    at = number(at, tm->tm_hour, 2, '0');
    *at++ = ':';
    at = number(at, tm->tm_min, 2, '0');
    if (!seconds)
        return at;
    *at++ = ':';
    return number(at, tm->tm_sec, 2, '0');
}

static char *year(char *at, const struct brawn_tm *tm, int pad) {
    const int64_t value = 1900 + (int64_t)tm->tm_year;
    if (value >= 1000 && value < 10000)
        return two(two(at, (unsigned)value / 100), (unsigned)value % 100);
    if (value >= 10000) {
        *at++ = '+';
        pad = '-';
    }
    return number(at, value, 4, pad);
}

static int64_t short_year(const struct brawn_tm *tm) {
    const int64_t value = (1900 + (int64_t)tm->tm_year) % 100;
    return value < 0 ? -value : value;
}

__attribute__((noinline)) static char *american(char *at, const struct brawn_tm *tm) {
    at = number(at, tm->tm_mon + 1LL, 2, '0');
    *at++ = '/';
    at = number(at, tm->tm_mday, 2, '0');
    *at++ = '/';
    return number(at, short_year(tm), 2, '0');
}

static char *short_name(char *at, const char (*names)[10], unsigned index, unsigned count) {
    if (index >= count) {
        *at = '-';
        return at + 1;
    }
    for (int i = 0; i < 3; i++)
        at[i] = names[index][i];
    return at + 3;
}

static int twelve(const struct brawn_tm *tm) {
    const int hour = tm->tm_hour;
    return !hour ? 12 : hour > 12 ? hour - 12 : hour;
}

static size_t print(char *restrict to, size_t size, const char *restrict format,
                    const struct brawn_tm *restrict tm, struct names *names);

/* One conversion, to `to`, where there is room for ROOM, or where it is already. NULL for none. */
static struct text convert(char *to, int conversion, const struct brawn_tm *tm, struct names *names,
                           int pad) {
    const int fill = pad ? pad : '0';
    char *end = to;
    int64_t value;
    int item, width = 2;
    switch (conversion) {
    case 'a':
    case 'A':
    case 'h':
    case 'b':
    case 'B': {
        const bool day = (conversion | 32) == 'a', whole = conversion == 'A' || conversion == 'B';
        const unsigned index = (unsigned)(day ? tm->tm_wday : tm->tm_mon);
        if (index >= (day ? 7u : 12u))
            return text("-");
        if (!plain(names)) {
            item = day ? whole ? ITEM_LONG_DAY : ITEM_DAY : whole ? ITEM_LONG_MONTH : ITEM_MONTH;
            return text(item_of(names, item + (int)index));
        }
        const char *const name = day ? DAYS[index] : MONTHS[index];
        return whole ? text(name) : (struct text){name, 3};
    }
    case 'c':
        if (!plain(names)) {
            item = ITEM_DATE_TIME;
            goto form;
        }
        end = short_name(end, DAYS, (unsigned)tm->tm_wday, 7);
        *end++ = ' ';
        end = short_name(end, MONTHS, (unsigned)tm->tm_mon, 12);
        *end++ = ' ';
        end = number(end, tm->tm_mday, 2, '_');
        *end++ = ' ';
        end = time_of_day(end, tm, true);
        *end++ = ' ';
        end = year(end, tm, '0');
        break;
    case 'C':
        value = (1900 + (int64_t)tm->tm_year) / 100;
        goto number;
    case 'e':
        end = number(end, tm->tm_mday, 2, pad ? pad : '_');
        break;
    case 'd':
        value = tm->tm_mday;
        goto number;
    case 'x':
        if (!plain(names)) {
            item = ITEM_DATE;
            goto form;
        }
        end = american(end, tm);
        break;
    case 'D':
        end = american(end, tm);
        break;
    case 'F':
        end = year(end, tm, '0');
        *end++ = '-';
        end = number(end, tm->tm_mon + 1LL, 2, '0');
        *end++ = '-';
        end = number(end, tm->tm_mday, 2, '0');
        break;
    case 'g':
    case 'G':
        value = 1900 + (int64_t)tm->tm_year;
        if (tm->tm_yday < 3 && week(tm) != 1)
            value--;
        else if (tm->tm_yday > 360 && week(tm) == 1)
            value++;
        if (conversion == 'g')
            value %= 100;
        else
            width = 4;
        goto number;
    case 'H':
        value = tm->tm_hour;
        goto number;
    case 'I':
        value = twelve(tm);
        goto number;
    case 'j':
        value = (int)((unsigned)tm->tm_yday + 1);
        width = 3;
        goto number;
    case 'm':
        value = (int)((unsigned)tm->tm_mon + 1);
        goto number;
    case 'M':
        value = tm->tm_min;
        goto number;
    case 'n':
        return (struct text){"\n", 1};
    case 'p':
        if (!plain(names))
            return text(item_of(names, ITEM_AM + (tm->tm_hour >= 12)));
        return (struct text){tm->tm_hour >= 12 ? "PM" : "AM", 2};
    case 'r':
        if (!plain(names)) {
            item = ITEM_TIME_AM;
            goto form;
        }
        end = number(end, twelve(tm), 2, '0');
        *end++ = ':';
        end = number(end, tm->tm_min, 2, '0');
        *end++ = ':';
        end = number(end, tm->tm_sec, 2, '0');
        *end++ = ' ';
        *end++ = tm->tm_hour >= 12 ? 'P' : 'A';
        *end++ = 'M';
        break;
    case 'R':
        end = time_of_day(end, tm, false);
        break;
    case 's':
        value = civil_seconds(tm) - tm->tm_gmtoff;
        width = 1;
        goto number;
    case 'S':
        value = tm->tm_sec;
        goto number;
    case 't':
        return (struct text){"\t", 1};
    case 'X':
        if (!plain(names)) {
            item = ITEM_TIME;
            goto form;
        }
        end = time_of_day(end, tm, true);
        break;
    case 'T':
        end = time_of_day(end, tm, true);
        break;
    case 'u':
        value = tm->tm_wday ? tm->tm_wday : 7;
        width = 1;
        goto number;
    case 'U':
        value = ((unsigned)tm->tm_yday + 7 - (unsigned)tm->tm_wday) / 7;
        goto number;
    case 'W':
        value = ((unsigned)tm->tm_yday + 7 - ((unsigned)tm->tm_wday + 6) % 7) / 7;
        goto number;
    case 'V':
        value = week(tm);
        goto number;
    case 'w':
        value = tm->tm_wday;
        width = 1;
        goto number;
    case 'y':
        value = short_year(tm);
        goto number;
    case 'Y':
        end = year(end, tm, fill);
        break;
    case 'z':
        if (tm->tm_isdst < 0)
            return text("");
        if (tm->tm_gmtoff > -(100 * 3600) && tm->tm_gmtoff < 100 * 3600) {
            const unsigned minutes = (unsigned)(tm->tm_gmtoff < 0 ? -tm->tm_gmtoff : tm->tm_gmtoff) / 60;
            *end++ = tm->tm_gmtoff <= -60 ? '-' : '+';
            end = two(two(end, minutes / 60), minutes % 60);
            break;
        }
        value = tm->tm_gmtoff / 3600 * 100 + tm->tm_gmtoff % 3600 / 60;
        *end++ = value < 0 ? '-' : '+';
        end = number(end, value < 0 ? -value : value, 4, '0');
        break;
    case 'Z':
        return text(tm->tm_isdst < 0 ? "" : __tm_to_tzname(tm));
    case '%':
        return (struct text){"%", 1};
    default:
        return (struct text){NULL, 0};
    number:
        end = number(end, value, width, fill);
        break;
    form:
        {
            const size_t length = print(to, ROOM, item_of(names, item), tm, names);
            return (struct text){length ? to : NULL, length};
        }
    }
    return (struct text){to, (size_t)(end - to)};
}

static bool digit(char c) {
    return (unsigned)c - '0' < 10;
}

static size_t print(char *restrict to, size_t size, const char *restrict format,
                    const struct brawn_tm *restrict tm, struct names *names) {
    size_t at = 0;
    for (; at < size; format++) {
        if (!*format) {
            to[at] = 0;
            return at;
        }
        if (*format != '%') {
            to[at++] = *format;
            continue;
        }
        format++;
        if (((unsigned)*format | 32) - 'a' < 26 && *format != 'E' && *format != 'O' && size - at >= ROOM) {
            /* A letter alone. */
            const struct text part = convert(to + at, *format, tm, names, 0);
            if (!part.start)
                break;
            size_t length = part.length;
            if (part.start != to + at) {
                if (length > size - at)
                    length = size - at;
                for (size_t i = 0; i < length; i++)
                    to[at + i] = part.start[i];
            }
            at += length;
            continue;
        }
        int pad = 0;
        if (*format == '-' || *format == '_' || *format == '0')
            pad = *format++;
        const bool plus = *format == '+';
        if (plus)
            format++;
        const char *const digits = format;
        unsigned long width = 0;
        for (; digit(*format); format++) {
            const unsigned long one = (unsigned long)(*format - '0');
            width = width > (ULONG_MAX - one) / 10 ? ULONG_MAX : 10 * width + one;
        }
        const char sized = *format;
        if (sized == 'C' || sized == 'F' || sized == 'G' || sized == 'Y') {
            if (!width && format != digits)
                width = 1;
        } else {
            width = 0;
        }
        if (*format == 'E' || *format == 'O')
            format++;
        char buffer[ROOM];
        char *const place = width || size - at < ROOM ? buffer : to + at;
        struct text part = convert(place, *format, tm, names, pad);
        if (!part.start)
            break;
        if (width) {
            /* The sign and zeros at the front are counted anew. */
            if (*part.start == '+' || *part.start == '-')
                part.start++, part.length--;
            while (*part.start == '0' && part.length > 1 && digit(part.start[1]))
                part.start++, part.length--;
            if (width < part.length)
                width = part.length;
            size_t count = 0;
            while (count < part.length && digit(part.start[count]))
                count++;
            if (tm->tm_year < -1900) {
                to[at++] = '-';
                width--;
            } else if (plus && count + (width - part.length) >= (sized == 'C' ? 3 : 5)) {
                to[at++] = '+';
                width--;
            }
            for (; width > part.length && at < size; width--)
                to[at++] = '0';
        }
        if (part.length > size - at)
            part.length = size - at;
        if (part.start != to + at) {
            for (size_t i = 0; i < part.length; i++)
                to[at + i] = part.start[i];
        }
        at += part.length;
    }
    if (size)
        to[at == size ? size - 1 : at] = 0;
    return 0;
}

size_t __strftime_l(char *restrict to, size_t size, const char *restrict format,
                    const struct brawn_tm *restrict tm, locale locale) {
    struct names names = {locale, -1};
    return print(to, size, format, tm, &names);
}

WEAK_ALIAS(__strftime_l, strftime_l);

size_t strftime(char *restrict to, size_t size, const char *restrict format,
                const struct brawn_tm *restrict tm) {
    struct names names = {NULL, -1};
    return print(to, size, format, tm, &names);
}

/* For wcsftime, which wants an end behind the text. */
const char *__strftime_fmt_1(char (*to)[100], size_t *length, int conversion, const struct brawn_tm *tm,
                             locale locale, int pad) {
    struct names names = {locale, -1};
    const struct text part = convert(*to, conversion, tm, &names, pad);
    *length = part.length;
    if (part.start != *to && (!part.start || !part.start[part.length]))
        return part.start;
    for (size_t i = 0; i < part.length; i++)
        (*to)[i] = part.start[i];
    (*to)[part.length] = 0;
    return *to;
}
