/* Sine and cosine of floats, with doubles, so that a result is rounded once. */
#ifndef BRAWN_MATH_TRIGF_H
#define BRAWN_MATH_TRIGF_H

#include "bits.h"

/* Each of these is inlined into two forms: with FMA, and without, where `fma` is false. */
INLINE double mul_add(double a, double b, double c, int fma) {
    return fma ? __builtin_fma(a, b, c) : a * b + c;
}

struct anglef {
    double r, z; /* below pi/4 in size, and the square of it */
    uint32_t quarters;
};

/* x less the nearest multiple of pi/2, and how many there are. False where x is so large that pi/2 with 107 bits is not
 * long enough, so small that the result is about x or 1, or k not the nearest, as in other rounding modes. */
INLINE int anglef(float x, struct anglef *angle, int fma) {
    uint32_t bits;
    __builtin_memcpy(&bits, &x, sizeof bits);
    if (UNLIKELY((bits & 0x7fffffff) - 0x39800000u >= 0x47800000u - 0x39800000u)) {
        return 0;
    }
    /* k is in the last bits of the sum. Without FMA its first product has 16 and 33 bits, and is exact. */
    const double wide = x, sum = mul_add(wide, 0x1.45f306dc9c883p-1, 0x1.8p52, fma), k = sum - 0x1.8p52;
    angle->quarters = (uint32_t)bits_of(sum);
    if (fma) {
        /* What the second product takes away is too little to count in the square. */
        const double first = __builtin_fma(k, -0x1.921fb54442d18p+0, wide);
        angle->r = __builtin_fma(k, -0x1.1a62633145c07p-54, first);
        angle->z = first * first;
    } else {
        angle->r = wide - k * 0x1.921fb54400000p+0 - k * 0x1.0b4611a626331p-34;
        angle->z = angle->r * angle->r;
    }
    return LIKELY(angle->z < 0x1.922p-1 * 0x1.922p-1);
}

INLINE double sine_wide(const struct anglef *angle, int fma) {
    const double z = angle->z, low = mul_add(z, 0x1.11110deeb33b2p-7, -0x1.555555545dd83p-3, fma);
    const double high = mul_add(z, 0x1.6dbdd26f56d2dp-19, -0x1.a013a6edc8f34p-13, fma);
    return mul_add(angle->r * z, mul_add(z * z, high, low, fma), angle->r, fma);
}

INLINE double cosine_wide(const struct anglef *angle, int fma) {
    const double z = angle->z, z2 = z * z, low = mul_add(z, -0x1.fffffffffe691p-2, 1.0, fma);
    const double middle = mul_add(z, -0x1.6c16bae4ef840p-10, 0x1.555555514ea4bp-5, fma),
                 high = mul_add(z, -0x1.2474b4d8b6dbep-22, 0x1.a0129816d86c7p-16, fma);
    return mul_add(z2, mul_add(z2, high, middle, fma), low, fma);
}

/* The sine of an angle and so many quarters more. */
INLINE float sine_at(const struct anglef *angle, uint32_t more, int fma) {
    const uint32_t quarters = angle->quarters + more;
    const double size = quarters & 1 ? cosine_wide(angle, fma) : sine_wide(angle, fma);
    return (float)of_bits(bits_of(size) ^ (uint64_t)(quarters >> 1) << 63);
}

#endif
