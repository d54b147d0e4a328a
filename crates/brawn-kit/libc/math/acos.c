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
    return ABOVE(x, 0) ? 2 * (half + more) : less_twice(2 * QUARTER, 2 * QUARTER_LOW, half, more);
}
FAST_END

DISPATCH(double, acos, (double x), (x))
