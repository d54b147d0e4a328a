/* A coverage-guided fuzzer for compilers without libFuzzer: `fuzz SECONDS SEEDS…`. The code under test is
 * compiled with -fsanitize-coverage=trace-pc, which calls __sanitizer_cov_trace_pc at every branch; an input
 * that reaches a pair of branches for the first time joins the corpus, and inputs are made by changing those
 * of the corpus. A failing input is left in fuzz-failure, and runs again with `fuzz 0 fuzz-failure`. */
#include <dirent.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
void __sanitizer_cov_trace_pc(void);

#define LONGEST 6000
#define CORPUS 4096
#define EDGES 65536

static uint8_t reached[EDGES], reached_now[EDGES];
static uintptr_t previous;
static struct {
    uint8_t *data;
    size_t size;
} corpus[CORPUS];
static size_t corpus_size;
static uint8_t current[LONGEST];
static size_t current_size;

void __sanitizer_cov_trace_pc(void) {
    const uintptr_t here = (uintptr_t)__builtin_return_address(0);
    const uintptr_t edge = (here ^ previous) * 0x9e3779b97f4a7c15u >> 48;
    uint8_t *const count = &reached_now[edge % EDGES];
    *count = *count < 255 ? *count + 1 : 255;
    previous = here * 3;
}

static uint32_t random_number(void) {
    static uint64_t state = 0x2545f4914f6cdd1du;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 32);
}

static void on_failure(int signal_number) {
    FILE *const file = fopen("fuzz-failure", "wb");
    if (file) {
        fwrite(current, 1, current_size, file);
        fclose(file);
    }
    fprintf(stderr, "FAILED with signal %d; the input is in fuzz-failure\n", signal_number);
    _exit(1);
}

/* Runs the current input; 1 if it reached something new. Counts are seen in powers of two. */
static int run(void) {
    memset(reached_now, 0, sizeof reached_now);
    previous = 0;
    LLVMFuzzerTestOneInput(current, current_size);
    int is_new = 0;
    for (size_t i = 0; i < EDGES; i++) {
        if (reached_now[i]) {
            const uint8_t bit = (uint8_t)(1u << (31 - __builtin_clz(reached_now[i])));
            is_new |= !(reached[i] & bit);
            reached[i] |= bit;
        }
    }
    return is_new;
}

static void keep(void) {
    if (corpus_size < CORPUS) {
        corpus[corpus_size].data = malloc(current_size + 1);
        if (!corpus[corpus_size].data) {
            exit(2);
        }
        memcpy(corpus[corpus_size].data, current, current_size);
        corpus[corpus_size++].size = current_size;
    }
}

static void change(void) {
    const size_t from = random_number() % corpus_size;
    current_size = corpus[from].size;
    memcpy(current, corpus[from].data, current_size);
    for (unsigned changes = 1 + random_number() % 6; changes; changes--) {
        const size_t at = current_size ? random_number() % current_size : 0;
        switch (random_number() % 6) {
        case 0:
            current[at] = (uint8_t)random_number();
            break;
        case 1:
            current[at] ^= (uint8_t)(1u << random_number() % 8);
            break;
        case 2: /* shorter */
            current_size = at > 2 ? at : 2;
            break;
        case 3: { /* longer, by copies of what is there */
            size_t more = 1 + random_number() % (random_number() % 8 ? 70 : 2000);
            more = current_size + more > LONGEST ? LONGEST - current_size : more;
            for (size_t i = 0; i < more; i++) {
                current[current_size + i] = current[at + (current_size > at ? i % (current_size - at) : 0)];
            }
            current_size += more;
            break;
        }
        case 4: { /* a run of one byte */
            const size_t length = 1 + random_number() % 80;
            for (size_t i = at; i < at + length && i < current_size; i++) {
                current[i] = current[at];
            }
            break;
        }
        default: /* another level or action */
            current[random_number() % 2] = (uint8_t)random_number();
            break;
        }
    }
    current_size = current_size < 2 ? 2 : current_size;
}

static void load(const char *path) {
    FILE *const file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(2);
    }
    current_size = fread(current, 1, LONGEST, file);
    fclose(file);
    run();
    keep();
}

int main(int argc, char **argv) {
    if (argc < 3) {
        fprintf(stderr, "usage: %s SECONDS SEED…\n", argv[0]);
        return 2;
    }
    signal(SIGSEGV, on_failure);
    signal(SIGABRT, on_failure);
    signal(SIGILL, on_failure);
    for (int i = 2; i < argc; i++) {
        load(argv[i]);
    }
    const size_t seeds = corpus_size;
    const time_t end = time(NULL) + atoi(argv[1]);
    unsigned long runs = 0;
    while (time(NULL) < end) {
        for (int i = 0; i < 1000; i++, runs++) {
            change();
            if (run()) {
                keep();
            }
        }
    }
    size_t edges = 0;
    for (size_t i = 0; i < EDGES; i++) {
        edges += reached[i] != 0;
    }
    printf("%lu runs, %zu seeds, %zu inputs in the corpus, %zu edges\n", runs, seeds, corpus_size, edges);
    if (edges < 100) {
        fprintf(stderr, "FAILED: the code under test is not instrumented\n");
        return 1;
    }
    return 0;
}
