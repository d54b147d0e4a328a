#include "exp.h"
#include "log.h"

extern float MUSL(powf)(float, float);

/* log 2, 128 / log 2, and how large a product may be. */
static const double powf_constants[] = {0x1.62e42fefa39efp-1, 0x1.71547652b82fep+7, 900 * 128};

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
    const double shifted = product + 0x1.8p52;
    return power_float(shifted, product - (shifted - 0x1.8p52));
}
FAST_END

DISPATCH(float, powf, (float x, float y), (x, y))
