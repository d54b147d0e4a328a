// TZ changes, by rule and by file, longer and longer: libc keeps a copy of the last value in a buffer that
// it allocates inside. Local time is checked against what the zone must give.
#include "check.h"
#include <pthread.h>
#include <sys/stat.h>
#include <time.h>

enum { ROUNDS = 300, THREADS = 4 };

static const time_t winter = 1705320000; // 2024-01-15 12:00:00 UTC
static const time_t summer = 1721044800; // 2024-07-15 12:00:00 UTC

static void expect(time_t moment, const char *expected) {
    struct tm fields;
    char text[64];
    CHECK(localtime_r(&moment, &fields) != NULL, "localtime_r failed");
    strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S %Z", &fields);
    CHECK(strcmp(text, expected) == 0, "TZ=%s gives \"%s\" instead of \"%s\"", getenv("TZ"), text, expected);
    CHECK(mktime(&fields) == moment, "mktime does not come back to the same moment");
}

static void use_zone(const char *zone) {
    CHECK(setenv("TZ", zone, 1) == 0, "setenv failed");
    tzset();
}

static void big_endian(unsigned char *bytes, uint32_t value) {
    for (int i = 0; i < 4; i++)
        bytes[i] = (unsigned char)(value >> (24 - 8 * i));
}

// RFC 8536, version 2: an empty block for old readers, then one transition (in 1970) to one type
// (UTC+5:00), its name, and the rule that holds afterwards.
static void write_zone_file(const char *path) {
    static const char rule[] = "\nBRW-5\n";
    unsigned char header[44] = {'T', 'Z', 'i', 'f', '2'}, types[8 + 1 + 6 + 4] = {0};
    FILE *file = fopen(path, "w");
    CHECK(file != NULL, "cannot create %s", path);
    fwrite(header, 1, sizeof header, file);
    big_endian(header + 32, 1);
    big_endian(header + 36, 1);
    big_endian(header + 40, 4);
    fwrite(header, 1, sizeof header, file);
    big_endian(types + 9, 5 * 3600);
    memcpy(types + 15, "BRW", 4);
    fwrite(types, 1, sizeof types, file);
    fwrite(rule, 1, sizeof rule - 1, file);
    CHECK(fclose(file) == 0, "cannot write %s", path);
}

static void *read_clocks(void *argument) {
    const char *expected = argument;
    for (int i = 0; i < 500; i++)
        expect(summer, expected);
    return NULL;
}

int main(int argc, char **argv) {
    int rounds = ROUNDS * scale_of(argc, argv);
    watchdog(60);
    mkdir("zones", 0700);
    write_zone_file("zones/brawn");
    char *folder = realpath("zones", NULL);
    CHECK(folder != NULL, "no absolute path");
    static char by_file[PATH_MAX + 256];
    struct growth growth = {0};
    for (int i = 0; i < rounds; i++) {
        watched_round = i;
        watched_step = "rules";
        use_zone("UTC0");
        expect(winter, "2024-01-15 12:00:00 UTC");
        use_zone("CET-1CEST,M3.5.0,M10.5.0/3");
        expect(winter, "2024-01-15 13:00:00 CET");
        expect(summer, "2024-07-15 14:00:00 CEST");
        use_zone("<BRW+3>-3<BRW+4>-4,J60/0,J300/0");
        expect(winter, "2024-01-15 15:00:00 BRW+3");
        watched_step = "files";
        // Every further round a longer value, so that the buffer has to grow again and again.
        int length = snprintf(by_file, sizeof by_file, ":%s", folder);
        for (int slashes = 0; slashes < 1 + i % 200; slashes++)
            by_file[length++] = '/';
        strcpy(by_file + length, "brawn");
        use_zone(by_file);
        expect(winter, "2024-01-15 17:00:00 BRW");
        growth_sample(&growth, i, rounds);
    }
    CHECK_GROWTH(growth, option_of(argc, argv, "growth-kib", 512), "changes of TZ");
    watched_step = "threads";
    use_zone("CET-1CEST,M3.5.0,M10.5.0/3");
    pthread_t threads[THREADS];
    for (int t = 0; t < THREADS; t++)
        CHECK(pthread_create(&threads[t], NULL, read_clocks, "2024-07-15 14:00:00 CEST") == 0, "no thread");
    for (int t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
    free(folder);
    return passed();
}
