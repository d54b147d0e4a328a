#include "exp.h"

extern double MUSL(cosh)(double);

FAST_BEGIN
FAST_DECLARE(double, cosh, (double x))
double FAST(cosh)(double x) {
    const double size = __builtin_fabs(x);
    if (UNLIKELY(!(BELOW(size, 700) && AT_LEAST(size, 0x1p-26)))) {
        return MUSL(cosh)(x);
    }
    const struct sum power = exp_parts(size, 0);
    const double more = power.high * power.low, whole = power.high + more;
    const double inverse = 1 / whole;
    /* Half of both, with what the sums left out. */
    const double high = whole + inverse;
    const double low = (power.high - whole + more) + (whole - high + inverse);
    return 0.5 * (high + low);
}
FAST_END

DISPATCH(double, cosh, (double x), (x))
