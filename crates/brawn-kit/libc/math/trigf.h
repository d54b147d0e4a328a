/* Sine and cosine of floats, with doubles, so that a result is rounded once. */
#ifndef BRAWN_MATH_TRIGF_H
#define BRAWN_MATH_TRIGF_H

#include "bits.h"

FAST_BEGIN

/* Whether x is so small that pi/2 with 107 bits is long enough, and not so small that the result is about x or 1. */
INLINE int has_anglef(float x) {
    uint32_t bits;
    __builtin_memcpy(&bits, &x, sizeof bits);
    return LIKELY((bits & 0x7fffffff) - 0x39800000u < 0x47800000u - 0x39800000u);
}

/* x less the nearest multiple of pi/2, and how many there are. */
INLINE double anglef(float x, uint32_t *quarters) {
    const double wide = x, k = __builtin_roundeven(wide * 0x1.45f306dc9c883p-1);
    *quarters = (uint32_t)(int)k;
    return __builtin_fma(k, -0x1.1a62633145c07p-54, __builtin_fma(k, -0x1.921fb54442d18p+0, wide));
}

INLINE double sine_wide(double r) {
    const double z = r * r, low = __builtin_fma(z, 0x1.11110deeb33b2p-7, -0x1.555555545dd83p-3);
    const double high = __builtin_fma(z, 0x1.6dbdd26f56d2dp-19, -0x1.a013a6edc8f34p-13);
    return __builtin_fma(r * z, __builtin_fma(z * z, high, low), r);
}

INLINE double cosine_wide(double r) {
    const double z = r * r, z2 = z * z, low = __builtin_fma(z, -0x1.fffffffffe691p-2, 1.0);
    const double middle = __builtin_fma(z, -0x1.6c16bae4ef840p-10, 0x1.555555514ea4bp-5),
                 high = __builtin_fma(z, -0x1.2474b4d8b6dbep-22, 0x1.a0129816d86c7p-16);
    return __builtin_fma(z2, __builtin_fma(z2, high, middle), low);
}

INLINE float with_signf(double x, uint32_t sign) {
    return (float)of_bits(bits_of(x) ^ (uint64_t)sign << 63);
}

/* The sine of an angle so many quarters further on. */
INLINE float sine_further(float x, uint32_t further) {
    uint32_t quarters;
    const double r = anglef(x, &quarters);
    quarters += further;
    return with_signf(quarters & 1 ? cosine_wide(r) : sine_wide(r), quarters >> 1);
}

FAST_END

#endif
