/* The time zone: what the text of TZ means, parsed once and never changed or freed afterwards, so that it is read
 * without a lock, and a `tm_zone` stays valid for ever. */
#ifndef BRAWN_ZONE_H
#define BRAWN_ZONE_H

#include "civil.h"

/* One kind of time in a zone. */
struct kind {
    int32_t offset; /* seconds east of Greenwich */
    int32_t dst;
    const char *name;
};

/* The file that a zone was read from. */
struct zone_file {
    uint64_t device, inode, size;
    int64_t seconds, nanoseconds; /* of its last change */
};

#define ZONE_MOST_BUCKETS 1024
#define ZONE_BUCKET_SHIFT 23 /* 97 days */

struct zone {
    const struct zone *next; /* known before it */
    const char *text;        /* of TZ, with 8 readable bytes behind its end */
    uint32_t length;         /* of the text, with its end */
    bool localtime;          /* the text is that of a TZ that is not set */

    bool two;          /* has standard and daylight saving time by the rule */
    bool rule;         /* the rule holds from the last transition on */
    bool local_sorted; /* `local` ascends, and no offset is longer than ZONE_MARGIN */

    /* The transitions: at `utc[i]` begins `kinds[index[i]]`; `local[i]` is the same in the time before it. */
    uint32_t count;
    const int64_t *utc, *local;
    const uint8_t *index;
    const struct kind *kinds, *before;

    /* The last transition at the start of each span of 2^shift seconds from `base` on. */
    int64_t base;
    uint32_t buckets, shift;
    const uint16_t *bucket;

    /* The rule: seconds from a year's start to the start of daylight saving time and to its end, both in the time
     * before, for each of the 14 kinds of year: by the weekday of its first day, and then those that leap. */
    struct kind standard, daylight;
    int64_t changes[14][2];

    const char *names, *names_end;
    const char *tzname[2];
    int64_t timezone;
    bool from_file;
    struct zone_file file;
};

#define ZONE_MARGIN (1 << 17)

extern const struct zone *__brawn_zone __attribute__((visibility("hidden")));
__attribute__((visibility("hidden"))) const struct zone *__brawn_zone_find(const char *text);

extern char **__environ;

static inline const char *zone_text(void) {
    char *const *entry = __environ;
    if (!entry)
        return NULL;
    for (const char *text; (text = *entry); entry++) {
        if (text[0] == 'T' && text[1] == 'Z' && text[2] == '=')
            return text + 3;
    }
    return NULL;
}

typedef uint64_t zone_word __attribute__((may_alias, aligned(1)));

/* Whether the text is the zone's. By words, unless they could reach into the next page. */
static inline bool zone_is(const struct zone *zone, const char *text) {
    const char *const own = zone->text;
    const uint32_t length = zone->length;
    if (((uintptr_t)text & 4095) > 4096 - 64 || length > 64) {
        uint32_t i = 0;
        while (text[i] == own[i]) {
            if (!own[i++])
                return true;
        }
        return false;
    }
    uint32_t i = 0;
    for (; i + 8 <= length; i += 8) {
        if (*(const zone_word *)(text + i) != *(const zone_word *)(own + i))
            return false;
    }
    if (i == length)
        return true;
    const uint64_t differ = *(const zone_word *)(text + i) ^ *(const zone_word *)(own + i);
    return !(differ << (64 - 8 * (length - i)));
}

/* The zone of this moment's TZ. */
static inline const struct zone *zone_now(void) {
    const char *text = zone_text();
    const struct zone *const zone = __atomic_load_n(&__brawn_zone, __ATOMIC_ACQUIRE);
    if (text && !*text)
        text = __utc;
    if (zone && (text ? zone_is(zone, text) : zone->localtime))
        return zone;
    return __brawn_zone_find(text);
}

/* The last of the transitions `at` that is not after `time`, or 0. */
static inline uint32_t zone_search(const struct zone *zone, const int64_t *at, int64_t time, int64_t margin) {
    uint32_t low = 0, count = zone->count;
    const uint64_t from = (uint64_t)(time - margin - zone->base) >> zone->shift;
    const uint64_t to = (uint64_t)(time + margin - zone->base) >> zone->shift;
    if (to < zone->buckets && from <= to) {
        low = zone->bucket[from];
        count = zone->bucket[to + 1] - low + 1u;
    }
    while (count > 1) {
        const uint32_t middle = low + count / 2;
        if (time < at[middle]) {
            count /= 2;
        } else {
            low = middle;
            count -= count / 2;
        }
    }
    return low;
}

/* Which of the rule's two kinds holds. */
static inline const struct kind *zone_rule(const struct zone *zone, int64_t time, bool local) {
    if (!zone->two)
        return &zone->standard;
    const struct civil_day at = civil_day(time);
    const struct civil_year year = civil_year(at.days);
    const bool new_year = year.day >= 306;
    /* The calendar's year, its first day, and whether it leaps. */
    const uint32_t in_century = year.in_century + new_year;
    const bool leap = in_century == 100 ? (year.century + 1) % 4 == 0 : civil_leap(year.century, in_century);
    const int64_t day = new_year ? (int64_t)year.day - 306 : (int64_t)year.day + 59 + leap;
    const uint32_t weekday = (uint32_t)((year.from_start + 3 + 7 * 53 - (uint64_t)day) % 7);
    const int64_t start = (at.days - day) * DAY;
    const int64_t *const changes = zone->changes[weekday + (leap ? 7 : 0)];
    const int64_t begin = start + changes[0] - (local ? 0 : zone->standard.offset);
    const int64_t end = start + changes[1] - (local ? 0 : zone->daylight.offset);
    const bool dst = begin < end ? time >= begin && time < end : !(time >= end && time < begin);
    return dst ? &zone->daylight : &zone->standard;
}

/* The kind of time that holds at `time`, in seconds since 1970 in Greenwich. */
static inline const struct kind *zone_at(const struct zone *zone, int64_t time) {
    const uint32_t count = zone->count;
    if (!count)
        return zone->kinds ? zone->kinds : zone_rule(zone, time, false);
    if (time >= zone->utc[count - 1]) {
        return zone->rule ? zone_rule(zone, time, false) : &zone->kinds[zone->index[count - 1]];
    }
    const uint32_t at = zone_search(zone, zone->utc, time, 0);
    return at || time >= zone->utc[0] ? &zone->kinds[zone->index[at]] : zone->before;
}

/* The same for seconds in local time. `other` is the kind beside it with the opposite of its daylight saving, or the
 * same one. */
static inline const struct kind *zone_at_local(const struct zone *zone, int64_t time,
                                               const struct kind **other) {
    const uint32_t count = zone->count;
    if (!count && zone->kinds)
        return *other = zone->kinds;
    uint32_t at = 0;
    if (count) {
        const int64_t margin = zone->local_sorted ? ZONE_MARGIN : INT64_MAX / 4;
        at = zone_search(zone, zone->local, time, margin);
        if (at == 0 && time < zone->local[0]) {
            *other = &zone->kinds[zone->index[0]];
            return zone->before;
        }
    }
    if (!count || (at == count - 1 && zone->rule)) {
        const struct kind *const kind = zone_rule(zone, time, true);
        *other = kind == &zone->daylight || !zone->two ? &zone->standard : &zone->daylight;
        return kind;
    }
    const struct kind *const kind = &zone->kinds[zone->index[at]];
    const struct kind *const left = at ? &zone->kinds[zone->index[at - 1]] : kind;
    const struct kind *const right = at + 1 < count ? &zone->kinds[zone->index[at + 1]] : kind;
    *other = left->dst != kind->dst ? left : right->dst != kind->dst ? right : kind;
    return kind;
}

static inline bool zone_local(const struct zone *zone, int64_t time, struct brawn_tm *tm) {
    if (time < TIME_LEAST || time > TIME_MOST)
        return false;
    const struct kind *const kind = zone_at(zone, time);
    tm->tm_isdst = kind->dst;
    tm->tm_gmtoff = kind->offset;
    tm->tm_zone = kind->name;
    return civil_fill(time + kind->offset, tm);
}

#endif
