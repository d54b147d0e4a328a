#include "log.h"

extern double MUSL(log1p)(double);

FAST_BEGIN
FAST_DECLARE(double, log1p, (double x))
double FAST(log1p)(double x) {
    const double size = __builtin_fabs(x);
    /* Not -1 or below, NaN or infinite; nor so small that the result is x. */
    if (UNLIKELY(!(ABOVE(x, -1) && AT_LEAST(size, 0x1p-54) && BELOW(size, 0x1p1000)))) {
        return MUSL(log1p)(x);
    }
    if (UNLIKELY(BELOW(size, 0x1p-50))) {
        return __builtin_fma(-0.5 * x, x, x);
    }
    const double whole = 1 + x;
    const double more = BELOW(size, 1) ? 1 - whole + x : x - whole + 1;
    const struct sum y = log_sum(bits_of(whole), more);
    return y.high + y.low;
}
FAST_END

DISPATCH(double, log1p, (double x), (x))
