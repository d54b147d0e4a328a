/* What the functions are called with, in memory that the helper shares. */
#define _GNU_SOURCE
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define LARGEST ((size_t)32 << 20)
#define ROOM (LARGEST + 16384)

/* Where no program has anything, so that the helper finds it free. */
#define ADDRESS ((void *)0x1000000000)
#define HEAD ((sizeof(struct shared) + 65535) / 65536 * 65536)

struct shared *shared;
static unsigned char *buffers[3]; /* in the order of their addresses */

int map_shared(int file) {
    const size_t bytes = HEAD + 3 * ROOM;
    if (file < 0) {
        file = memfd_create("operands", 0);
        if (file < 0 || ftruncate(file, (off_t)bytes)) {
            perror("operands");
            exit(2);
        }
    }
    unsigned char *const memory = mmap(ADDRESS, bytes, PROT_READ | PROT_WRITE,
                                       MAP_SHARED | MAP_POPULATE | MAP_FIXED_NOREPLACE, file, 0);
    if (memory != ADDRESS) {
        perror("operands");
        exit(2);
    }
    shared = (struct shared *)(void *)memory;
    for (size_t i = 0; i < 3; i++) {
        buffers[i] = memory + HEAD + i * ROOM;
        /* A masked store to a page that this process has not written yet takes a slow way, even with no lane
         * on. */
        for (size_t at = 0; at < ROOM; at += 4096) {
            ((volatile unsigned char *)buffers[i])[at] = 0;
        }
    }
    return file;
}

static uint32_t random_number(void) {
    static uint64_t state = 88172645463325252u;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 32);
}

static void fill_letters(unsigned char *p, size_t bytes, size_t unit) {
    if (unit == 1) {
        for (size_t i = 0; i < bytes; i++) {
            p[i] = (unsigned char)('a' + i % 25);
        }
        p[bytes] = 0;
    } else {
        for (size_t i = 0; i < bytes / 4; i++) {
            ((wchar_t *)(void *)p)[i] = (wchar_t)('a' + i % 25);
        }
        ((wchar_t *)(void *)p)[bytes / 4] = 0;
    }
}

struct operands fixed_operands(size_t bytes, size_t unit, bool aligned) {
    bytes -= bytes % unit;
    struct operands o = {
        .a = buffers[0] + 4096 + 256 +
             (aligned     ? 0
              : unit == 1 ? 13
                          : 12),
        .b = buffers[1] + 4096 + 1024 +
             (aligned     ? 0
              : unit == 1 ? 41
                          : 40),
        .t = buffers[2] + 4096 + 2304 +
             (aligned     ? 0
              : unit == 1 ? 7
                          : 20),
        .n = bytes / unit,
    };
    fill_letters(o.a, bytes, unit);
    fill_letters(o.b, bytes, unit);
    return o;
}

/* Shares of calls of at most 16, 64, 256 and 4,096 bytes, and of none at all, from published
 * distributions. */
static size_t random_size(const char *distribution) {
    static const struct {
        const char *name;
        unsigned none, at16, at64, at256;
    } known[] = {{"memcpy", 9, 63, 89, 96},
                 {"memmove", 5, 67, 93, 99},
                 {"memset", 2, 44, 77, 88},
                 {"memcmp", 1, 33, 84, 98}};
    size_t k = 0;
    while (k + 1 < sizeof known / sizeof *known && strcmp(known[k].name, distribution) != 0) {
        k++;
    }
    const unsigned r = random_number() % 100;
    if (r < known[k].none) {
        return 0;
    }
    if (r < known[k].at16) {
        return 1 + random_number() % 16;
    }
    if (r < known[k].at64) {
        return 17 + random_number() % 48;
    }
    return r < known[k].at256 ? 65 + random_number() % 192 : 257 + random_number() % 1024;
}

/* Operands that end where a long text ends, so that all of them are in the first-level cache and
 * terminated. */
void random_calls(size_t unit, const char *distribution) {
    const size_t bytes = 2048;
    const struct operands whole = fixed_operands(bytes, unit, true);
    for (size_t i = 0; i < sizeof shared->calls / sizeof *shared->calls; i++) {
        const size_t n = (random_size(distribution) + unit - 1) / unit;
        shared->calls[i] = (struct operands){.a = whole.a + bytes - n * unit,
                                             .b = whole.b + bytes - n * unit,
                                             .t = whole.t + random_number() % 64 * unit,
                                             .n = n};
    }
}
