#include "exp.h"
#include "log.h"

extern float MUSL(powf)(float, float);

/* log 2, 128 / log 2, how large a product may be, and three terms of 2^(x/128), the third one first. */
static const double powf_constants[] = {
    0x1.62e42fefa39efp-1,  0x1.71547652b82fep+7,  900 * 128,
    0x1.c6b08d704a0c0p-26, 0x1.ebfbdff82c58fp-17, 0x1.62e42fefa39efp-8,
};

FAST_BEGIN
FAST_DECLARE(float, powf, (float x, float y))
/* With doubles, so that the result is rounded once. */
float FAST(powf)(float x, float y) {
    uint32_t bits, bits_y;
    __builtin_memcpy(&bits, &x, sizeof bits);
    __builtin_memcpy(&bits_y, &y, sizeof bits_y);
    /* x is not positive, normal and finite, or y infinite or NaN. */
    if (UNLIKELY(!is_plain_float(bits) || bits_y << 1 >= 0xff000000u)) {
        return MUSL(powf)(x, y);
    }
    const struct log_float at = log_place_float(bits);
    const double r = at.r;
    const double *const c = CONSTANTS(powf_constants);
    const double base = __builtin_fma(at.k, c[0], at.part->high + at.part->low);
    /* y log x in units of log(2)/128. */
    const double scaled = y * c[1], r2 = r * r;
    const double first = scaled * (base + r), second = scaled * r2;
    const double product = __builtin_fma(second, log_tail_short(r, r2), first);
    /* Far beyond all floats, but within doubles, so that the last step rounds as floats need it. */
    if (UNLIKELY(!(__builtin_fabs(product) < c[2]))) {
        return MUSL(powf)(x, y);
    }
    /* The lowest bits of this sum are those in front of the point. */
    const double shifted = product + 0x1.8p52;
    const uint64_t whole = bits_of(shifted);
    const double left = product - (shifted - 0x1.8p52);
    const double power = of_bits(brawn_exp_table[whole & 127].bits + (whole << 45));
    const double more = __builtin_fma(left, c[4], c[5]);
    return (float)__builtin_fma(power * left, __builtin_fma(left * left, c[3], more), power);
}
FAST_END

DISPATCH(float, powf, (float x, float y), (x, y))
