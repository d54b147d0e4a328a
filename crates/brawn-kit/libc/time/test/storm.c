/* One thread changes TZ among zone files, rules and an unset one, eight convert times and print names, and the first
 * forks children that do so too. Each answer must be that of one of the zones, whole. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "zones.h"

extern char **environ;

static char texts[ZONE_COUNT + 2][600];
static char *variables[3] = {"HOME=/", "LANG=C", NULL};
static atomic_bool done;
static const time_t WHEN = 1600000000;
static struct {
    long offset;
    char name[16];
} known[ZONE_COUNT + 2];

static int look(void) {
    struct tm tm;
    char name[64];
    if (!localtime_r(&WHEN, &tm))
        return 1;
    strftime(name, sizeof name, "%Z", &tm);
    for (int i = 0; i < ZONE_COUNT + 2; i++) {
        if (known[i].offset == tm.tm_gmtoff && !strcmp(known[i].name, name) && !strcmp(name, tm.tm_zone))
            return 0;
    }
    fprintf(stderr, "a zone of its own: %ld %s %s\n", tm.tm_gmtoff, name, tm.tm_zone);
    return 1;
}

static void *convert(void *unused) {
    (void)unused;
    while (!done) {
        if (look())
            exit(1);
        struct tm tm = {.tm_year = 120, .tm_mday = 3, .tm_isdst = -1};
        if (mktime(&tm) == -1)
            exit(1);
    }
    return NULL;
}

static void *change(void *unused) {
    (void)unused;
    for (unsigned i = 0; !done; i++) {
        __atomic_store_n(&variables[1], texts[i % (ZONE_COUNT + 2)], __ATOMIC_RELEASE);
        if (i % 3 == 0)
            tzset();
    }
    return NULL;
}

int main(int count, char **arguments) {
    if (count < 3)
        return 2;
    environ = variables;
    for (int i = 0; i < ZONE_COUNT + 2; i++) {
        if (i < ZONE_COUNT) {
            uint8_t data[1024];
            sprintf(texts[i], "TZ=%s/%s", arguments[1], ZONES[i].name);
            write_file(texts[i] + 3, data, zone_bytes(&ZONES[i], data));
        } else {
            strcpy(texts[i], i == ZONE_COUNT ? "TZ=NZST-12NZDT,M9.5.0,M4.1.0/3" : "TZ=<-0330>3:30");
        }
        variables[1] = texts[i];
        struct tm tm;
        localtime_r(&WHEN, &tm);
        known[i].offset = tm.tm_gmtoff;
        strcpy(known[i].name, tm.tm_zone);
    }
    pthread_t threads[9];
    for (int i = 0; i < 9; i++)
        pthread_create(&threads[i], NULL, i ? convert : change, NULL);
    const time_t end = time(NULL) + atoi(arguments[2]);
    int children = 0;
    while (time(NULL) < end) {
        const pid_t child = fork();
        if (!child) {
            alarm(20);
            for (int i = 0; i < 20; i++) {
                variables[1] = texts[(children + i) % (ZONE_COUNT + 2)];
                if (look())
                    _exit(1);
            }
            _exit(0);
        }
        int status;
        if (child < 0 || waitpid(child, &status, 0) != child || status) {
            fprintf(stderr, "child %d: %x\n", children, status);
            return 1;
        }
        children++;
    }
    done = true;
    for (int i = 0; i < 9; i++)
        pthread_join(threads[i], NULL);
    printf("%s\n", children ? "quiet" : "no child");
    return 0;
}
