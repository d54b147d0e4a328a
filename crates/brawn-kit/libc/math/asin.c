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
    const double half = rest_of(size, &more);
    return __builtin_copysign(less_twice(QUARTER, QUARTER_LOW, half, more), x);
}
FAST_END

DISPATCH(double, asin, (double x), (x))
