#include "exp.h"
#include "log.h"

extern double MUSL(pow)(double, double);

FAST_BEGIN
FAST_DECLARE(double, pow, (double x, double y))
double FAST(pow)(double x, double y) {
    const uint64_t bits = bits_of(x);
    /* y is no NaN, and neither tiny nor so large that the product below has no meaning. */
    if (UNLIKELY(!is_plain(bits) || (bits_of(y) >> 52 & 0x7ff) - 0x3be >= 0x43e - 0x3be)) {
        return MUSL(pow)(x, y);
    }
    const struct sum log = log_long(bits);
    const double product = y * log.high;
    const double rest = __builtin_fma(y, log.low, __builtin_fma(y, log.high, -product));
    if (UNLIKELY(!(__builtin_fabs(product) < 700))) {
        return MUSL(pow)(x, y);
    }
    const struct sum power = exp_parts(product, rest);
    return __builtin_fma(power.high, power.low, power.high);
}
FAST_END

DISPATCH(double, pow, (double x, double y), (x, y))
