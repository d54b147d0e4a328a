#include "log.h"

extern double MUSL(acosh)(double);

FAST_BEGIN
FAST_DECLARE(double, acosh, (double x))
/* log(x + sqrt(x^2 - 1)). Below 2 the square, the root and the sum are in two parts each. */
double FAST(acosh)(double x) {
    if (UNLIKELY(!(ABOVE(x, 1) && BELOW(x, 0x1p500)))) {
        /* Musl's gives numbers far below 0 a logarithm. */
        return BELOW(x, 1) ? (x - x) / 0.0 : MUSL(acosh)(x);
    }
    double root, more = 0;
    if (LIKELY(AT_LEAST(x, 2))) {
        root = __builtin_sqrt(__builtin_fma(x, x, -1));
    } else {
        const double square = x * x, square_low = __builtin_fma(x, x, -square);
        const double t = square - 1 + square_low, t_low = (square - 1 - t) + square_low;
        root = __builtin_sqrt(t);
        more = (__builtin_fma(-root, root, t) + t_low) * (0.5 / root);
    }
    const double whole = x + root;
    const struct sum y = log_sum(bits_of(whole), x - whole + root + more);
    return y.high + y.low;
}
FAST_END

DISPATCH(double, acosh, (double x), (x))
