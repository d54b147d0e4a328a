/* Long doubles that are doubles. */
#ifndef BRAWN_LONG_H
#define BRAWN_LONG_H

#include <stdint.h>

static inline uint64_t bits_of(double x) {
    const union {
        double value;
        uint64_t bits;
    } it_is = {x};
    return it_is.bits;
}

/* Of the double that is the same number, or of a NaN if none is. */
static inline uint64_t bits_of_long(long double x) {
#if defined(__x86_64__)
    return (double)x == x ? bits_of((double)x) : ~(uint64_t)0;
#else
    /* Without the functions of four words that compilers have for it. */
    const union {
        long double value;
        uint64_t words[2];
    } it_is = {x};
    const uint64_t low = it_is.words[0], high = it_is.words[1];
    if (!(high << 1 | low)) {
        return high;
    }
    const uint64_t exponent = (high >> 48 & 0x7fff) - (16383 - 1023);
    if (exponent - 1 >= 0x7fe || low << 4) {
        return ~(uint64_t)0;
    }
    return (high & (uint64_t)1 << 63) | exponent << 52 | high << 16 >> 12 | low >> 60;
#endif
}

#endif
