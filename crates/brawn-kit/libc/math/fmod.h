/* Remainders of division by whole numbers: x = mx 2^ex and y = my 2^ey, and eleven bits of mx 2^(ex-ey) / my at a time.
 * Nothing is rounded, so there is neither a rounding mode nor an exception. */
#ifndef BRAWN_MATH_FMOD_H
#define BRAWN_MATH_FMOD_H

#include "bits.h"

#define SIGN_BIT 0x8000000000000000u
#define FRACTION_BITS 0x000fffffffffffffu
#define HIDDEN_BIT 0x0010000000000000u

/* The whole number of a positive number, and the exponent that goes with it: 1 for those below the normal ones too. */
INLINE uint64_t whole_of(uint64_t bits, int *exponent) {
    const int e = (int)(bits >> 52);
    *exponent = e ? e : 1;
    return e ? (bits & FRACTION_BITS) | HIDDEN_BIT : bits;
}

/* The other way. */
INLINE uint64_t bits_from(uint64_t whole, int exponent) {
    if (!whole) {
        return 0;
    }
    int up = __builtin_clzll(whole) - 11;
    if (UNLIKELY(up >= exponent)) {
        return whole << (exponent - 1);
    }
    return (whole << up) + ((uint64_t)(exponent - up - 1) << 52);
}

/* m 2^n modulo d, where both have up to 53 bits. The lowest bit of the quotient goes to *odd. */
INLINE uint64_t modulo(uint64_t m, int n, uint64_t d, unsigned *odd) {
    while (n > 11) {
        m = (m << 11) % d;
        n -= 11;
    }
    const uint64_t shifted = m << n;
    *odd = (unsigned)(shifted / d) & 1;
    return shifted % d;
}

#endif
