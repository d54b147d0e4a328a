/* Times every string function, ours at one level against the host's libc and stock musl, in one process.
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

enum variant { OURS, STOCK, HOST, VARIANTS };

struct row {
    const char *name;
    loop_function *loops[VARIANTS];
    size_t unit;       /* 1, or 4 for wide characters */
    const char *sizes; /* which distribution of sizes the random rows draw from: memcpy, memset, memcmp */
};
extern const struct row memory_rows[], string_rows[]; /* each ends with a row of NULLs */

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
