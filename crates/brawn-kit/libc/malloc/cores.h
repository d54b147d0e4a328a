/* How many processors a program may really use, for allocators that size themselves by it. */
#ifndef BRAWN_CORES_H
#define BRAWN_CORES_H

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>

#include "kernel.h"

/* Where the control group's share of time stands: version 2, then version 1. A test has files of its own. */
#ifndef CORES_MAX
#define CORES_MAX "/sys/fs/cgroup/cpu.max"
#define CORES_QUOTA "/sys/fs/cgroup/cpu/cpu.cfs_quota_us"
#define CORES_PERIOD "/sys/fs/cgroup/cpu/cpu.cfs_period_us"
#endif

/* The first bytes of a small file, as text; false if it cannot be read. */
static bool cores_read(const char *path, char *text, size_t size) {
    const int fd = (int)KERNEL_CALL((syscall)(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC));
    if (fd < 0) {
        return false;
    }
    const long length = KERNEL_CALL((syscall)(SYS_read, fd, text, size - 1));
    KERNEL_SYSCALL(SYS_close, fd);
    text[length > 0 ? length : 0] = 0;
    return length > 0;
}

/* The number at the start of a text; 0 if there is none, as in "max" and "-1". */
static unsigned long cores_number(const char **text) {
    unsigned long number = 0;
    for (; **text >= '0' && **text <= '9'; (*text)++) {
        number = number * 10 + (unsigned long)(**text - '0');
    }
    return number;
}

/* The processors that a control group's share of time amounts to, rounded up; 0 if there is no limit. The
 * files are those of the group at the root of what the program sees, which in a container is its own. */
static unsigned cores_of_quota(void) {
    char text[64];
    const char *at = text;
    unsigned long quota = 0, period = 0;
    if (cores_read(CORES_MAX, text, sizeof text)) {
        quota = cores_number(&at);
        at += *at == ' ';
        period = cores_number(&at);
    } else if (cores_read(CORES_QUOTA, text, sizeof text)) {
        quota = cores_number(&at);
        if (quota > 0 && cores_read(CORES_PERIOD, text, sizeof text)) {
            at = text;
            period = cores_number(&at);
        }
    }
    return quota == 0 || period == 0 ? 0 : (unsigned)((quota + period - 1) / period);
}

/* The processors that the affinity mask allows, or fewer where the control group has a quota. One system call
 * where there is one processor only, else two to four. */
static unsigned cores_usable(void) {
    unsigned long mask[128] = {0};
    const long length = KERNEL_CALL((syscall)(SYS_sched_getaffinity, 0, sizeof mask, mask));
    unsigned cores = 0;
    for (size_t i = 0; length > 0 && i < (size_t)length / sizeof *mask; i++) {
        for (unsigned long bits = mask[i]; bits != 0; bits &= bits - 1) {
            cores++;
        }
    }
    if (cores > 1) {
        const unsigned quota = cores_of_quota();
        cores = quota > 0 && quota < cores ? quota : cores;
    }
    return cores > 0 ? cores : 1;
}

#endif
