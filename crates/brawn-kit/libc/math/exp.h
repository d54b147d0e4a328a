/* e^x to about 60 bits: x = k log(2)/128 + r, and e^r by a polynomial. */
#ifndef BRAWN_MATH_EXP_H
#define BRAWN_MATH_EXP_H

#include "bits.h"

struct exp_part {
    double tail;
    uint64_t bits;
};

extern HIDDEN const struct exp_part brawn_exp_table[128];

/* 128 / log 2, the inverse in two parts, and e^r from its second term on. */
static const double exp_constants[] = {
    0x1.71547652b82fep+7, -0x1.62e42fefa39efp-8, -0x1.abc9e3b39803fp-63,
    0x1.5555555555555p-3, 0x1.11111368f03e8p-7,  0x1.5555596f1be66p-5,
};

/* Three terms of 2^(x/128), the third one first. */
static const double power_constants[] = {0x1.c6b08d704a0c0p-26, 0x1.ebfbdff82c58fp-17, 0x1.62e42fefa39efp-8};

FAST_BEGIN

/* e^(x + more) is high + high low. Both are within 708 together, and `more` is far
 * below 1. */
INLINE struct sum exp_parts(double x, double more) {
    const double *const c = CONSTANTS(exp_constants);
    const double k = __builtin_roundeven((x + more) * c[0]);
    const int64_t whole = (int64_t)k;
    double r = __builtin_fma(k, c[1], x);
    r += __builtin_fma(k, c[2], more);
    const struct exp_part *const part = &brawn_exp_table[whole & 127];
    const double r2 = r * r;
    const double third = __builtin_fma(r, c[3], 0.5);
    const double fifth = __builtin_fma(r, c[4], c[5]);
    const double rest = __builtin_fma(r2, __builtin_fma(r2, fifth, third), part->tail);
    return (struct sum){of_bits(part->bits + ((uint64_t)whole << 45)), rest + r};
}

/* Whether a float is a number below `bound` in size. */
INLINE int is_within(float x, float bound) {
    uint32_t bits, most;
    __builtin_memcpy(&bits, &x, sizeof bits);
    __builtin_memcpy(&most, &bound, sizeof most);
    return LIKELY((bits & 0x7fffffff) < most);
}

/* 2^((k + left)/128), rounded once. k is whole, and in the lowest bits of `shifted`. */
INLINE float power_float(double shifted, double left) {
    const uint64_t whole = bits_of(shifted);
    const double power = of_bits(brawn_exp_table[whole & 127].bits + (whole << 45));
    const double *const c = CONSTANTS(power_constants);
    const double more = __builtin_fma(left, __builtin_fma(left, c[0], c[1]), c[2]);
    return (float)__builtin_fma(power * left, more, power);
}

/* 2^(x factor/128). */
INLINE float exp_float(double x, double factor) {
    const double shifted = __builtin_fma(x, factor, 0x1.8p52);
    return power_float(shifted, __builtin_fma(x, factor, 0x1.8p52 - shifted));
}

FAST_END

#endif
