#include "arc.h"

extern double MUSL(acos)(double);

FAST_BEGIN
FAST_DECLARE(double, acos, (double x))
double FAST(acos)(double x) {
    if (UNLIKELY(!is_sine(x))) {
        return MUSL(acos)(x);
    }
    const double size = __builtin_fabs(x);
    if (BELOW(size, 0.5)) {
        const double first = QUARTER - x, left = QUARTER - first - x;
        return first + (left + QUARTER_LOW - arc_more(x, x * x));
    }
    double more;
    const double half = rest_of(size, &more);
    if (ABOVE(x, 0)) {
        return 2 * (half + more);
    }
    const double first = __builtin_fma(half, -2, 2 * QUARTER);
    const double left = __builtin_fma(half, -2, 2 * QUARTER - first);
    return first + __builtin_fma(more, -2, left + 2 * QUARTER_LOW);
}
FAST_END

DISPATCH(double, acos, (double x), (x))
