// A server's shape: each request is a thread that starts, writes some lines with the time into the log, and ends.
// What it logs goes to /dev/null, of everything that it wrote a digest to standard output.
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { REQUESTS = 4000, AT_ONCE = 4, LINES = 25 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static FILE *log_file;
static uint64_t digest;

static void write_line(unsigned request, unsigned line) {
    char when[64], text[256];
    struct tm tm;
    // Times of every hour of some years, so that the digest is the same in every run.
    time_t now = 1700000000 + (time_t)request * 3571 + line;
    localtime_r(&now, &tm);
    strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S %Z", &tm);
    int length = snprintf(text, sizeof text, "%s [%5u] INFO request=%u line=%02u took=%.3fms path=%s\n", when,
                          request % 32768, request, line, (double)(request * 31 + line) / 7.0, "/index.html");
    uint64_t sum = 14695981039346656037u;
    for (int i = 0; i < length; i++) {
        sum = (sum ^ (unsigned char)text[i]) * 1099511628211u;
    }
    pthread_mutex_lock(&lock);
    fputs(text, log_file);
    digest += sum;
    pthread_mutex_unlock(&lock);
}

static void *serve(void *argument) {
    unsigned request = (unsigned)(uintptr_t)argument;
    for (unsigned line = 0; line < LINES; line++) {
        write_line(request, line);
    }
    // What clocks and time cost, whose answers differ.
    struct timespec ts;
    clock_gettime(CLOCK_REALTIME, &ts);
    return ts.tv_sec > 0 ? NULL : argument;
}

int main(void) {
    setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
    log_file = fopen("/dev/null", "w");
    if (!log_file) {
        return 1;
    }
    for (unsigned first = 0; first < REQUESTS; first += AT_ONCE) {
        pthread_t threads[AT_ONCE];
        for (unsigned i = 0; i < AT_ONCE; i++) {
            if (pthread_create(&threads[i], NULL, serve, (void *)(uintptr_t)(first + i))) {
                return 2;
            }
        }
        for (unsigned i = 0; i < AT_ONCE; i++) {
            pthread_join(threads[i], NULL);
        }
    }
    fclose(log_file);
    printf("%016llx\n", (unsigned long long)digest);
    return 0;
}
