/* Zone files that are cut off, or have any byte changed, and things that are no files: whatever they say, the
 * functions return, and the next good zone is right. Names of earlier zones stay. */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "zones.h"

static char path[512], text[520];
static int file_number;

static void use(void) {
    static const time_t TIMES[] = {0,          1,           -1,      500010000,        1600000000,
                                   4000000000, -4000000000, 1 << 30, 67768036191676799};
    char out[64];
    setenv("TZ", text, 1);
    tzset();
    for (size_t i = 0; i < sizeof TIMES / sizeof *TIMES; i++) {
        struct tm tm = {0};
        if (localtime_r(&TIMES[i], &tm)) {
            strftime(out, sizeof out, "%Z %z", &tm);
            for (int dst = -1; dst < 2; dst++) {
                struct tm local = tm;
                local.tm_isdst = dst;
                mktime(&local);
            }
        }
    }
    snprintf(out, sizeof out, "%s %s", tzname[0], tzname[1]);
}

static void try(const char *folder, const void *data, size_t size) {
    snprintf(path, sizeof path, "%s/h%d", folder, file_number++);
    strcpy(text, path);
    write_file(path, data, size);
    use();
    unlink(path);
}

static void good(void) {
    static const char *const RULES[] = {"EST5EDT,M3.2.0,M11.1.0", "JST-9"};
    for (int i = 0; i < 2; i++) {
        const time_t time = 1600000000;
        struct tm tm;
        setenv("TZ", RULES[i], 1);
        localtime_r(&time, &tm);
        if (tm.tm_gmtoff != (i ? 32400 : -14400) || strcmp(tm.tm_zone, i ? "JST" : "EDT")) {
            printf("wrong after a hostile file: %ld %s\n", tm.tm_gmtoff, tm.tm_zone);
            exit(1);
        }
    }
}

int main(int count, char **arguments) {
    if (count < 3)
        return 2;
    const int step = atoi(arguments[2]);
    uint8_t data[1024], copy[1024];
    struct tm first;
    const time_t zero = 0;
    setenv("TZ", "OLD-1", 1);
    localtime_r(&zero, &first);
    for (int zone = 0; zone < 3; zone++) {
        const size_t size = zone_bytes(&ZONES[zone], data);
        for (size_t i = 0; i < size; i += (size_t)step) {
            static const uint8_t BYTES[] = {0, 1, 0x7f, 0x80, 0xff, '\n'};
            try(arguments[1], data, i);
            memcpy(copy, data, size);
            copy[i] = BYTES[(i / (size_t)step + (size_t)zone) % sizeof BYTES];
            try(arguments[1], copy, size);
        }
        /* Everything from one place on. */
        for (size_t i = 4; i < size; i += (size_t)step) {
            memcpy(copy, data, size);
            memset(copy + i, i & 1 ? 0xff : 0x80, size - i);
            try(arguments[1], copy, size);
        }
        good();
    }
    const char *const OTHERS[] = {arguments[1],         "/dev/zero", "/proc/self/mem",
                                  "/proc/self/environ", "../..",     "Etc/\xff"};
    for (size_t i = 0; i < sizeof OTHERS / sizeof *OTHERS; i++) {
        strcpy(text, OTHERS[i]);
        use();
    }
    snprintf(text, sizeof text, "%s/fifo", arguments[1]);
    if (mkfifo(text, 0600))
        return 2;
    use();
    unlink(text);
    write_file(text, data, 100);
    chmod(text, 0);
    use();
    unlink(text);
    good();
    /* Nothing to be had: UTC, and errno is left alone. */
    const struct rlimit none = {0, 0};
    setrlimit(RLIMIT_AS, &none);
    errno = 77;
    static char variable[8000];
    static char *variables[] = {variable, NULL};
    extern char **environ;
    environ = variables;
    strcpy(variable, "TZ=/etc/localtime");
    struct tm tm;
    for (int i = 0; i < 2000; i++) {
        sprintf(variable + 3, "A%.*dB-1", i % 500 + 1, i);
        if (!localtime_r(&zero, &tm))
            return 1;
    }
    if (errno != 77)
        return 1;
    if (strcmp(first.tm_zone, "OLD"))
        return 1;
    puts("survived");
    return 0;
}
