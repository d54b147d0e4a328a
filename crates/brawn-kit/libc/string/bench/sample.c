/* One sample: the time of a call, in a loop or alone with a cold instruction cache. */
#define _GNU_SOURCE
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

double now_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

double sample(loop_function *loop, const struct work *work) {
    struct work warm_up = *work;
    warm_up.repetitions = work->repetitions / 8 + 1;
    loop(&warm_up);
    const double start = now_ns();
    loop(work);
    return (now_ns() - start) / (double)work->repetitions;
}

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

static double ns_per_tick, empty_ticks;

static void nothing(const struct work *work) {
    (void)work;
}

static double cold_ticks(loop_function *loop, const struct work *work) {
    for (size_t line = 0; line < COLD_LINES; line++) {
        cold_code[line]();
    }
    /* The operands are to be warm, no matter who ran before. */
    const struct operands *const call = work->calls;
    unsigned sum = 0;
    for (size_t i = 0; i < 8192; i += 64) {
        sum += *(volatile unsigned char *)(call->a - 64 + i);
        sum += *(volatile unsigned char *)(call->b - 64 + i);
        sum += *(volatile unsigned char *)(call->t - 64 + i);
    }
    (void)sum;
    const uint64_t start = ticks();
    loop(work);
    return (double)(ticks() - start);
}

double sample_cold(loop_function *loop, const struct work *work) {
    return (cold_ticks(loop, work) - empty_ticks) * ns_per_tick;
}

void prepare_samples(void) {
    make_cold_code();
    const double start = now_ns();
    const uint64_t first = ticks();
    while (now_ns() - start < 2e7) {
    }
    ns_per_tick = (now_ns() - start) / (double)(ticks() - first);
    const struct operands call = fixed_operands(64, 1, true);
    const struct work work = {.calls = &call, .count = 1, .repetitions = 1};
    empty_ticks = 1e9;
    for (int i = 0; i < 100; i++) {
        const double now = cold_ticks(nothing, &work);
        empty_ticks = now < empty_ticks ? now : empty_ticks;
    }
}
