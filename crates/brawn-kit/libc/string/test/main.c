/* Runs the tables: `strings [--long] [--part N] [--level N] [FUNCTION…]`. Without --level it runs every level
 * that this CPU has; --part N tries a Nth of the placements and sizes to 128 KiB, for sanitizers and
 * emulators. A fault is reported with the function that made it. */
#define _GNU_SOURCE
#include "levels.h"
#include "past_copies.h"
#include "test.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

bool long_mode;
static unsigned part = 1;
unsigned long checks_made;
struct arena arenas[ARENAS];

static unsigned failures;
static const struct row *current;
static bool repeated; /* the row is another name of a function that an earlier row has */
static unsigned current_level;

#if defined(__x86_64__) && !defined(BRAWN_LEVEL)
#define DISPATCHES 1
extern unsigned char brawn___brawn_string_level;
unsigned brawn___brawn_string_detect(void);
static unsigned highest;
static unsigned long detections;
#else
#define DISPATCHES 0
static const unsigned highest = 1;
#endif

/* A counter, mixed: most of the time of the test goes into random bytes, and these do not wait for each
 * other. */
static uint64_t random_word(void) {
    static uint64_t counter;
    uint64_t word = (counter += 0x9e3779b97f4a7c15u);
    word = (word ^ word >> 32) * 0xd6e8feb86659fd93u;
    return word ^ word >> 32;
}

uint32_t random_number(void) {
    return (uint32_t)(random_word() >> 16);
}

void fill_random(unsigned char *p, size_t bytes) {
    for (; bytes >= 8; p += 8, bytes -= 8) {
        const uint64_t word = random_word();
        memcpy(p, &word, 8);
    }
    if (bytes) {
        const uint64_t word = random_word();
        for (; bytes; bytes--) {
            p[bytes - 1] = (unsigned char)(word >> 8 * bytes);
        }
    }
}

size_t next_size(size_t n, size_t last) {
    static const int around[] = {-65, -17, -1, 0, 1, 33, 255};
    if (n < 320) {
        return n + 1 <= last ? n + 1 : SIZE_MAX;
    }
    for (size_t power = 512; power <= (size_t)32 << 20; power *= 2) {
        /* The largest sizes take most of the time: only a few of them, and only once in the quick mode. */
        for (size_t i = 0; i < sizeof around / sizeof *around; i++) {
            const size_t size = power + (size_t)around[i];
            if (power > 1 << 17 && part > 1) {
                return SIZE_MAX;
            }
            if (power > 1 << 16 && !long_mode && around[i] != 1) {
                continue;
            }
            if (size > n) {
                return size <= last ? size : SIZE_MAX;
            }
        }
        const size_t middle = power + power / 2;
        if (middle > n && (long_mode || power <= 1 << 14)) {
            return middle <= last ? middle : SIZE_MAX;
        }
    }
    return SIZE_MAX;
}

bool next_placement(struct placement *p, size_t bytes, size_t unit, bool one) {
    static unsigned rotation;
    const unsigned offsets = (unsigned)(64 / unit), others = one ? 8 : offsets;
    const unsigned all = offsets * others * (one ? 2 : 4);
    const bool complete = long_mode && !repeated && bytes <= 320 && (current_level != 0 || !DISPATCHES);
    unsigned sample = bytes <= 320 ? 24 : bytes <= 5000 ? 12 : bytes <= 1 << 17 ? 4 : 2;
    sample = sample > part ? sample / part : 1;
    if (p->step >= (complete ? all : sample)) {
        return false;
    }
    unsigned number = p->step++;
    if (!complete) {
        /* The first four touch the inaccessible pages on both sides; the rest walk through all pairs. Where
         * that leaves one or two a size, these take turns from size to size. */
        if (sample < 4) {
            number = (unsigned)(bytes / unit + number) % 8;
        }
        number = number < 4 ? number * offsets * others % all : (rotation += 1009) % all;
    }
    p->a = number % offsets * unit;
    p->b = number / offsets % others * (one ? 1 : unit);
    p->a_at_end = number / (offsets * others) & 1;
    p->b_at_end = number / (offsets * others) & 2;
    /* Either, for every offset of this operand, as the other's changes; for every pair, as the size does. */
    const size_t turn = bytes / unit;
    p->a_before_page = (p->b / (one ? 1 : unit) ^ turn) & 1;
    p->b_before_page = (p->a / unit ^ turn / 2) & 1;
    return true;
}

unsigned char *place(int arena, size_t bytes, size_t offset, bool at_end) {
#if DISPATCHES
    if (current_level == 0) {
        /* The next long call is the first one of the process. */
        if (brawn___brawn_string_level != 0) {
            expect(current, brawn___brawn_string_level == highest, "found level %u, not %u",
                   brawn___brawn_string_level, highest);
            detections++;
        }
        brawn___brawn_string_level = 0;
    }
#endif
    return at_end ? arenas[arena].end - offset - bytes : arenas[arena].begin + offset;
}

void failed(const struct row *row, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "FAILED %s, level %u: ", row->name, current_level);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    if (++failures >= 20) {
        exit(1);
    }
}

static void on_fault(int signal_number, siginfo_t *info, void *context) {
    (void)context;
    char line[200];
    const int length =
        snprintf(line, sizeof line, "FAILED %s, level %u: signal %d at %p (target %p..%p, source %p..%p)\n",
                 current ? current->name : "?", current_level, signal_number, info->si_addr,
                 (void *)arenas[TARGET].begin, (void *)arenas[TARGET].end, (void *)arenas[SOURCE].begin,
                 (void *)arenas[SOURCE].end);
    (void)!write(2, line, (size_t)length);
    _exit(1);
}

static void make_arena(struct arena *arena) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    unsigned char *const memory = mmap(NULL, ARENA_BYTES + 2 * page, PROT_READ | PROT_WRITE,
                                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED || mprotect(memory, page, PROT_NONE) ||
        mprotect(memory + page + ARENA_BYTES, page, PROT_NONE)) {
        perror("mmap");
        exit(2);
    }
    arena->begin = memory + page;
    arena->end = arena->begin + ARENA_BYTES;
}

static bool wanted(const char *name, int count, char **names) {
    for (int i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0) {
            return true;
        }
    }
    return count == 0;
}

static void run(const struct row *rows, int count, char **names) {
    for (current = rows; current->name; current++) {
        if (wanted(current->name, count, names)) {
            const clock_t start = clock();
            repeated = false;
            for (const struct row *earlier = rows; earlier < current; earlier++) {
                repeated |= earlier->ours == current->ours && earlier->check == current->check;
            }
            current->check(current);
            if (getenv("VERBOSE")) {
                printf("%u %s %.2f s\n", current_level, current->name,
                       (double)(clock() - start) / CLOCKS_PER_SEC);
            }
        }
    }
}

int main(int argc, char **argv) {
    unsigned only = 0;
    int first = 1;
    for (; first < argc && argv[first][0] == '-'; first++) {
        if (strcmp(argv[first], "--long") == 0) {
            long_mode = true;
        } else if (strcmp(argv[first], "--part") == 0 && first + 1 < argc && atoi(argv[first + 1]) > 0) {
            part = (unsigned)atoi(argv[++first]);
        } else if (strcmp(argv[first], "--level") == 0 && first + 1 < argc) {
            only = (unsigned)atoi(argv[++first]);
        } else {
            fprintf(stderr, "usage: %s [--long] [--part N] [--level N] [FUNCTION…]\n", argv[0]);
            return 2;
        }
    }
    const struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
    sigaction(SIGILL, &action, NULL);
    for (int i = 0; i < ARENAS; i++) {
        make_arena(&arenas[i]);
    }
#if DISPATCHES
    highest = brawn___brawn_string_detect();
#endif
    if (only > highest) {
        fprintf(stderr, "this CPU has no level %u\n", only);
        return 77;
    }
    failures += wrong_levels() + wrong_past_copies(highest > 1 || !DISPATCHES);
#if DISPATCHES
    const unsigned asked_for = part;
#endif
    for (unsigned level = DISPATCHES ? 0 : 1; level <= highest; level++) {
        if (only && level != only) {
            continue;
        }
        current_level = level;
#if DISPATCHES
        brawn___brawn_string_level = (unsigned char)level;
        /* Level 0 is what finds the level, at every call, and a virtual machine takes microseconds for it. */
        part = level == 0 && asked_for < 24 ? 24 : asked_for;
#endif
        run(memory_rows, argc - first, argv + first);
        run(string_rows, argc - first, argv + first);
#if DISPATCHES
        /* Functions without a long part find none. */
        if (level == 0 ? detections == 0 && argc == first : brawn___brawn_string_level != level) {
            fprintf(stderr, "FAILED: level %u did not last\n", level);
            failures++;
        }
#endif
    }
    if (checks_made == 0) {
        fprintf(stderr, "FAILED: nothing was checked\n");
        return 1;
    }
    printf("%lu checks, %u failures, levels up to %u\n", checks_made, failures, highest);
    return failures != 0;
}
