/* What functions computed here share: numbers and their bits. Their fast forms take what is usual, and leave zeros,
 * infinities, NaNs, and results that overflow or underflow to musl's functions, which stay behind. */
#ifndef BRAWN_MATH_BITS_H
#define BRAWN_MATH_BITS_H

#include "level.h"

INLINE uint64_t bits_of(double x) {
    uint64_t bits;
    __builtin_memcpy(&bits, &x, sizeof bits);
    return bits;
}

INLINE double of_bits(uint64_t bits) {
    double x;
    __builtin_memcpy(&x, &bits, sizeof x);
    return x;
}

/* Comparisons that raise no exception for NaNs. */
#define BELOW(a, b) __builtin_isless(a, b)
#define ABOVE(a, b) __builtin_isgreater(a, b)
#define AT_LEAST(a, b) __builtin_isgreaterequal(a, b)

#define INFINITY_BITS 0x7ff0000000000000u
#define ONE_BITS 0x3ff0000000000000u

/* Constants as an array. On aarch64 one instruction loads two of them from there, where each in the code takes two
 * instructions; elsewhere each is an operand. */
#ifdef __aarch64__
#define CONSTANTS(array)                                                                                     \
    ({                                                                                                       \
        const double *constants_ = array;                                                                    \
        __asm__("" : "+r"(constants_));                                                                      \
        constants_;                                                                                          \
    })
#else
#define CONSTANTS(array) (array)
#endif

/* A number that is not rounded to 53 bits. */
struct sum {
    double high, low;
};

#endif
