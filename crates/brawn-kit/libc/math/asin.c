#include "arc.h"

extern double MUSL(asin)(double);

FAST_BEGIN
FAST_DECLARE(double, asin, (double x))
double FAST(asin)(double x) {
    if (UNLIKELY(!is_sine(x))) {
        return MUSL(asin)(x);
    }
    const double size = __builtin_fabs(x);
    if (BELOW(size, 0.5)) {
        return x + arc_more(x, x * x);
    }
    double more;
    const double half = rest_of(size, &more), first = __builtin_fma(half, -2, QUARTER);
    const double left = __builtin_fma(half, -2, QUARTER - first);
    return __builtin_copysign(first + __builtin_fma(more, -2, left + QUARTER_LOW), x);
}
FAST_END

DISPATCH(double, asin, (double x), (x))
