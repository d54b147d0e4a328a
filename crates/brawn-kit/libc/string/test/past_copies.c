/* Copies past the cache: every distance of the ends from lines and pages, either operand the lower one, no byte beside them, and
 * that large copies look where the cache ends. */
#include "past_copies.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BRAWN_PREFIX brawn_
#include "../past.h"

void *brawn_memcpy(void *restrict to, const void *restrict from, size_t n);
void *brawn_memset(void *to, int c, size_t n);
void *brawn_memmove(void *to, const void *from, size_t n);

#if defined(__x86_64__)

#define MARGIN 64

static unsigned wrong;

static void fill(unsigned char *at, size_t n, uint32_t seed) {
    for (size_t i = 0; i < n; i++) {
        seed = seed * 1664525 + 1013904223;
        at[i] = (unsigned char)(seed >> 24);
    }
}

/* A copy within one array, and what is beside its target. */
static void check(void *(*function)(unsigned char *, const unsigned char *, size_t, void *),
                  unsigned char *array, unsigned char *expected, size_t size, size_t to, size_t from,
                  size_t n) {
    memcpy(expected, array, size);
    memmove(expected + to, array + from, n);
    void *const result = function(array + to, array + from, n, array);
    if (result != array || memcmp(array, expected, size)) {
        fprintf(stderr, "FAILED a copy past the cache: %zu bytes from %zu to %zu\n", n, from, to);
        wrong++;
        memcpy(array, expected, size);
    }
}

static void *by_memcpy(unsigned char *to, const unsigned char *from, size_t n, void *result) {
    return brawn_memcpy(to, from, n) == to ? result : NULL;
}

static void *by_memmove(unsigned char *to, const unsigned char *from, size_t n, void *result) {
    return brawn_memmove(to, from, n) == to ? result : NULL;
}

/* A fill, with a pattern or by memset, and what is beside it. */
static void check_fill(unsigned char *array, unsigned char *expected, size_t size, size_t to, size_t n,
                       bool by_memset) {
    static const uint32_t pattern = 0x04030201;
    memcpy(expected, array, size);
    if (by_memset) {
        memset(expected + to, 'x', n);
    } else {
        for (size_t i = 0; i < n; i += 4) {
            memcpy(expected + to + i, &pattern, 4);
        }
    }
    const bool done =
        (by_memset ? brawn_memset(array + to, 'x', n) : set_past(array + to, pattern, n)) == array + to;
    if (!done || memcmp(array, expected, size)) {
        fprintf(stderr, "FAILED a fill past the cache: %zu bytes from %zu\n", n, to);
        wrong++;
    }
    fill(array + to, n, (uint32_t)n);
}

unsigned wrong_past_copies(bool avx2) {
    const size_t size = 4 * PAST_UNKNOWN;
    unsigned char *const array = aligned_alloc(4096, size), *const expected = malloc(size);
    if (!array || !expected) {
        return 1;
    }
    const size_t small = 24 * PAST_DISTANCE;
    fill(array, size, 1);
    for (size_t i = 0; i < 600; i++) {
        const size_t n = PAST_DISTANCE + (i < 200 ? i : i * 7919 % (3 * PAST_DISTANCE));
        const size_t low = MARGIN + i % 67, distance = i % 3 ? n + i % 129 : PAST_DISTANCE + i % 5000;
        /* Upwards they may not overlap. */
        check(copy_past, array, expected, small, low, low + distance, n);
        check(copy_past, array, expected, small, low + n + i % 129, low, n);
    }
    /* Pages in turn: from what they do not take on, apart, and with a source further up by as little as they take. */
    if (avx2) {
        past_leaf = PAST_INTEL;
        for (size_t i = 0; i < 600; i++) {
            const size_t n = i < 200 ? 192 + i : PAST_DISTANCE + i * 7919 % (9 * PAST_DISTANCE);
            const size_t low = MARGIN + i % 67, high = 11 * PAST_DISTANCE + i % 129;
            check(copy_turn, array, expected, small, low, low + (i % 3 ? high : PAST_DISTANCE + i % 5000), n);
            check(copy_turn, array, expected, small, low + high, low, n);
        }
    }
    for (size_t i = 0; i < 600; i++) {
        check_fill(array, expected, 2 * PAST_DISTANCE, MARGIN + i % 19 * 4, 64 + i * 4, false);
    }
    /* The first copy that is large enough looks for the cache, and no other. */
    past_from = PAST_UNKNOWN;
    past_leaf = 0;
    check(by_memcpy, array, expected, size, MARGIN, 2 * PAST_UNKNOWN, PAST_UNKNOWN - 1);
    const size_t before = past_from;
    check(by_memcpy, array, expected, size, MARGIN, 2 * PAST_UNKNOWN, PAST_UNKNOWN);
    const size_t from = past_from;
    const unsigned char leaf = past_leaf;
    if (before != PAST_UNKNOWN || leaf == 0 || from <= PAST_UNKNOWN || from > (size_t)48 << 20) {
        fprintf(stderr, "FAILED: copies of %zu bytes go past the cache\n", from);
        wrong++;
    }
    /* As if the cache were small: by the functions themselves, apart, touching, and overlapping by little and by much. */
    past_from = PAST_UNKNOWN + 1;
    for (size_t i = 0; i < 48; i++) {
        past_leaf = i < 24 ? 1 : PAST_INTEL;
        const size_t n = PAST_UNKNOWN - 1 + i % 3 + i % 7 * 1001;
        static const size_t distances[] = {
            1, 64, PAST_DISTANCE - 1, PAST_DISTANCE, PAST_DISTANCE + 1, (size_t)1 << 20};
        const size_t distance = distances[i % 6];
        fill(array, n, (uint32_t)i);
        check(by_memmove, array, expected, size, MARGIN + i, MARGIN + i + distance, n);
        check(by_memmove, array, expected, size, MARGIN + i + distance, MARGIN + i, n);
        check(by_memcpy, array, expected, size, MARGIN + i, MARGIN + i + n, n);
        check(by_memcpy, array, expected, size, MARGIN + i + n, MARGIN + i, n);
    }
    for (size_t i = 0; i < 8; i++) {
        check_fill(array, expected, size, MARGIN + i * 13, (past_from + 2) / 3 * 8 - 4 + i, true);
    }
    past_from = from;
    past_leaf = leaf;
    free(array);
    free(expected);
    return wrong;
}
#else
unsigned wrong_past_copies(bool avx2) {
    (void)avx2;
    return 0;
}
#endif
