/* erf and erfc: a polynomial below 7/8, and e^(-x^2) times another one for each stretch above. */
#ifndef BRAWN_MATH_ERF_H
#define BRAWN_MATH_ERF_H

#include "exp.h"

#define ERF_COEFFICIENTS 15

extern HIDDEN const double brawn_erf_table[23][ERF_COEFFICIENTS];

FAST_BEGIN

/* erf(x)/x - 1, where z is the square of x. */
INLINE double erf_ratio(double z) {
    const double z2 = z * z, z4 = z2 * z2;
    const double p0 = __builtin_fma(z, -0x1.812746b0379e7p-2, 0x1.06eba8214db69p-3);
    const double p1 = __builtin_fma(z, -0x1.b82ce3128869cp-6, 0x1.ce2f21a042bd7p-4);
    const double p2 = __builtin_fma(z, -0x1.c02db3fb5bb6ap-11, 0x1.565bcd0e58bd5p-8);
    const double p3 = __builtin_fma(z, -0x1.f4d2415e4a7b3p-17, 0x1.f9a32619b2415p-14);
    const double p4 = __builtin_fma(z, -0x1.5f541af6bb64dp-23, 0x1.b9e493d8c5437p-20);
    const double p5 = __builtin_fma(z, -0x1.41f11b9624e88p-30, 0x1.fa4d3657e6462p-27);
    const double low = __builtin_fma(z2, p1, p0), middle = __builtin_fma(z2, p3, p2);
    const double high = __builtin_fma(z4, 0x1.237252bb114c8p-34, __builtin_fma(z2, p5, p4));
    return __builtin_fma(z4, __builtin_fma(z4, high, middle), low);
}

/* erfc x from 0.5 to below 28, in two parts. */
INLINE struct sum erfc_parts(double x) {
    const uint64_t bits = bits_of(x);
    /* The constant in two parts, then the others. */
    const double *const c = brawn_erf_table[(bits >> 50) - (0x3fe0000000000000u >> 50)];
    const double t = x - of_bits((bits | 0x0003ffffffffffffu) - 0x0001ffffffffffffu);
    const double square = x * x;
    const struct sum power = exp_parts(-square, -__builtin_fma(x, x, -square));
    const double t2 = t * t, t4 = t2 * t2;
    const double low = __builtin_fma(t2, __builtin_fma(t, c[5], c[4]), __builtin_fma(t, c[3], c[2]));
    const double middle = __builtin_fma(t2, __builtin_fma(t, c[9], c[8]), __builtin_fma(t, c[7], c[6]));
    const double high = __builtin_fma(
        t4, c[14], __builtin_fma(t2, __builtin_fma(t, c[13], c[12]), __builtin_fma(t, c[11], c[10])));
    const double rest = __builtin_fma(t, __builtin_fma(t4, __builtin_fma(t4, high, middle), low), c[1]);
    const double more = __builtin_fma(c[0], power.low, __builtin_fma(rest, power.low, rest));
    const double factor = c[0] + more, factor_low = c[0] - factor + more;
    const double product = power.high * factor;
    return (struct sum){product, __builtin_fma(power.high, factor, -product) + power.high * factor_low};
}

FAST_END

#endif
