// What the files of this program share: rows, the loops of most of them, and digests of answers.
#ifndef ROWS_H
#define ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
    QUICK = 1,   // part of `brawn bench quick`
    MEDIAN = 2,  // threads or processes take part: the median of the batches counts, not the best
    DIFFERS = 4, // glibc and musl answer differently on purpose, so the answer is not compared
    OWN = 8,     // adds what it took to `own_time` itself
};

// One row: what is called, how often.
struct row {
    const char *name;
    // Calls it so often, and gives a digest of the answers.
    uint64_t (*work)(uint64_t times);
    // Calls whose answers are compared before the time counts.
    unsigned checked;
    unsigned flags;
    // For floating results: the largest error found, in units of the last place, and what is allowed.
    double (*ulps)(void);
    double limit;
};

struct group {
    const char *name;
    // Called before the first of its rows.
    void (*prepare)(void);
    const struct row *rows;
    size_t count;
    // What `libc GROUP child` does, for rows that start a process.
    int (*child)(void);
};

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define GROUP(name, prepare, rows) {name, prepare, rows, COUNT(rows)}

#ifdef __cplusplus
extern "C" {
#endif

// The program's groups, in the order in which they run, and NULL.
extern const struct group *const groups[];

// Whether answers are being collected. Then digests are of everything, else of as little as keeps a call alive.
extern bool checking;
// Nanoseconds that a row of the kind OWN has taken.
extern double own_time;

// Ends the program with a message.
void fail(const char *what) __attribute__((noreturn));
// The clock, in nanoseconds.
double now(void);
// Random numbers from a seed, the same with every libc.
uint64_t next_random(uint64_t *state);
// A text of so many bytes: lower-case words with a blank or a line's end between them.
void fill_words(char *text, size_t size, uint64_t seed);

#ifdef __cplusplus
}
#endif

// Two instructions. It must tell any order of the same few answers, so no rotation, after which they could cancel.
static inline uint64_t mix(uint64_t digest, uint64_t value) {
    return digest * 9 + value;
}

static inline uint64_t digest_bytes(const void *bytes, size_t size) {
    uint64_t digest = 14695981039346656037u;
    for (size_t i = 0; i < size; i++)
        digest = (digest ^ ((const unsigned char *)bytes)[i]) * 1099511628211u;
    return digest;
}

// A digest of bytes that a call has written: of all of them while answers are collected, else none.
static inline uint64_t written(const void *bytes, size_t size) {
    return checking ? digest_bytes(bytes, size) : size;
}

static inline uint64_t text(const char *bytes) {
    return checking ? digest_bytes(bytes, strlen(bytes)) : (unsigned char)*bytes;
}

static inline uint64_t bits(double value) {
    uint64_t word;
    memcpy(&word, &value, sizeof word);
    return word;
}

// Defines `name`, which evaluates the expression so often; `i` counts. The compiler cannot keep an answer.
#define CALLS(name, expression)                                                                              \
    static uint64_t name(uint64_t times) {                                                                   \
        uint64_t sum = 0;                                                                                    \
        for (uint64_t i = 0; i < times; i++) {                                                               \
            sum = mix(sum, (uint64_t)(expression));                                                          \
            __asm__ volatile("" : "+r"(sum) : : "memory");                                                   \
        }                                                                                                    \
        return sum;                                                                                          \
    }

#endif
