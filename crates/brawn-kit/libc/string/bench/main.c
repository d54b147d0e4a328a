/* bench [--level N] [--rounds N] [--largest BYTES] [--helper EXECUTABLE] [--csv FILE] [FUNCTION…]
 *
 * Every row is measured in rounds; in each round every variant runs once, in turn, so that a noisy moment
 * meets all of them. A row's time is the median of its rounds; its noise is by how much the ratio to the host
 * differs between the even rounds and the odd ones, measured alike. Prints geometric means and the rows that
 * lost; --csv writes every row. */
#define _GNU_SOURCE
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ROUNDS 101
#define COLD "cold code"

extern unsigned char brawn___brawn_string_level;
unsigned brawn___brawn_string_detect(void);

static unsigned rounds = 10; /* asked for, */
static unsigned used;        /* and made of the row at hand */
static size_t largest = SIZE_MAX;
static double sample_ns = 20000;
static FILE *csv;
static unsigned level;
static bool with_helper;
static volatile uintptr_t zero;

/* --- tallies ----------------------------------------------------------------------------------------- */

struct tally {
    double log_sum[VARIANTS];
    unsigned rows;
};
static struct tally warm, cold, seventeen;
static char lost[1000][160];
static unsigned lost_count;

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_of(const double *samples, unsigned first, unsigned step) {
    double sorted[MAX_ROUNDS];
    unsigned count = 0;
    for (unsigned i = first; i < used; i += step) {
        sorted[count++] = samples[i];
    }
    qsort(sorted, count, sizeof sorted[0], by_value);
    return count % 2 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
}

static void count_in(struct tally *tally, const double ns[VARIANTS]) {
    for (int v = 0; v < VARIANTS; v++) {
        tally->log_sum[v] += ns[v] > 0 ? log(ns[OURS] / ns[v]) : 0;
    }
    tally->rows++;
}

/* BellSoft compares these at these sizes. */
static bool is_alpaquita(const char *name, size_t bytes, const char *mode) {
    static const char *const names[] = {"strlen",   "strnlen", "wcslen",  "wcsnlen",    "memcmp",
                                        "memset",   "memmove", "memcpy",  "memmove_fw", "memmove_nop",
                                        "memcpy_r", "strcmp",  "strncmp", "strcpy",     "strncpy",
                                        "strchr",   "strrchr"};
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

static void count_row(const struct row *row, size_t bytes, const char *mode,
                      double samples[VARIANTS][MAX_ROUNDS]) {
    double ns[VARIANTS] = {0}, noise = 0;
    for (int v = 0; v < VARIANTS; v++) {
        ns[v] = v == HOST_STATIC && !with_helper ? 0 : median_of(samples[v], 0, 1);
    }
    if (used > 1) {
        noise = fabs(log(median_of(samples[OURS], 0, 2) / median_of(samples[HOST], 0, 2) *
                         median_of(samples[HOST], 1, 2) / median_of(samples[OURS], 1, 2)));
    }
    count_in(strcmp(mode, COLD) == 0 ? &cold : &warm, ns);
    const bool famous = is_alpaquita(row->name, bytes, mode);
    if (famous) {
        count_in(&seventeen, ns);
    }
    if (csv) {
        fprintf(csv, "%s,%zu,%s", row->name, bytes, mode);
        for (int v = 0; v < VARIANTS; v++) {
            fprintf(csv, ",%.4g", ns[v]);
        }
        fprintf(csv, ",%.2f\n", noise);
    }
    const double host = ns[OURS] / ns[HOST], stock = ns[OURS] / ns[STOCK];
    if ((host > 1.03 || stock > 1.03) && lost_count < sizeof lost / sizeof *lost) {
        snprintf(lost[lost_count++], sizeof *lost,
                 "%-16s %9zu %-22s ours %10.2f ns, %5.2f of host, %5.2f of stock, noise %.2f%s", row->name,
                 bytes, mode, ns[OURS], host, stock, noise,
                 famous && host > 1 ? " (one of the seventeen)" : "");
    }
}

/* --- measuring --------------------------------------------------------------------------------------- */

static double sample_of(const struct row *row, unsigned number, int variant, const struct work *work,
                        bool is_cold) {
    if (variant == HOST_STATIC) {
        return with_helper ? ask_helper(number, work, is_cold) : 0;
    }
    return is_cold ? sample_cold(row->loops[variant], work) : sample(row->loops[variant], work);
}

static void measure(const struct row *row, unsigned number, size_t bytes, const char *mode,
                    struct work *work) {
    static double samples[VARIANTS][MAX_ROUNDS];
    work->calls = shared->calls;
    work->zero = zero;
    work->repetitions = work->count > 1 ? work->count : 16;
    const bool is_cold = strcmp(mode, COLD) == 0;
    if (is_cold || bytes >= 1 << 20) {
        work->repetitions = 1;
    } else {
        /* As many calls as the host's makes in the time of a sample, within reason. */
        const double once = sample(row->loops[HOST], work);
        const double wanted = sample_ns / (once > 0.5 ? once : 0.5);
        while ((double)work->repetitions < wanted) {
            work->repetitions *= 2;
        }
    }
    used = bytes >= (size_t)32 << 20 && rounds > 4 ? 4 : rounds;
    for (unsigned round = 0; round < used; round++) {
        for (int i = 0; i < VARIANTS; i++) {
            const int v = (i + (int)(round / 2)) % VARIANTS;
            samples[v][round] = sample_of(row, number, v, work, is_cold);
        }
    }
    count_row(row, bytes, mode, samples);
}

static void measure_row(const struct row *row, unsigned number) {
    static const size_t sizes[] = {0, 1, 7, 16, 36, 64, 132, 256, 1024, 4100, 65536, 1 << 20, 32 << 20};
    static const size_t cold_sizes[] = {7, 36, 132, 1024};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        if (sizes[i] > largest || (row->unit > 1 && sizes[i] < row->unit && sizes[i] > 0)) {
            continue;
        }
        for (int aligned = 1; aligned >= 0; aligned--) {
            shared->calls[0] = fixed_operands(sizes[i], row->unit, aligned);
            for (int dependent = 0; dependent < 2 && (dependent == 0 || sizes[i] < 65536); dependent++) {
                struct work work = {.count = 1, .dependent = dependent};
                char mode[40];
                snprintf(mode, sizeof mode, "%s %s", dependent ? "latency" : "throughput",
                         aligned ? "aligned" : "unaligned");
                measure(row, number, sizes[i], mode, &work);
            }
        }
    }
    struct work work = {.count = sizeof shared->calls / sizeof *shared->calls};
    random_calls(row->unit, row->sizes);
    measure(row, number, 0, "random sizes", &work);
    for (size_t i = 0; i < sizeof cold_sizes / sizeof *cold_sizes; i++) {
        shared->calls[0] = fixed_operands(cold_sizes[i], row->unit, true);
        work = (struct work){.count = 1};
        measure(row, number, cold_sizes[i], COLD, &work);
    }
}

/* --- */

static void report(const char *what, const struct tally *tally, const struct tally *before) {
    const unsigned rows = tally->rows - (before ? before->rows : 0);
    if (rows) {
        double mean[VARIANTS];
        for (int v = 0; v < VARIANTS; v++) {
            mean[v] = exp((tally->log_sum[v] - (before ? before->log_sum[v] : 0)) / rows);
        }
        printf("%s: %u rows, geometric mean %.3f of host, %.3f of host static, %.3f of stock\n", what, rows,
               mean[HOST], mean[HOST_STATIC], mean[STOCK]);
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
    const char *helper = NULL;
    int first = 1;
    if (argc == 3 && strcmp(argv[1], "--serve") == 0) {
        return serve(atoi(argv[2]));
    }
    level = brawn___brawn_string_detect();
    for (; first < argc && argv[first][0] == '-'; first++) {
        if (first + 1 < argc && strcmp(argv[first], "--level") == 0) {
            const unsigned chosen = (unsigned)atoi(argv[++first]);
            level = chosen < level ? chosen : level;
        } else if (first + 1 < argc && strcmp(argv[first], "--rounds") == 0) {
            rounds = (unsigned)atoi(argv[++first]);
            rounds = rounds < 1 ? 1 : rounds > MAX_ROUNDS ? MAX_ROUNDS : rounds;
        } else if (first + 1 < argc && strcmp(argv[first], "--largest") == 0) {
            largest = (size_t)strtoull(argv[++first], NULL, 10);
        } else if (first + 1 < argc && strcmp(argv[first], "--helper") == 0) {
            helper = argv[++first];
        } else if (first + 1 < argc && strcmp(argv[first], "--csv") == 0) {
            csv = fopen(argv[++first], "w");
        } else {
            fprintf(stderr,
                    "usage: %s [--level N] [--rounds N] [--largest BYTES] [--helper FILE] [--csv FILE] "
                    "[FUNCTION…]\n",
                    argv[0]);
            return 2;
        }
    }
    brawn___brawn_string_level = (unsigned char)level;
    if (csv) {
        fprintf(csv, "function,bytes,mode,ours_ns,stock_ns,glibc_ns,glibc_static_ns,noise\n");
    }
    const int file = map_shared(-1);
    prepare_samples();
    with_helper = start_helper(helper, file);
    const struct row *row;
    for (unsigned number = 0; (row = row_number(number)); number++) {
        if (wanted(row->name, argc - first, argv + first)) {
            const struct tally before = warm;
            measure_row(row, number);
            report(row->name, &warm, &before);
        }
    }
    report("ALL", &warm, NULL);
    report("COLD", &cold, NULL);
    report("SEVENTEEN", &seventeen, NULL);
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
