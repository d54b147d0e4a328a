/* bench [--level N] [--rounds N] [--largest BYTES] [--cold] [--csv FILE] [FUNCTION…]
 *
 * Every row is measured in rounds; in each round every variant runs once, in turn, so that a noisy moment
 * meets all of them. A row's time is the median of its rounds. Prints geometric means and the rows that lost;
 * --csv writes every row. */
#define _GNU_SOURCE
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define MAX_ROUNDS 101

extern unsigned char brawn___brawn_string_level;
unsigned brawn___brawn_string_detect(void);

static unsigned rounds = 9;
static size_t largest = SIZE_MAX;
static double sample_ns = 20000;
static FILE *csv;
static unsigned level;
static volatile uintptr_t zero;

static const char *const variant_names[VARIANTS] = {"ours", "stock", "host"};

static double now_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static uint32_t random_number(void) {
    static uint64_t state = 88172645463325252u;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 32);
}

/* --- operands
 * ----------------------------------------------------------------------------------------------- */

#define LARGEST ((size_t)32 << 20)
#define ROOM (LARGEST + 16384)

static unsigned char *buffers[3];

static void make_buffers(void) {
    for (int i = 0; i < 3; i++) {
        buffers[i] =
            mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
        if (buffers[i] == MAP_FAILED) {
            perror("mmap");
            exit(2);
        }
    }
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

/* A call on operands of this many bytes, at a multiple of 64 or away from it. */
static struct operands fixed_operands(size_t bytes, size_t unit, bool aligned) {
    bytes -= bytes % unit;
    struct operands o = {
        .a = buffers[0] + 4096 +
             (aligned     ? 0
              : unit == 1 ? 13
                          : 12),
        .b = buffers[1] + 4096 + 512 +
             (aligned     ? 0
              : unit == 1 ? 41
                          : 40),
        .t = buffers[2] + 4096 + 1024 +
             (aligned     ? 0
              : unit == 1 ? 7
                          : 20),
        .n = bytes / unit,
    };
    fill_letters(o.a, bytes, unit);
    fill_letters(o.b, bytes, unit);
    return o;
}

/* Shares of calls of at most 16, 64, 256 and 4,096 bytes, and of none at all, from published distributions.
 */
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

/* Operands that end where a long text ends, so that all of them are in the first-level cache and terminated.
 */
static void random_operands(struct operands *calls, size_t count, size_t unit, const char *distribution) {
    const size_t bytes = 2048;
    const struct operands whole = fixed_operands(bytes, unit, true);
    for (size_t i = 0; i < count; i++) {
        const size_t n = (random_size(distribution) + unit - 1) / unit;
        calls[i] = (struct operands){.a = whole.a + bytes - n * unit,
                                     .b = whole.b + bytes - n * unit,
                                     .t = whole.t + random_number() % 64 * unit,
                                     .n = n};
    }
}

/* --- measuring
 * ---------------------------------------------------------------------------------------------- */

struct tally {
    double log_sum[VARIANTS];
    unsigned rows;
};
static struct tally total, seventeen;
static char lost[400][160];
static unsigned lost_count;

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double run_once(loop_function *loop, const struct work *work) {
    const double start = now_ns();
    loop(work);
    return (now_ns() - start) / (double)work->repetitions;
}

static void count_in(struct tally *tally, const double ns[VARIANTS]) {
    for (int v = 0; v < VARIANTS; v++) {
        tally->log_sum[v] += log(ns[OURS] / ns[v]);
    }
    tally->rows++;
}

/* BellSoft compares these at these sizes. */
static bool is_alpaquita(const char *name, size_t bytes, const char *mode) {
    static const char *const names[] = {"strlen",  "strnlen", "wcslen",     "wcsnlen", "memcmp",
                                        "memset",  "memmove", "memmove_fw", "memcpy",  "strcmp",
                                        "strncmp", "strcpy",  "strncpy",    "strchr",  "strrchr"};
    if (strcmp(mode, "throughput aligned") != 0 || (bytes != 36 && bytes != 132 && bytes != 4100)) {
        return false;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(names[i], name) == 0) {
            return true;
        }
    }
    return false;
}

static void measure(const struct row *row, size_t bytes, const char *mode, struct work *work) {
    static double samples[VARIANTS][MAX_ROUNDS];
    double ns[VARIANTS];
    work->zero = zero;
    work->repetitions = 16;
    if (work->count > 1) {
        work->repetitions = work->count;
    }
    if (bytes >= 1 << 20) {
        work->repetitions = 1;
    } else {
        /* As many calls as the slowest variant makes in the time of a sample, within reason. */
        const double once = run_once(row->loops[HOST], work);
        const double wanted = sample_ns / (once > 0.5 ? once : 0.5);
        while ((double)work->repetitions < wanted) {
            work->repetitions *= 2;
        }
    }
    const unsigned used = bytes >= (size_t)32 << 20 ? (rounds > 5 ? 5 : rounds) : rounds;
    for (unsigned round = 0; round < used; round++) {
        for (int i = 0; i < VARIANTS; i++) {
            const int v = (i + (int)round) % VARIANTS;
            samples[v][round] = run_once(row->loops[v], work);
        }
    }
    for (int v = 0; v < VARIANTS; v++) {
        qsort(samples[v], used, sizeof samples[v][0], by_value);
        ns[v] = samples[v][used / 2];
    }
    count_in(&total, ns);
    if (is_alpaquita(row->name, bytes, mode)) {
        count_in(&seventeen, ns);
    }
    if (csv) {
        for (int v = 0; v < VARIANTS; v++) {
            fprintf(csv, "%u,%s,%zu,%s,%s,%.3f\n", level, row->name, bytes, mode, variant_names[v], ns[v]);
        }
    }
    const double host = ns[OURS] / ns[HOST], stock = ns[OURS] / ns[STOCK];
    if ((host > 1.03 || stock > 1.03) && lost_count < sizeof lost / sizeof *lost) {
        snprintf(lost[lost_count++], sizeof *lost,
                 "%-16s %9zu %-22s ours %10.2f ns, %5.2f of host, %5.2f of stock%s", row->name, bytes, mode,
                 ns[OURS], host, stock,
                 is_alpaquita(row->name, bytes, mode) && host > 1 ? " (one of the seventeen)" : "");
    }
}

static void measure_row(const struct row *row) {
    static const size_t sizes[] = {0, 1, 7, 16, 36, 64, 132, 256, 1024, 4100, 65536, 1 << 20, 32 << 20};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        if (sizes[i] > largest || (row->unit > 1 && sizes[i] < row->unit && sizes[i] > 0)) {
            continue;
        }
        for (int aligned = 1; aligned >= 0; aligned--) {
            const struct operands operands = fixed_operands(sizes[i], row->unit, aligned);
            for (int dependent = 0; dependent < 2 && (dependent == 0 || sizes[i] < 65536); dependent++) {
                struct work work = {.calls = &operands, .count = 1, .dependent = dependent};
                char mode[40];
                snprintf(mode, sizeof mode, "%s %s", dependent ? "latency" : "throughput",
                         aligned ? "aligned" : "unaligned");
                measure(row, sizes[i], mode, &work);
            }
        }
    }
    static struct operands calls[4096];
    random_operands(calls, 4096, row->unit, row->sizes);
    struct work work = {.calls = calls, .count = 4096};
    measure(row, 0, "random sizes", &work);
}

/* --- a cold instruction cache
 * -------------------------------------------------------------------------------- */

/* Many small functions, one a line, more than the first-level instruction cache holds. */
#define COLD_LINES 4096
static void (*cold_code[COLD_LINES])(void);

static void make_cold_code(void) {
#if defined(__x86_64__)
    unsigned char *const code =
        mmap(NULL, (size_t)COLD_LINES * 64, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(code, 0xc3, (size_t)COLD_LINES * 64); /* ret */
    mprotect(code, (size_t)COLD_LINES * 64, PROT_READ | PROT_EXEC);
    for (size_t i = 0; i < COLD_LINES; i++) {
        cold_code[i] = (void (*)(void))(uintptr_t)(code + i * 64);
    }
#endif
}

static uint64_t ticks(void) {
#if defined(__x86_64__)
    uint32_t low, high;
    __asm__ volatile("lfence; rdtsc; lfence" : "=a"(low), "=d"(high) : : "memory");
    return (uint64_t)high << 32 | low;
#else
    return 0;
#endif
}

static void measure_cold(const struct row *row) {
    static const size_t sizes[] = {7, 36, 132, 1024};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const struct operands operands = fixed_operands(sizes[i], row->unit, true);
        const struct work work = {.calls = &operands, .count = 1, .repetitions = 1};
        double samples[VARIANTS][MAX_ROUNDS];
        for (unsigned round = 0; round < MAX_ROUNDS; round++) {
            for (int v = 0; v < VARIANTS; v++) {
                for (size_t line = 0; line < COLD_LINES; line++) {
                    cold_code[line]();
                }
                const uint64_t start = ticks();
                row->loops[v](&work);
                samples[v][round] = (double)(ticks() - start);
            }
        }
        for (int v = 0; v < VARIANTS; v++) {
            qsort(samples[v], MAX_ROUNDS, sizeof samples[v][0], by_value);
        }
        double median[VARIANTS];
        for (int v = 0; v < VARIANTS; v++) {
            median[v] = samples[v][MAX_ROUNDS / 2];
            if (csv) {
                fprintf(csv, "%u,%s,%zu,cold code (ticks),%s,%.0f\n", level, row->name, sizes[i],
                        variant_names[v], median[v]);
            }
        }
        count_in(&total, median);
    }
}

/* --- */

static void report(const char *what, const struct tally *tally) {
    if (tally->rows) {
        printf("%s: %u rows, geometric mean %.3f of host, %.3f of stock\n", what, tally->rows,
               exp(tally->log_sum[HOST] / tally->rows), exp(tally->log_sum[STOCK] / tally->rows));
    }
}

static bool wanted(const char *name, int count, char **names) {
    for (int i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0) {
            return true;
        }
    }
    return count == 0;
}

int main(int argc, char **argv) {
    bool cold = false;
    int first = 1;
    level = brawn___brawn_string_detect();
    for (; first < argc && argv[first][0] == '-'; first++) {
        if (strcmp(argv[first], "--cold") == 0) {
            cold = true;
        } else if (first + 1 < argc && strcmp(argv[first], "--level") == 0) {
            const unsigned chosen = (unsigned)atoi(argv[++first]);
            level = chosen < level ? chosen : level;
        } else if (first + 1 < argc && strcmp(argv[first], "--rounds") == 0) {
            rounds = (unsigned)atoi(argv[++first]);
            rounds = rounds < 1 ? 1 : rounds > MAX_ROUNDS ? MAX_ROUNDS : rounds;
        } else if (first + 1 < argc && strcmp(argv[first], "--largest") == 0) {
            largest = (size_t)strtoull(argv[++first], NULL, 10);
        } else if (first + 1 < argc && strcmp(argv[first], "--csv") == 0) {
            csv = fopen(argv[++first], "w");
        } else {
            fprintf(
                stderr,
                "usage: %s [--level N] [--rounds N] [--largest BYTES] [--cold] [--csv FILE] [FUNCTION…]\n",
                argv[0]);
            return 2;
        }
    }
    brawn___brawn_string_level = (unsigned char)level;
    if (csv) {
        fprintf(csv, "level,function,bytes,mode,variant,ns\n");
    }
    make_buffers();
    make_cold_code();
    const struct row *const tables[] = {memory_rows, string_rows};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        for (const struct row *row = tables[i]; row->name; row++) {
            if (!wanted(row->name, argc - first, argv + first)) {
                continue;
            }
            const struct tally before = total;
            if (cold) {
                measure_cold(row);
            } else {
                measure_row(row);
            }
            struct tally own = {.rows = total.rows - before.rows};
            for (int v = 0; v < VARIANTS; v++) {
                own.log_sum[v] = total.log_sum[v] - before.log_sum[v];
            }
            report(row->name, &own);
        }
    }
    report("ALL", &total);
    report("SEVENTEEN", &seventeen);
    printf("%u rows more than 3 %% slower than host or stock:\n", lost_count);
    for (unsigned i = 0; i < lost_count; i++) {
        puts(lost[i]);
    }
    if (csv && fclose(csv) != 0) {
        perror("csv");
        return 1;
    }
    return 0;
}
