/* asin x for x up to 1/2, and the half of the rest of a right angle, which is asin of sqrt((1 - x)/2), above. */
#ifndef BRAWN_MATH_ARC_H
#define BRAWN_MATH_ARC_H

#include "bits.h"

/* From 2^-26 on, where less than x counts, up to 1. */
#define SMALLEST_SINE ((uint64_t)(1023 - 26) << 52)

/* pi/2 in two parts. */
#define QUARTER 0x1.921fb54442d18p+0
#define QUARTER_LOW 0x1.1a62633145c07p-54

FAST_BEGIN

INLINE int is_sine(double x) {
    return LIKELY((bits_of(x) << 1) - (SMALLEST_SINE << 1) < (ONE_BITS - SMALLEST_SINE) << 1);
}

/* asin s is s + more, where z is the square of s: a polynomial of z, up to 2^-58. */
INLINE double arc_more(double s, double z) {
    static const double constants[] = {
        0x1.5555555555556p-3, 0x1.3333333332ecap-4, 0x1.6db6db6e31f13p-5, 0x1.f1c71c1db0623p-6,
        0x1.6e8bb1c8209a2p-6, 0x1.1c4d35cf95421p-6, 0x1.c9cf07674736ap-7, 0x1.782651caa6547p-7,
        0x1.52420b04b37bep-7, 0x1.65a9c4dfcf8b2p-8, 0x1.1d189408314eep-6, -0x1.e6aaa8a0a04ccp-7,
        0x1.d72b2bc8155f8p-6,
    };
    const double *const c = CONSTANTS(constants);
    const double z2 = z * z, z4 = z2 * z2;
    const double c01 = __builtin_fma(z, c[1], c[0]), c23 = __builtin_fma(z, c[3], c[2]);
    const double c45 = __builtin_fma(z, c[5], c[4]), c67 = __builtin_fma(z, c[7], c[6]);
    const double c89 = __builtin_fma(z, c[9], c[8]), cab = __builtin_fma(z, c[11], c[10]);
    const double low = __builtin_fma(z2, c23, c01), middle = __builtin_fma(z2, c67, c45);
    const double high = __builtin_fma(z4, c[12], __builtin_fma(z2, cab, c89));
    return s * z * __builtin_fma(z4, __builtin_fma(z4, high, middle), low);
}

/* What is left of a right angle, and by how much the half of it is more: x is from 1/2 to 1. */
INLINE double rest_of(double x, double *more) {
    const double z = __builtin_fma(x, -0.5, 0.5), s = __builtin_sqrt(z);
    /* What the root left out, exact, over twice the root. */
    *more = __builtin_fma(__builtin_fma(-s, s, z), 0.5 / s, arc_more(s, z));
    return s;
}

/* A whole angle less twice a half, each in two parts. */
INLINE double less_twice(double whole, double whole_low, double half, double more) {
    const double first = __builtin_fma(half, -2, whole), left = __builtin_fma(half, -2, whole - first);
    return first + __builtin_fma(more, -2, left + whole_low);
}

FAST_END

#endif
