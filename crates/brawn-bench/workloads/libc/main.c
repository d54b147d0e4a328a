// What a call of the C library's functions takes, in ns, function by function.
//
//     libc [list] GROUP|all [quick] [MICROSECONDS [ROW]...]
//
// Each row of the group, or of its quick ones, gets MICROSECONDS (5,000), in which it is measured several times over, and
// the best counts. Rows in which threads or processes take part get eight times as much, and there the median counts.
// Standard output says what each function answered, the same for every libc; standard error has a line
// `metric GROUP/ROW NS` for each row. `list` only prints the rows, one `GROUP/ROW` a line.

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "rows.h"

enum {
    BATCHES = 8,
    // Rows with threads get so many times the time: what the scheduler does comes in pieces of milliseconds.
    PATIENCE = 8,
};

bool checking;
double own_time;

void fail(const char *what) {
    fprintf(stderr, "error: %s: %s\n", what, strerror(errno));
    exit(1);
}

double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

uint64_t next_random(uint64_t *state) {
    uint64_t word = *state += 0x9e3779b97f4a7c15;
    word = (word ^ word >> 30) * 0xbf58476d1ce4e5b9;
    word = (word ^ word >> 27) * 0x94d049bb133111eb;
    return word ^ word >> 31;
}

void fill_words(char *text, size_t size, uint64_t seed) {
    size_t length = 0, line = 0, wide = 20;
    for (size_t i = 0; i < size; i++) {
        if (length == 0) {
            bool end = line > wide;
            text[i] = i == 0 ? 't' : end ? '\n' : ' ';
            length = 1 + next_random(&seed) % 9;
            if (end) {
                line = 0;
                wide = 10 + next_random(&seed) % 80;
            }
        } else {
            text[i] = (char)('a' + next_random(&seed) % 26);
            length--;
        }
        line++;
    }
    text[size - 1] = '\n';
}

__attribute__((noreturn)) static void refuse(void) {
    fputs("usage: libc [list] GROUP|all [quick] [MICROSECONDS [ROW]...]\ngroups:", stderr);
    for (size_t i = 0; groups[i]; i++)
        fprintf(stderr, " %s", groups[i]->name);
    fputs("\n", stderr);
    exit(2);
}

// Nanoseconds that so many calls take.
static double batch(const struct row *row, uint64_t times) {
    own_time = 0;
    double start = now();
    uint64_t answer = row->work(times);
    double took = now() - start;
    __asm__ volatile("" : : "r"(answer));
    return row->flags & OWN ? own_time : took;
}

static int by_size(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static double nanoseconds(const struct row *row, double budget) {
    // As many calls as fill one part of the time, found by doubling.
    uint64_t times = 1;
    budget *= row->flags & MEDIAN ? PATIENCE : 1;
    while (times < (uint64_t)1 << 40 && batch(row, times) < budget / (2 * BATCHES))
        times *= 2;
    double took[BATCHES];
    for (int i = 0; i < BATCHES; i++)
        took[i] = batch(row, times) / (double)times;
    qsort(took, BATCHES, sizeof *took, by_size);
    return row->flags & MEDIAN ? (took[BATCHES / 2 - 1] + took[BATCHES / 2]) / 2 : took[0];
}

static void measure(const struct group *group, const struct row *row, double budget) {
    printf("%s/%s: ", group->name, row->name);
    if (row->ulps) {
        double worst = row->ulps();
        printf(worst <= row->limit ? "within %g ulp\n" : "not within %g ulp: off by %g\n", row->limit, worst);
    } else {
        checking = true;
        uint64_t answer = row->work(row->checked);
        checking = false;
        if (row->flags & DIFFERS)
            puts("differs on purpose");
        else
            printf("%016llx\n", (unsigned long long)answer);
    }
    // Rows may put standard output elsewhere for a while.
    fflush(stdout);
    fprintf(stderr, "metric %s/%s %.4f\n", group->name, row->name, nanoseconds(row, budget));
}

static bool named(const struct row *row, char **names) {
    for (int i = 0; names[i]; i++)
        if (strcmp(row->name, names[i]) == 0)
            return true;
    return names[0] == NULL;
}

// Whether the next word is this one, which is then done with.
static bool word(char ***words, const char *wanted) {
    bool is = **words && strcmp(**words, wanted) == 0;
    *words += is;
    return is;
}

int main(int count, char **words) {
    words += count > 0;
    bool list = word(&words, "list"), all = word(&words, "all");
    const char *chosen = all ? "" : *words ? *words++ : "";
    bool child = word(&words, "child"), quick = word(&words, "quick");
    double microseconds = 5000;
    if (*words) {
        char *end;
        microseconds = strtod(*words++, &end);
        if (*end != 0 || !(microseconds >= 1 && microseconds <= 1e9))
            refuse();
    }
    size_t found = 0;
    for (size_t i = 0; groups[i]; i++) {
        const struct group *group = groups[i];
        if (!all && strcmp(group->name, chosen) != 0)
            continue;
        if (child && group->child)
            return group->child();
        if (!list && group->prepare)
            group->prepare();
        for (size_t j = 0; j < group->count; j++) {
            const struct row *row = &group->rows[j];
            if ((quick && !(row->flags & QUICK)) || !named(row, words))
                continue;
            found++;
            if (list)
                printf("%s/%s\n", group->name, row->name);
            else
                measure(group, row, microseconds * 1e3);
        }
    }
    if (found == 0)
        refuse();
    return 0;
}
