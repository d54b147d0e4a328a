/* Sine and cosine of the rest that multiples of pi/2 leave, in two parts. */
#ifndef BRAWN_MATH_TRIG_H
#define BRAWN_MATH_TRIG_H

#include "bits.h"

struct angle {
    double r, rest;  /* below pi/4 in size */
    double part;     /* r as a part of pi/2, about, and sooner */
    double z, z_low; /* the square of r */
    uint64_t quarters;
};

/* 2^-26 and 2^20. */
#define SMALLEST_ANGLE ((uint64_t)(1023 - 26) << 52)
#define LARGEST_ANGLE ((uint64_t)(1023 + 20) << 52)

FAST_BEGIN

/* x less the nearest multiple of pi/2, and how many there are. False for numbers so large, or so close to a multiple,
 * that pi/2 with 107 bits is too short; and for infinities, NaNs, and numbers below 2^-26. */
INLINE int angle_of(double x, struct angle *angle) {
    /* First, as what follows would raise exceptions. */
    if (UNLIKELY((bits_of(x) << 1) - (SMALLEST_ANGLE << 1) >= (LARGEST_ANGLE - SMALLEST_ANGLE) << 1)) {
        return 0;
    }
    const double turns = x * 0x1.45f306dc9c883p-1, k = __builtin_roundeven(turns);
    angle->part = turns - k;
    /* Exact: a multiple of 2^-53 below 1, or x. */
    const double first = __builtin_fma(k, -0x1.921fb54442d18p+0, x);
    angle->r = __builtin_fma(k, -0x1.1a62633145c07p-54, first);
    angle->rest = __builtin_fma(k, -0x1.1a62633145c07p-54, first - angle->r);
    angle->z = angle->r * angle->r;
    angle->z_low = __builtin_fma(angle->r, angle->r, -angle->z);
    angle->quarters = (uint64_t)(int64_t)k;
    return LIKELY(bits_of(angle->r) << 1 >= (uint64_t)(1023 - 20) << 53) || k == 0;
}

/* What sin r is more than r, with the rest. */
INLINE double sine_more(const struct angle *angle) {
    const double z = angle->z, z2 = z * z, cube = angle->r * z;
    const double cube_low = __builtin_fma(angle->r, z, -cube) + angle->r * angle->z_low;
    const double low = __builtin_fma(z, -0x1.a01a01a019936p-13, 0x1.1111111111110p-7);
    const double middle = __builtin_fma(z, -0x1.ae64541266378p-26, 0x1.71de3a54605eep-19);
    const double high = __builtin_fma(z, -0x1.ab17a79237a19p-41, 0x1.61217ec01749dp-33);
    const double rest = __builtin_fma(z2, __builtin_fma(z2, high, middle), low);
    /* The rest of the angle counts as much as the cosine, which 1 - z/2 is near enough to. */
    const double more = __builtin_fma(angle->rest * -0.5, z, angle->rest);
    return __builtin_fma(cube, __builtin_fma(z, rest, -0x1.5555555555555p-3),
                         __builtin_fma(cube_low, -0x1.5555555555555p-3, more));
}

INLINE struct sum cosine_parts(const struct angle *angle) {
    const double z = angle->z, z2 = z * z;
    const double low = __builtin_fma(z, -0x1.6c16c16c16966p-10, 0x1.5555555555555p-5);
    const double middle = __builtin_fma(z, -0x1.27e4fa17a41b4p-22, 0x1.a01a019f4e867p-16);
    const double high = __builtin_fma(z, -0x1.907d7aebd5e3dp-37, 0x1.1eeb68b109173p-29);
    const double polynomial = __builtin_fma(z2, __builtin_fma(z2, high, middle), low);
    const double first = __builtin_fma(z, -0.5, 1);
    const double left = __builtin_fma(z, -0.5, 1 - first);
    const double more = __builtin_fma(angle->z_low, -0.5, left) - angle->r * angle->rest;
    return (struct sum){first, __builtin_fma(z2, polynomial, more)};
}

INLINE double sine_of(const struct angle *angle) {
    return angle->r + sine_more(angle);
}

INLINE double cosine_of(const struct angle *angle) {
    const struct sum parts = cosine_parts(angle);
    return parts.high + parts.low;
}

INLINE double with_sign(double x, uint64_t sign) {
    return of_bits(bits_of(x) ^ sign << 63);
}

FAST_END

#endif
