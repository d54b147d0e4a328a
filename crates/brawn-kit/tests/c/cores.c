/* cores_usable on control groups of its own making, in the current folder. */
#define _GNU_SOURCE
#include <sched.h>
#include <stdlib.h>

#define CORES_MAX "cpu.max"
#define CORES_QUOTA "cpu.cfs_quota_us"
#define CORES_PERIOD "cpu.cfs_period_us"
#include "cores.h"

static void put(const char *name, const char *text) {
    FILE *const file = fopen(name, "w");
    if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0) {
        exit(2);
    }
}

static void expect(const char *what, unsigned wanted) {
    const unsigned found = cores_usable();
    if (found != wanted) {
        fprintf(stderr, "%s: %u processors, not %u\n", what, found, wanted);
        exit(1);
    }
}

int main(void) {
    cpu_set_t mask;
    if (sched_getaffinity(0, sizeof mask, &mask) != 0) {
        return 2;
    }
    const unsigned all = (unsigned)CPU_COUNT(&mask);
    const unsigned two = all < 2 ? all : 2;
    expect("no control group", all);
    put("cpu.cfs_quota_us", "-1\n");
    expect("version 1 without a limit", all);
    put("cpu.cfs_quota_us", "150000\n");
    expect("version 1 without a period", all);
    put("cpu.cfs_period_us", "100000\n");
    expect("version 1, one and a half", two);
    put("cpu.max", "max 100000\n");
    expect("version 2 without a limit", all);
    put("cpu.max", "50000 100000\n");
    expect("version 2, a half", 1);
    put("cpu.max", "200000 100000\n");
    expect("version 2, two", two);
    put("cpu.max", "6400000 100000\n");
    expect("version 2, more than there are", all);
    put("cpu.max", "");
    expect("an empty file", two);
    /* On one processor nothing is read. */
    put("cpu.max", "garbage");
    for (int processor = 0; processor < CPU_SETSIZE; processor++) {
        if (CPU_ISSET(processor, &mask)) {
            CPU_ZERO(&mask);
            CPU_SET(processor, &mask);
            break;
        }
    }
    if (sched_setaffinity(0, sizeof mask, &mask) != 0) {
        return 2;
    }
    expect("one processor", 1);
    puts("ok");
    return 0;
}
