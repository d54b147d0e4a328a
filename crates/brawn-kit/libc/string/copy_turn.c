/* Copies past the last cache on processors of Intel: two pages in turn, a line of each. Beyond what the tables of pages keep at
 * hand, a copy in order waits at the beginning of each page: it has 0.8 of this bandwidth on Granite Rapids. Zen 4 loses a
 * quarter by it. docs/log/strings.md has the measurements. */
#include "past.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define PAGE 4096

struct half_lines {
    __m256i a, b;
};

#define WIDE static inline __attribute__((always_inline, target("avx2")))

WIDE struct half_lines line_load(const unsigned char *from) {
    return (struct half_lines){_mm256_loadu_si256((const __m256i_u *)from),
                               _mm256_loadu_si256((const __m256i_u *)(from + 32))};
}

WIDE void line_stream(unsigned char *to, struct half_lines line) {
    _mm256_stream_si256((__m256i *)to, line.a);
    _mm256_stream_si256((__m256i *)(to + 32), line.b);
}

/* The caller knows that there is AVX2. */
COLD __attribute__((target("avx2"))) void *copy_turn(unsigned char *target, const unsigned char *source,
                                                     size_t n, void *result) {
    if (__atomic_load_n(&past_leaf, __ATOMIC_RELAXED) != PAST_INTEL) {
        return copy_past(target, source, n, result);
    }
    unsigned char *const end = target + n;
    const ptrdiff_t back = source - target;
    /* To a whole line; in few bytes of code. */
    size_t line = 64;
    __asm__("rep movsb" : "+D"(target), "+S"(source), "+c"(line) : : "memory");
    unsigned char *to = (unsigned char *)((uintptr_t)target & -(uintptr_t)64);
    /* What is left has at least 128 bytes, as copy_past wants it. */
    for (; end - to >= 2 * PAGE + 128; to += PAGE) {
        unsigned char *const next = to + PAGE;
        NO_UNROLL
        do {
            const struct half_lines first = line_load(to + back), second = line_load(to + PAGE + back);
            line_stream(to, first);
            line_stream(to + PAGE, second);
            to += 64;
            /* Or compilers count an index of their own as well. */
            __asm__("" : "+r"(to));
        } while (to != next);
    }
    return copy_past(to, to + back, (size_t)(end - to), result);
}

#endif
