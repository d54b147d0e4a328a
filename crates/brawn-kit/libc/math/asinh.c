#include "log.h"

extern double MUSL(asinh)(double);

FAST_BEGIN
FAST_DECLARE(double, asinh, (double x))
/* log(x + sqrt(x^2 + 1)). Below 1 the square, the root and the sum are in two parts each. */
double FAST(asinh)(double x) {
    const double size = __builtin_fabs(x);
    if (UNLIKELY(!(AT_LEAST(size, 0x1p-26) && BELOW(size, 0x1p500)))) {
        return MUSL(asinh)(x);
    }
    double root, more = 0;
    if (LIKELY(AT_LEAST(size, 1))) {
        root = __builtin_sqrt(__builtin_fma(x, x, 1));
    } else {
        const double square = x * x;
        const double t = 1 + square, t_low = 1 - t + square + __builtin_fma(x, x, -square);
        root = __builtin_sqrt(t);
        more = (__builtin_fma(-root, root, t) + t_low) * (0.5 / root);
    }
    const double whole = root + size;
    const struct sum y = log_sum(bits_of(whole), root - whole + size + more);
    return __builtin_copysign(y.high + y.low, x);
}
FAST_END

DISPATCH(double, asinh, (double x), (x))
