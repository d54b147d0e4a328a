#include "exp.h"
#include "log.h"

extern float MUSL(powf)(float, float);

FAST_BEGIN
FAST_DECLARE(float, powf, (float x, float y))
/* With doubles, so that the result is rounded once. */
float FAST(powf)(float x, float y) {
    uint32_t bits, bits_y;
    __builtin_memcpy(&bits, &x, sizeof bits);
    __builtin_memcpy(&bits_y, &y, sizeof bits_y);
    /* x is not positive, normal and finite, or y infinite or NaN. */
    if (UNLIKELY(bits - 0x00800000u >= 0x7f000000u || bits_y << 1 >= 0xff000000u)) {
        return MUSL(powf)(x, y);
    }
    /* As in log_place(), by the bits of a float. */
    const uint32_t above = bits - LOG_START_FLOAT;
    const uint32_t bits_z = bits - (above & 0xff800000u);
    const struct log_part *const part = &brawn_log_table[above >> 16 & 127];
    const int k = (int32_t)above >> 23;
    float z;
    __builtin_memcpy(&z, &bits_z, sizeof z);
    const double r = __builtin_fma((double)z, part->reciprocal, -1.0);
    const double base = __builtin_fma(k, 0x1.62e42fefa39efp-1, part->high + part->low);
    /* y log x in units of log(2)/128. */
    const double scaled = y * 0x1.71547652b82fep+7, r2 = r * r;
    const double first = scaled * (base + r), second = scaled * r2;
    const double product = __builtin_fma(second, log_tail_short(r, r2), first);
    /* Far beyond all floats, but within doubles, so that the last step rounds as floats need it. */
    if (UNLIKELY(!(__builtin_fabs(product) < 900 * 128))) {
        return MUSL(powf)(x, y);
    }
    /* The lowest bits of this sum are those in front of the point. */
    const double shifted = product + 0x1.8p52;
    const uint64_t whole = bits_of(shifted);
    const double left = product - (shifted - 0x1.8p52);
    const double power = of_bits(brawn_exp_table[whole & 127].bits + (whole << 45));
    const double more = __builtin_fma(left, 0x1.ebfbdff82c58fp-17, 0x1.62e42fefa39efp-8);
    return (float)__builtin_fma(power * left, __builtin_fma(left * left, 0x1.c6b08d704a0c0p-26, more), power);
}
FAST_END

DISPATCH(float, powf, (float x, float y), (x, y))
