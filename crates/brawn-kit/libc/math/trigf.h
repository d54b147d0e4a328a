/* Sine and cosine of floats, with doubles, so that a result is rounded once. */
#ifndef BRAWN_MATH_TRIGF_H
#define BRAWN_MATH_TRIGF_H

#include "bits.h"

/* Each of these is inlined into two forms: with FMA, and without, where `fma` is false. */
INLINE double mul_add(double a, double b, double c, int fma) {
    return fma ? __builtin_fma(a, b, c) : a * b + c;
}

/* x less the nearest multiple of pi/2, and how many there are. False where x is so large that pi/2 with 107 bits is not
 * long enough, so small that the result is about x or 1, or k not the nearest, as without FMA in other rounding modes. */
INLINE int anglef(float x, double *r, uint32_t *quarters, int fma) {
    uint32_t bits;
    __builtin_memcpy(&bits, &x, sizeof bits);
    if (UNLIKELY((bits & 0x7fffffff) - 0x39800000u >= 0x47800000u - 0x39800000u)) {
        return 0;
    }
    const double wide = x, turns = wide * 0x1.45f306dc9c883p-1;
    if (fma) {
        const double k = __builtin_roundeven(turns);
        *quarters = (uint32_t)(int)k;
        *r = __builtin_fma(k, -0x1.1a62633145c07p-54, __builtin_fma(k, -0x1.921fb54442d18p+0, wide));
        return 1;
    }
    /* k is in the last bits of the sum. The first product has 16 and 33 bits, and is exact. */
    const double sum = turns + 0x1.8p52, k = sum - 0x1.8p52;
    *quarters = (uint32_t)bits_of(sum);
    *r = wide - k * 0x1.921fb54400000p+0 - k * 0x1.0b4611a626331p-34;
    return LIKELY(__builtin_fabs(*r) < 0x1.922p-1);
}

INLINE double sine_wide(double r, int fma) {
    const double z = r * r, low = mul_add(z, 0x1.11110deeb33b2p-7, -0x1.555555545dd83p-3, fma);
    const double high = mul_add(z, 0x1.6dbdd26f56d2dp-19, -0x1.a013a6edc8f34p-13, fma);
    return mul_add(r * z, mul_add(z * z, high, low, fma), r, fma);
}

INLINE double cosine_wide(double r, int fma) {
    const double z = r * r, z2 = z * z, low = mul_add(z, -0x1.fffffffffe691p-2, 1.0, fma);
    const double middle = mul_add(z, -0x1.6c16bae4ef840p-10, 0x1.555555514ea4bp-5, fma),
                 high = mul_add(z, -0x1.2474b4d8b6dbep-22, 0x1.a0129816d86c7p-16, fma);
    return mul_add(z2, mul_add(z2, high, middle, fma), low, fma);
}

INLINE float with_signf(double x, uint32_t sign) {
    return (float)of_bits(bits_of(x) ^ (uint64_t)sign << 63);
}

/* The sine of r and so many quarters. */
INLINE float sine_at(double r, uint32_t quarters, int fma) {
    return with_signf(quarters & 1 ? cosine_wide(r, fma) : sine_wide(r, fma), quarters >> 1);
}

#endif
