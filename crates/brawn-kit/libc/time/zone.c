/* What TZ says: reads it, keeps every zone that it named, and publishes the present one. */
#include "../system.h"
#include "zone.h"

PUBLIC long __timezone;
PUBLIC int __daylight;
PUBLIC char *__tzname[2];
WEAK_ALIAS(__timezone, timezone);
WEAK_ALIAS(__daylight, daylight);
WEAK_ALIAS(__tzname, tzname);

const char __utc[4] = "UTC";

/* Of musl: taken by fork, so that a child finds no zone half read. */
extern void __lock(volatile int *lock);
extern void __unlock(volatile int *lock);
extern unsigned long getauxval(unsigned long type);

static volatile int lock[1];
PUBLIC extern volatile int *const __timezone_lockptr;
volatile int *const __timezone_lockptr = lock;

PUBLIC void __secs_to_zone(long long time, int local, int *dst, long *offset, long *other_offset,
                           const char **name);
PUBLIC const char *__tm_to_tzname(const struct brawn_tm *tm);
PUBLIC void tzset(void);

#define NAME_MOST 6 /* of a name in a rule: musl's TZNAME_MAX */
#define TEXT_MOST 4097
#define FILE_MOST (16 << 20)
#define PATH_NAME_MOST 255

static const char utc_text[16] = "UTC";
static const char localtime_text[] = "/etc/localtime";

/* UTC, which is also what an unknown zone means. */
static const struct zone utc = {
    .text = utc_text,
    .length = 4,
    .standard = {0, 0, __utc},
    .daylight = {0, 0, utc_text + 3},
    .names = __utc,
    .names_end = __utc + sizeof __utc,
    .tzname = {__utc, utc_text + 3},
};

const struct zone *__brawn_zone;

/* All that were ever read, the latest first. */
static const struct zone *zones = &utc;

/* The piece of memory that the next zones go to. */
static char *piece, *piece_end;

static void *map(size_t size) {
    /* Readable and writable, private and anonymous. */
    const long at = system_call(SYS_MMAP, 0, (long)size, 3, 0x22, -1, 0);
    return at < 0 && at > -4096 ? NULL : (void *)at;
}

static void *keep(size_t size) {
    size = (size + 15) & -(size_t)16;
    if (size > (size_t)(piece_end - piece)) {
        const size_t whole = size > 1 << 15 ? (size + 4095) & -(size_t)4096 : 1 << 16;
        char *const memory = map(whole);
        if (!memory)
            return NULL;
        piece = memory;
        piece_end = memory + whole;
    }
    void *const memory = piece;
    piece += size;
    return memory;
}

static size_t length(const char *text) {
    size_t count = 0;
    while (text[count])
        count++;
    return count;
}

static void copy(char *to, const char *from, size_t count) {
    while (count--)
        *to++ = *from++;
}

static bool equal(const char *a, const char *b) {
    while (*a == *b && *a)
        a++, b++;
    return *a == *b;
}

/* The parts of a rule, which may have any text: numbers wrap around. */
static bool digit(char c) {
    return (unsigned)c - '0' < 10;
}

static uint32_t number(const char **text) {
    uint32_t value = 0;
    for (; digit(**text); ++*text)
        value = 10 * value + (uint32_t)(**text - '0');
    return value;
}

static int32_t offset(const char **text) {
    const bool minus = **text == '-';
    if (minus || **text == '+')
        ++*text;
    uint32_t value = 3600 * number(text);
    if (**text == ':') {
        ++*text;
        value += 60 * number(text);
        if (**text == ':') {
            ++*text;
            value += number(text);
        }
    }
    return (int32_t)(minus ? -value : value);
}

static void name(char to[NAME_MOST + 1], const char **text) {
    const bool quoted = **text == '<';
    if (quoted)
        ++*text;
    size_t count = 0;
    for (char c; (c = **text) && (quoted ? c != '>' : ((unsigned)c | 32) - 'a' < 26); ++*text) {
        if (count < NAME_MOST)
            to[count++] = c;
    }
    if (quoted && **text)
        ++*text;
    to[count] = 0;
}

struct change {
    char form; /* M, J or 0 */
    int32_t number, week, weekday;
    int32_t seconds;
};

static struct change change(const char **text) {
    struct change change = {**text, 0, 0, 0, 7200};
    if (change.form == 'M') {
        ++*text;
        change.number = (int32_t)number(text);
        if (**text)
            ++*text;
        change.week = (int32_t)number(text);
        if (**text)
            ++*text;
        change.weekday = (int32_t)number(text);
    } else {
        if (change.form == 'J')
            ++*text;
        else
            change.form = 0;
        change.number = (int32_t)number(text);
    }
    if (**text == '/') {
        ++*text;
        change.seconds = offset(text);
    }
    return change;
}

/* Seconds from the start of a year that begins on that weekday. */
static int64_t change_in(const struct change *change, int64_t weekday, bool leap) {
    int64_t days = change->number;
    if (change->form == 'M') {
        static const uint16_t before[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365};
        const unsigned month = (unsigned)change->number - 1 < 12 ? (unsigned)change->number - 1 : 0;
        const int64_t first = before[month] + (leap && month >= 2);
        const int64_t in_month = before[month + 1] - before[month] + (leap && month == 1);
        int64_t day = change->weekday - (weekday + first) % 7;
        int64_t week = change->week;
        if (day < 0)
            day += 7;
        if (week == 5 && day + 28 >= in_month)
            week = 4;
        days = first + day + 7 * (week - 1);
    } else if (change->form == 'J' && (change->number < 60 || !leap)) {
        days--;
    }
    return DAY * days + change->seconds;
}

#define RULE_NAMES (2 * (NAME_MOST + 1))

/* Reads a rule as in POSIX into the zone, its names to `names`. */
static void read_rule(struct zone *zone, const char *text, char names[RULE_NAMES]) {
    char *const daylight = names + NAME_MOST + 1;
    name(names, &text);
    const int32_t west = offset(&text);
    name(daylight, &text);
    int32_t west_daylight = west;
    zone->two = *daylight;
    if (zone->two) {
        const bool said = *text == '+' || *text == '-' || digit(*text);
        west_daylight = said ? offset(&text) : (int32_t)((uint32_t)west - 3600);
    }
    struct change changes[2] = {{0, 0, 0, 0, 0}, {0, 0, 0, 0, 0}};
    for (int i = 0; i < 2; i++) {
        if (*text == ',') {
            text++;
            changes[i] = change(&text);
        }
    }
    for (int year = 0; year < 14; year++) {
        for (int i = 0; i < 2; i++)
            zone->changes[year][i] = change_in(&changes[i], year % 7, year >= 7);
    }
    zone->standard = (struct kind){(int32_t)-(uint32_t)west, 0, names};
    zone->daylight = (struct kind){(int32_t)-(uint32_t)west_daylight, 1, daylight};
    zone->tzname[0] = names;
    zone->tzname[1] = daylight;
    zone->timezone = west;
}

static uint32_t big32(const uint8_t *at) {
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static int64_t big64(const uint8_t *at) {
    return (int64_t)((uint64_t)big32(at) << 32 | big32(at + 4));
}

/* What a file says, as it lies in the file. */
struct contents {
    uint32_t width; /* of a time: 4 or 8 */
    uint32_t times, kinds, letters;
    const uint8_t *time, *index, *kind, *letter;
    const char *rule; /* NULL or empty where none holds after the last time */
};

static bool read_header(const uint8_t *data, size_t size, uint32_t width, struct contents *to,
                        size_t *whole) {
    if (size < 44 || data[0] != 'T' || data[1] != 'Z' || data[2] != 'i' || data[3] != 'f')
        return false;
    uint64_t need = 44;
    to->width = width;
    to->times = big32(data + 32);
    to->kinds = big32(data + 36);
    to->letters = big32(data + 40);
    to->time = data + need;
    need += (uint64_t)to->times * width;
    to->index = data + need;
    need += to->times;
    to->kind = data + need;
    need += 6 * (uint64_t)to->kinds;
    to->letter = data + need;
    need += to->letters;
    need += (uint64_t)big32(data + 28) * (width + 4) + big32(data + 24) + big32(data + 20);
    *whole = (size_t)need;
    return need <= size;
}

/* `data` has a byte more than `size`. False when the file contradicts itself: nothing in it is then believed. */
static bool read_contents(uint8_t *data, size_t size, struct contents *to) {
    size_t whole;
    if (!read_header(data, size, 4, to, &whole))
        return false;
    to->rule = NULL;
    if (data[4] && data[4] != '1') {
        data += whole;
        size -= whole;
        if (!read_header(data, size, 8, to, &whole))
            return false;
        if (size > whole + 1 && data[size - 1] == '\n') {
            size_t start = size - 1;
            while (start > whole && data[start - 1] != '\n')
                start--;
            data[size - 1] = 0;
            to->rule = (const char *)data + start;
        }
    }
    if (!to->kinds || to->kinds > 256)
        return false;
    for (uint32_t i = 0; i < to->times; i++) {
        if (to->index[i] >= to->kinds)
            return false;
    }
    for (uint32_t i = 0; i < to->kinds; i++) {
        if (to->kind[6 * i + 5] >= to->letters)
            return false;
    }
    return true;
}

/* Fills the table that finds the transitions near a time. */
static void fill_buckets(struct zone *zone, uint16_t *bucket) {
    const uint32_t count = zone->count;
    if (count < 2 || count > UINT16_MAX)
        return;
    const int64_t early = -(INT64_C(1) << 33), last = zone->utc[count - 1];
    zone->base = zone->utc[0] < early ? early : zone->utc[0];
    if (last < zone->base)
        return;
    zone->shift = ZONE_BUCKET_SHIFT;
    while ((last - zone->base) >> zone->shift >= ZONE_MOST_BUCKETS - 1)
        zone->shift++;
    zone->buckets = (uint32_t)((last - zone->base) >> zone->shift) + 1;
    zone->bucket = bucket;
    uint32_t at = 0;
    for (uint32_t i = 0; i <= zone->buckets; i++) {
        const int64_t start = zone->base + ((int64_t)i << zone->shift);
        while (at + 1 < count && zone->utc[at + 1] <= start)
            at++;
        bucket[i] = (uint16_t)at;
    }
}

/* A zone of this text; of the file's contents, or of the rule. NULL without memory. */
static struct zone *make(const char *text, const char *rule, const struct contents *from) {
    const size_t text_size = length(text) + 1;
    const size_t times = from ? from->times : 0, kinds = from ? from->kinds : 0;
    const size_t letters = (from ? from->letters + 1 : 0) + RULE_NAMES;
    const size_t buckets = times > 1 ? ZONE_MOST_BUCKETS + 1 : 0;
    struct zone *const zone =
        keep(sizeof(struct zone) + kinds * sizeof(struct kind) + 2 * times * sizeof(int64_t) +
             buckets * sizeof(uint16_t) + times + letters + text_size + 8);
    if (!zone)
        return NULL;
    struct kind *const kind = (struct kind *)(zone + 1);
    int64_t *const at = (int64_t *)(kind + kinds), *const local = at + times;
    uint16_t *const bucket = (uint16_t *)(local + times);
    uint8_t *const index = (uint8_t *)(bucket + buckets);
    char *const names = (char *)index + times, *const rule_names = names + letters - RULE_NAMES;
    char *const own_text = names + letters;
    copy(own_text, text, text_size);
    zone->text = own_text;
    zone->length = (uint32_t)text_size;
    zone->localtime = equal(text, localtime_text);
    zone->names = names;
    zone->names_end = names + letters;
    if (!from) {
        read_rule(zone, rule, rule_names);
        return zone;
    }
    copy(names, (const char *)from->letter, from->letters);
    zone->kinds = zone->before = kind;
    for (size_t i = kinds; i-- > 0;) {
        const uint8_t *const one = from->kind + 6 * i;
        kind[i] = (struct kind){(int32_t)big32(one), one[4], names + one[5]};
        if (!one[4])
            zone->before = &kind[i];
    }
    zone->count = (uint32_t)times;
    zone->utc = at;
    zone->local = local;
    zone->index = index;
    zone->local_sorted = true;
    const struct kind *before = zone->before;
    for (size_t i = 0; i < times; i++) {
        const int64_t far = INT64_C(1) << 60;
        const int64_t time =
            from->width == 8 ? big64(from->time + 8 * i) : (int32_t)big32(from->time + 4 * i);
        at[i] = time < -far ? -far : time > far ? far : time;
        local[i] = at[i] + before->offset;
        index[i] = from->index[i];
        if (i && at[i] < at[i - 1])
            zone->count = 0; /* seen by the caller */
        if ((i && local[i] < local[i - 1]) || before->offset > ZONE_MARGIN || before->offset < -ZONE_MARGIN) {
            zone->local_sorted = false;
        }
        before = &kind[index[i]];
    }
    if (zone->count)
        fill_buckets(zone, bucket);
    zone->rule = from->rule && *from->rule;
    if (zone->rule) {
        read_rule(zone, from->rule, rule_names);
    } else {
        const struct kind *first[2] = {NULL, NULL};
        for (size_t i = kinds; i-- > 0;)
            first[kind[i].dst != 0] = &kind[i];
        zone->two = first[1];
        if (first[0])
            zone->timezone = -(int64_t)first[0]->offset;
        zone->tzname[0] = first[0] ? first[0]->name : first[1]->name;
        zone->tzname[1] = first[1] ? first[1]->name : zone->tzname[0];
    }
    return zone;
}

static struct zone *make_from_file(const char *text, long file, const struct zone_file *about) {
    struct zone *zone = NULL;
    const size_t size = (size_t)about->size;
    if (size >= 44 && size <= FILE_MOST) {
        uint8_t *const data = map(size + 1);
        if (!data)
            return NULL;
        size_t got = 0;
        while (got < size) {
            const long part = system_call(SYS_READ, file, (long)(data + got), (long)(size - got), 0, 0, 0);
            if (part <= 0 && part != -4)
                break; /* -EINTR */
            if (part > 0)
                got += (size_t)part;
        }
        struct contents contents;
        if (read_contents(data, got, &contents)) {
            zone = make(text, NULL, &contents);
            if (zone && zone->count != contents.times)
                zone = NULL;
        }
        system_call(SYS_MUNMAP, (long)data, (long)(size + 1), 0, 0, 0, 0);
    }
    if (!zone)
        zone = make(text, utc_text, NULL);
    return zone;
}

static long open_file(const char *path, struct zone_file *about) {
    /* From the current directory, for reading, without waiting (a FIFO), closed by exec. */
    const long file = system_call(SYS_OPENAT, -100, (long)path, 04000 | 02000000, 0, 0, 0);
    if (file < 0)
        return file;
    struct system_stat stat;
    if (system_call(SYS_FSTAT, file, (long)&stat, 0, 0, 0, 0) == 0 && (stat.mode & 0170000) == 0100000) {
        *about = (struct zone_file){stat.device, stat.inode, (uint64_t)stat.size, stat.modified[0],
                                    stat.modified[1]};
        return file;
    }
    system_call(SYS_CLOSE, file, 0, 0, 0, 0, 0);
    return -1;
}

static bool is_rule(const char *text) {
    const char *rest = text;
    char first[NAME_MOST + 1];
    if (*text == ':')
        return false;
    name(first, &rest);
    return rest != text &&
           (*rest == '+' || *rest == '-' || digit(*rest) || equal(first, "UTC") || equal(first, "GMT"));
}

/* The file that the text names, or less than 0. In a program with more rights than its user, only below the usual
 * directories. */
static long open_named(const char *text, struct zone_file *about) {
    if (*text == ':')
        text++;
    if (*text == '/' || *text == '.') {
        const unsigned long secure = 23; /* AT_SECURE */
        if (!equal(text, localtime_text) && getauxval(secure))
            return -1;
        return open_file(text, about);
    }
    const size_t size = length(text);
    if (size > PATH_NAME_MOST)
        return -1;
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '.')
            return -1;
    }
    static const char folders[3][24] = {"/usr/share/zoneinfo/", "/share/zoneinfo/", "/etc/zoneinfo/"};
    char path[24 + PATH_NAME_MOST + 1];
    for (int i = 0; i < 3; i++) {
        const size_t start = length(folders[i]);
        copy(path, folders[i], start);
        copy(path + start, text, size + 1);
        const long file = open_file(path, about);
        if (file >= 0)
            return file;
    }
    return -1;
}

/* The zone of this text, as it is now: known, or read. */
static const struct zone *look_up(const char *text) {
    struct zone_file about = {0, 0, 0, 0, 0};
    const bool rule = is_rule(text);
    const long file = rule ? -1 : open_named(text, &about);
    const bool from_file = file >= 0;
    const struct zone *known = zones;
    for (; known; known = known->next) {
        if (known->from_file == from_file && known->file.inode == about.inode &&
            known->file.device == about.device && known->file.size == about.size &&
            known->file.seconds == about.seconds && known->file.nanoseconds == about.nanoseconds &&
            equal(known->text, text)) {
            break;
        }
    }
    if (!known) {
        struct zone *const made =
            from_file ? make_from_file(text, file, &about) : make(text, rule ? text : utc_text, NULL);
        if (made) {
            made->from_file = from_file;
            made->file = about;
            made->next = zones;
            __atomic_store_n(&zones, made, __ATOMIC_RELEASE);
        }
        known = made;
    }
    if (from_file)
        system_call(SYS_CLOSE, file, 0, 0, 0, 0, 0);
    return known;
}

/* Makes the zone of TZ's text, or of a TZ that is not set, the present one. Without memory it is UTC until the next
 * call. */
const struct zone *__brawn_zone_find(const char *text) {
    if (!text)
        text = localtime_text;
    if (length(text) > TEXT_MOST)
        text = utc_text;
    __lock(lock);
    const struct zone *zone = __brawn_zone;
    if (!zone || !equal(zone->text, text)) {
        zone = look_up(text);
        const struct zone *const told = zone ? zone : &utc;
        __timezone = told->timezone;
        __daylight = told->two;
        __tzname[0] = (char *)told->tzname[0];
        __tzname[1] = (char *)told->tzname[1];
        __atomic_store_n(&__brawn_zone, zone, __ATOMIC_RELEASE);
        zone = told;
    }
    __unlock(lock);
    return zone;
}

static void __tzset(void) {
    zone_now();
}

WEAK_ALIAS(__tzset, tzset);

/* For the members of musl that ask for it. */
void __secs_to_zone(long long time, int local, int *dst, long *offset, long *other_offset,
                    const char **name) {
    const struct zone *const zone = zone_now();
    const struct kind *other, *const local_kind = zone_at_local(zone, time, &other);
    const struct kind *const kind = local ? local_kind : zone_at(zone, time);
    *dst = kind->dst;
    *offset = kind->offset;
    *name = kind->name;
    if (other_offset)
        *other_offset = other->offset;
}

/* The name in a `struct tm`, or an empty one where the program has put something there that is no zone's. */
const char *__tm_to_tzname(const struct brawn_tm *tm) {
    const char *const name = tm->tm_zone;
    /* The zone that was asked for last, whatever TZ says now: it stays. */
    const struct zone *zone = __atomic_load_n(&__brawn_zone, __ATOMIC_ACQUIRE);
    if (name == __utc || (zone && name >= zone->names && name < zone->names_end))
        return name;
    for (zone = __atomic_load_n(&zones, __ATOMIC_ACQUIRE); zone; zone = zone->next) {
        if (name >= zone->names && name < zone->names_end)
            return name;
    }
    return utc_text + 3;
}
