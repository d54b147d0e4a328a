/* Times every string function: ours at one level against stock musl and the host's libc, which is linked
 * dynamically here and statically in another executable made of the same files, a helper that runs beside
 * this one (helper.c), on the same core and the same operands.
 *
 * A family brings a table of rows: a name, and for each variant the loop that calls it. BENCH writes the
 * loops: a direct call of brawn_memchr or stock_memchr, as a static executable has it, and whatever call of
 * memchr the host's libc takes (through the PLT in a dynamic executable). */
#ifndef BRAWN_STRING_BENCH_H
#define BRAWN_STRING_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <wchar.h>

/* What a call gets. `a` holds n bytes and a terminator, `b` the same bytes, `t` is room for both of them. No
 * byte is ABSENT. In rows of wide characters n counts those, and their bytes are what the row's size says. */
struct operands {
    unsigned char *a, *b, *t;
    size_t n;
};
#define ABSENT '!'

struct work {
    const struct operands *calls; /* `count` of them, a power of two; 1 means the same call over and over */
    size_t count;
    size_t repetitions;
    bool dependent; /* the pointers of a call wait for the result of the one before; its size does not */
    uintptr_t zero; /* 0, but the compiler does not know */
};
typedef void loop_function(const struct work *work);

enum variant { OURS, STOCK, HOST, HOST_STATIC, VARIANTS };

struct row {
    const char *name;
    loop_function *loops[HOST + 1]; /* HOST_STATIC is the helper's HOST */
    size_t unit;                    /* 1, or 4 for wide characters */
    const char *sizes;              /* which distribution of sizes the random rows draw from (operands.c) */
};
extern const struct row memory_rows[], string_rows[]; /* each ends with a row of NULLs */

/* --- operands.c */

/* What both processes see, at the same address. */
struct shared {
    struct operands calls[4096];
    struct work work; /* what the helper is to do, */
    unsigned row;     /* with which function, */
    bool cold;
    double answer; /* and how long it took */
};
extern struct shared *shared;

/* Maps the operands: a new mapping if `file` is -1, else the one of that file. Returns its file. */
int map_shared(int file);
/* A call on operands of this many bytes, at a multiple of 64 or away from it. */
struct operands fixed_operands(size_t bytes, size_t unit, bool aligned);
/* Fills shared->calls, with sizes from a distribution. */
void random_calls(size_t unit, const char *distribution);

/* --- sample.c */

double now_ns(void);
void prepare_samples(void);
/* Nanoseconds a call, after a short run that warms up; or of one call of code that the first-level
 * instruction cache has lost. */
double sample(loop_function *loop, const struct work *work);
double sample_cold(loop_function *loop, const struct work *work);

/* --- helper.c */

const struct row *row_number(unsigned number); /* of both tables; NULL behind the last */
/* Starts the executable with `--serve` and the file of map_shared; false if it cannot. */
bool start_helper(const char *path, int shared_file);
/* The same samples, by the helper's host libc. */
double ask_helper(unsigned row, const struct work *work, bool cold);
/* Answers until the other process ends. */
int serve(int file);

#define LOOP(loop_name, function, arguments, feedback)                                                       \
    static void loop_name(const struct work *work) {                                                         \
        unsigned char *a = work->calls->a, *b = work->calls->b, *t = work->calls->t;                         \
        size_t n = work->calls->n;                                                                           \
        const uintptr_t zero = work->zero;                                                                   \
        if (work->count > 1) {                                                                               \
            for (size_t i = 0; i < work->repetitions; i++) {                                                 \
                const struct operands *const call = &work->calls[i & (work->count - 1)];                     \
                a = call->a, b = call->b, t = call->t, n = call->n;                                          \
                const uintptr_t r = (uintptr_t)(function arguments);                                         \
                __asm__ volatile("" : : "r"(r), "r"(a), "r"(b), "r"(t), "r"(n) : "memory");                  \
            }                                                                                                \
        } else if (!work->dependent) {                                                                       \
            for (size_t i = work->repetitions; i; i--) {                                                     \
                const uintptr_t r = (uintptr_t)(function arguments);                                         \
                __asm__ volatile("" : : "r"(r), "r"(a), "r"(b), "r"(t), "r"(n) : "memory");                  \
            }                                                                                                \
        } else {                                                                                             \
            for (size_t i = work->repetitions; i; i--) {                                                     \
                const uintptr_t r = (uintptr_t)(function arguments);                                         \
                __asm__ volatile("" : : "r"(r), "r"(a), "r"(b), "r"(t), "r"(n) : "memory");                  \
                const uintptr_t wait = (uintptr_t)(feedback) & zero;                                         \
                a += wait, b += wait, t += wait;                                                             \
            }                                                                                                \
        }                                                                                                    \
    }

/* The loops of one function. `arguments` use a, b, t and n; `feedback` is what the next call has to wait for:
 * r, the result, or a byte that was written. */
#define BENCH_AS(row, type, function, parameters, arguments, feedback)                                       \
    type function parameters;                                                                                \
    type brawn_##function parameters;                                                                        \
    type stock_##function parameters;                                                                        \
    LOOP(ours_##row, brawn_##function, arguments, feedback)                                                  \
    LOOP(stock_loop_##row, stock_##function, arguments, feedback)                                            \
    LOOP(host_##row, function, arguments, feedback)
#define BENCH(type, function, parameters, arguments, feedback)                                               \
    BENCH_AS(function, type, function, parameters, arguments, feedback)

#define ROW(name, unit, sizes) {#name, {ours_##name, stock_loop_##name, host_##name}, unit, sizes}

#endif
