// What every program in this folder shares: one way to fail, a watchdog, a random source, patterns
// that make a wrong byte visible, and the resident size.
//
// A program prints `ok` and exits 0, or says what was wrong on stderr and exits 1 (2: it hung).
// Nothing in here allocates, so that a failing allocator can still be reported.
#ifndef BRAWN_TESTS_CHECK_H
#define BRAWN_TESTS_CHECK_H

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EXIT_FAILED = 1, EXIT_HUNG = 2 };

static inline void write_stderr(const char *text, size_t length) {
    while (length > 0) {
        ssize_t written = write(STDERR_FILENO, text, length);
        if (written <= 0)
            return;
        text += written;
        length -= (size_t)written;
    }
}

__attribute__((noreturn, format(printf, 3, 4))) static inline void check_failed(const char *file, int line,
                                                                                const char *format, ...) {
    int error = errno;
    char text[512];
    int length = snprintf(text, sizeof text, "%s:%d: ", file, line);
    va_list arguments;
    va_start(arguments, format);
    length += vsnprintf(text + length, sizeof text - (size_t)length, format, arguments);
    va_end(arguments);
    if (length < (int)sizeof text)
        length += snprintf(text + length, sizeof text - (size_t)length, " (errno %d)\n", error);
    write_stderr(text, length < (int)sizeof text ? (size_t)length : sizeof text - 1);
    _exit(EXIT_FAILED);
}

// The message follows the condition and is needed: it is all that a failing run leaves behind.
#define CHECK(condition, ...) ((condition) ? (void)0 : check_failed(__FILE__, __LINE__, __VA_ARGS__))

// Where the program is, for the watchdog's message.
static const char *volatile watched_step = "start";
static volatile int watched_round;

static inline void watchdog_expired(int signal_number) {
    (void)signal_number;
    char digits[12];
    size_t first = sizeof digits;
    unsigned round = (unsigned)watched_round;
    digits[--first] = '\n';
    do
        digits[--first] = (char)('0' + round % 10);
    while ((round /= 10) != 0);
    const char *step = watched_step;
    write_stderr("hung in step \"", 14);
    write_stderr(step, strlen(step));
    write_stderr("\", round ", 9);
    write_stderr(digits + first, sizeof digits - first);
    _exit(EXIT_HUNG);
}

// A hang becomes a failure that names the step. A forked child inherits no alarm and calls this again.
static inline void watchdog(unsigned seconds) {
    struct sigaction action = {.sa_handler = watchdog_expired};
    sigaction(SIGALRM, &action, NULL);
    alarm(seconds);
}

// The first argument multiplies the work; without it the program is quick.
static inline int scale_of(int argc, char **argv) {
    if (argc < 2)
        return 1;
    int scale = atoi(argv[1]);
    CHECK(scale > 0, "the scale must be a positive number, not \"%s\"", argv[1]);
    return scale;
}

// A further argument of the form NAME=NUMBER, or the value that holds without it.
static inline long option_of(int argc, char **argv, const char *name, long value) {
    size_t length = strlen(name);
    for (int i = 2; i < argc; i++)
        if (strncmp(argv[i], name, length) == 0 && argv[i][length] == '=')
            value = strtol(argv[i] + length + 1, NULL, 10);
    return value;
}

static inline int passed(void) {
    static const char text[] = "ok\n";
    CHECK(write(STDOUT_FILENO, text, sizeof text - 1) == sizeof text - 1, "cannot write to stdout");
    return 0;
}

// xorshift64*: reproducible, one word of state per thread, never zero.
static inline uint64_t random_next(uint64_t *state) {
    uint64_t x = *state;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    *state = x;
    return x * 0x2545F4914F6CDD1DULL;
}

static inline size_t random_below(uint64_t *state, size_t limit) {
    return (size_t)(random_next(state) >> 11) % limit;
}

// Sizes as programs ask for them: mostly small, some medium, now and then a large one (up to 512 KiB).
static inline size_t random_size(uint64_t *state) {
    uint64_t kind = random_next(state) >> 56;
    if (kind < 200)
        return random_below(state, 257);
    if (kind < 240)
        return random_below(state, 4097);
    if (kind < 254)
        return random_below(state, 65537);
    return random_below(state, 512 * 1024 + 1);
}

static inline uint64_t pattern_word(uint64_t seed, size_t index) {
    return (seed + index) * 0x9E3779B97F4A7C15ULL;
}

static inline void pattern_fill(void *block, size_t size, uint64_t seed) {
    unsigned char *bytes = block;
    size_t words = size / 8;
    for (size_t i = 0; i < words; i++) {
        uint64_t word = pattern_word(seed, i);
        memcpy(bytes + 8 * i, &word, 8);
    }
    uint64_t last = pattern_word(seed, words);
    memcpy(bytes + 8 * words, &last, size % 8);
}

// The offset of the first byte that differs from the pattern (to 8 bytes), or `size` when all is well.
static inline size_t pattern_broken_at(const void *block, size_t size, uint64_t seed) {
    const unsigned char *bytes = block;
    size_t words = size / 8;
    for (size_t i = 0; i < words; i++) {
        uint64_t word = pattern_word(seed, i);
        if (memcmp(bytes + 8 * i, &word, 8) != 0)
            return 8 * i;
    }
    uint64_t last = pattern_word(seed, words);
    return memcmp(bytes + 8 * words, &last, size % 8) == 0 ? size : 8 * words;
}

#define CHECK_PATTERN(block, size, seed, what)                                                               \
    CHECK(pattern_broken_at(block, size, seed) == (size),                                                    \
          "%s: block %p of %zu bytes is damaged at byte %zu", what, (void *)(block), (size_t)(size),         \
          pattern_broken_at(block, size, seed))

static inline bool all_zero(const void *block, size_t size) {
    const unsigned char *bytes = block;
    return size == 0 || (bytes[0] == 0 && memcmp(bytes, bytes + 1, size - 1) == 0);
}

// C17 7.22.3: suitable for any object of fundamental alignment that fits into the size asked for.
static inline size_t required_alignment(size_t size) {
    size_t alignment = 16;
    while (alignment > 1 && alignment > size)
        alignment /= 2;
    return alignment;
}

static inline bool is_aligned(const void *block, size_t alignment) {
    return ((uintptr_t)block & (alignment - 1)) == 0;
}

// A line of /proc/self/status, in KiB. Under qemu-user it is that of the emulator, program included.
static inline long status_kib(const char *name) {
    char text[4096];
    int file = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    CHECK(file >= 0, "cannot open /proc/self/status");
    ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    CHECK(length > 0, "cannot read /proc/self/status");
    text[length] = '\0';
    const char *line = strstr(text, name);
    CHECK(line != NULL, "/proc/self/status has no line %s", name);
    return strtol(line + strlen(name), NULL, 10);
}

static inline long resident_kib(void) {
    return status_kib("VmRSS:");
}

// A leak grows without end, an allocator's stock of free memory goes up and down. So what counts is the
// lowest resident size of the last third of the rounds against the highest one of the first third.
struct growth {
    long highest_early, lowest_late;
};

static inline void growth_sample(struct growth *growth, long round, long rounds) {
    if (rounds >= 96 && round % (rounds / 48) != 0)
        return; // reading the size takes longer than a small round
    long resident = resident_kib();
    if (round < rounds / 3 && resident > growth->highest_early)
        growth->highest_early = resident;
    if (round >= rounds - rounds / 3 && (growth->lowest_late == 0 || resident < growth->lowest_late))
        growth->lowest_late = resident;
}

// Also says what was measured, for anyone who sets a bound.
static inline void check_growth(const char *file, int line, const struct growth *growth, long allowed,
                                const char *what) {
    const long early = growth->highest_early, grew = growth->lowest_late - early;
    if (early <= 0 || growth->lowest_late <= 0)
        check_failed(file, line, "%s: too few rounds to measure", what);
    if (grew > allowed)
        check_failed(file, line, "%s: resident memory grew by %ld KiB, more than %ld", what, grew, allowed);
    char text[256];
    const int length = snprintf(text, sizeof text, "report: %s: resident memory grew by %ld KiB, of %ld\n",
                                what, grew, allowed);
    write_stderr(text, (size_t)length);
}

#define CHECK_GROWTH(growth, allowed, what) check_growth(__FILE__, __LINE__, &(growth), allowed, what)

#endif
