/* Zone files with the odd rules of real places, made here: the tests do not need a machine's zone data. */
#ifndef ZONES_H
#define ZONES_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct type {
    int32_t offset;
    int dst;
    const char *name;
};

struct zone {
    const char *name;
    const char *rule; /* NULL: a file of version 1 */
    struct type types[6];
    struct {
        int64_t time;
        int type;
    } times[12];
};

static const struct zone ZONES[] = {
    /* Offsets of odd seconds, then daylight saving by the rule of the European Union. */
    {"amsterdam",
     "CET-1CEST,M3.5.0,M10.5.0/3",
     {{1172, 0, "LMT"},
      {1172, 0, "AMT"},
      {4772, 1, "NST"},
      {1200, 0, "+0020"},
      {7200, 1, "CEST"},
      {3600, 0, "CET"}},
     {{-4260212372, 1},
      {-1693700372, 2},
      {-1680484772, 1},
      {-1025745572, 3},
      {-935020800, 4},
      {-857257200, 5},
      {-844556400, 4},
      {-828226800, 5},
      {228877200, 4},
      {243997200, 5},
      {252464400, 4},
      {846378000, 5}}},
    /* Standard time is summer's, and winter's is daylight saving of a negative hour. */
    {"dublin",
     "IST-1GMT0,M10.5.0,M3.5.0/1",
     {{-1500, 0, "LMT"}, {-1521, 0, "DMT"}, {0, 0, "GMT"}, {3600, 0, "IST"}, {0, 1, "GMT"}},
     {{-2821649700, 1},
      {-1691962479, 2},
      {-37242000, 3},
      {57722400, 4},
      {69818400, 3},
      {89172000, 4},
      {1521940800, 3}}},
    /* Half an hour of daylight saving, in the south. */
    {"lord-howe",
     "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0",
     {{38180, 0, "LMT"}, {36000, 0, "AEST"}, {37800, 0, "+1030"}, {41400, 1, "+1130"}, {39600, 1, "+11"}},
     {{-2364114980, 1}, {352216800, 2}, {372785400, 3}, {384273000, 2}, {404839800, 4}, {1207407600, 2}}},
    /* A day left out. */
    {"apia",
     "<+13>-13",
     {{45184, 0, "LMT"},
      {-41216, 0, "LMT"},
      {-41400, 0, "-1130"},
      {-39600, 0, "-11"},
      {-36000, 1, "-10"},
      {50400, 1, "+14"}},
     {{-2445424384, 1},
      {-1861878784, 2},
      {-631110600, 3},
      {1285498800, 4},
      {1301752800, 3},
      {1316872800, 4},
      {1325239200, 5}}},
    /* The rule's hours lie beyond the day, and before it. */
    {"nuuk",
     "<-02>2<-01>,M3.5.0/-1,M10.5.0/0",
     {{-12416, 0, "LMT"}, {-10800, 0, "-03"}, {-7200, 0, "-02"}},
     {{-1686083584, 1}, {1679792400, 2}}},
    {"gaza",
     "EET-2EEST,M3.4.4/50,M10.4.4/50",
     {{8272, 0, "LMT"}, {7200, 0, "EET"}, {10800, 1, "EEST"}},
     {{-2185409872, 1}, {-933638400, 2}, {-923097600, 1}, {925423200, 2}, {939934800, 1}}},
    /* Without daylight saving, and a change of half an hour. */
    {"caracas",
     "<-04>4",
     {{-16064, 0, "LMT"}, {-16060, 0, "CMT"}, {-16200, 0, "-0430"}, {-14400, 0, "-04"}},
     {{-2524505536, 1}, {-1826739140, 2}, {-157750200, 3}, {1197183600, 2}, {1462086000, 3}}},
    /* No transition, no rule. */
    {"fixed", "\0", {{20700, 0, "+0545"}}, {{0, 0}}},
    /* Daylight saving of the kind before the first transition's; the last one comes back. */
    {"war",
     "EST5EDT,M3.2.0,M11.1.0",
     {{-18000, 0, "EST"}, {-14400, 1, "EDT"}, {-14400, 1, "EWT"}, {-14400, 1, "EPT"}},
     {{-1633280400, 1},
      {-1615140000, 0},
      {-880218000, 2},
      {-769395600, 3},
      {-765396000, 0},
      {1173596400, 1},
      {1194156000, 0}}},
    /* Two changes within hours. */
    {"hasty",
     "AAA-3",
     {{0, 0, "ZZZ"}, {7200, 1, "BBB"}, {10800, 0, "AAA"}},
     {{500000000, 1}, {500010000, 0}, {500020000, 2}}},
    /* From one side of the date line to the other: a day left out, from the last hours of one to the first. */
    {"kwajalein",
     "<+12>-12",
     {{40160, 0, "LMT"},
      {39600, 0, "+11"},
      {36000, 0, "+10"},
      {32400, 0, "+09"},
      {-43200, 0, "-12"},
      {43200, 0, "+12"}},
     {{-2177492960, 1}, {-1041418800, 2}, {-907408800, 3}, {-817462800, 1}, {-7988400, 4}, {745934400, 5}}},
    /* Two hours of daylight saving, and no one there before 2005. */
    {"troll",
     "<+00>0<+02>-2,M3.5.0/1,M10.5.0/3",
     {{0, 0, "-00"}, {0, 0, "+00"}, {7200, 1, "+02"}},
     {{1108166400, 1}, {1111885200, 2}, {1130634000, 1}}},
};

enum { ZONE_COUNT = sizeof ZONES / sizeof *ZONES };

static uint8_t *put(uint8_t *at, uint64_t value, int bytes) {
    while (bytes--)
        *at++ = (uint8_t)(value >> (8 * bytes));
    return at;
}

static int zone_times(const struct zone *zone) {
    int count = 0;
    while (count < 12 && zone->times[count].time)
        count++;
    return count;
}

/* One of the two parts of a file. */
static uint8_t *put_part(uint8_t *at, const struct zone *zone, int width, char version) {
    const int times = width ? zone_times(zone) : 0;
    int types = 0, letters = 0;
    while (types < 6 && zone->types[types].name)
        letters += (int)strlen(zone->types[types++].name) + 1;
    memcpy(at, "TZif", 4);
    at += 4;
    *at++ = (uint8_t)version;
    at = put(at, 0, 15);
    at = put(at, 0, 4), at = put(at, 0, 4), at = put(at, 0, 4);
    at = put(at, (uint64_t)times, 4), at = put(at, (uint64_t)types, 4), at = put(at, (uint64_t)letters, 4);
    for (int i = 0; i < times; i++)
        at = put(at, (uint64_t)zone->times[i].time, width);
    for (int i = 0; i < times; i++)
        *at++ = (uint8_t)zone->times[i].type;
    int letter = 0;
    for (int i = 0; i < types; i++) {
        at = put(at, (uint32_t)zone->types[i].offset, 4);
        *at++ = (uint8_t)zone->types[i].dst;
        *at++ = (uint8_t)letter;
        letter += (int)strlen(zone->types[i].name) + 1;
    }
    for (int i = 0; i < types; i++) {
        const size_t size = strlen(zone->types[i].name) + 1;
        memcpy(at, zone->types[i].name, size);
        at += size;
    }
    return at;
}

static size_t zone_bytes(const struct zone *zone, uint8_t data[1024]) {
    uint8_t *at = put_part(data, zone, 0, '2');
    at = put_part(at, zone, 8, '2');
    return (size_t)(at - data) + (size_t)sprintf((char *)at, "\n%s\n", zone->rule);
}

static void write_file(const char *path, const void *data, size_t size) {
    FILE *const file = fopen(path, "wb");
    if (!file || fwrite(data, 1, size, file) != size || fclose(file)) {
        perror(path);
        exit(2);
    }
}

#endif
