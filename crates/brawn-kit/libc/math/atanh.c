#include "log.h"

extern double MUSL(atanh)(double);

FAST_BEGIN
FAST_DECLARE(double, atanh, (double x))
/* Half of log(1 + x) - log(1 - x): neither needs a division. */
double FAST(atanh)(double x) {
    const double size = __builtin_fabs(x);
    if (UNLIKELY(!(BELOW(size, 1) && AT_LEAST(size, 0x1p-28)))) {
        return MUSL(atanh)(x);
    }
    const double above = 1 + size, below = 1 - size;
    const struct sum a = log_sum(bits_of(above), 1 - above + size);
    const struct sum b = log_sum(bits_of(below), 1 - below - size);
    /* b is the larger one, and negative. */
    const double high = a.high - b.high;
    const double low = (-b.high - high + a.high) + (a.low - b.low);
    return __builtin_copysign(0.5, x) * (high + low);
}
FAST_END

DISPATCH(double, atanh, (double x), (x))
