#include "erf.h"

extern double MUSL(erf)(double);
extern double MUSL(erfc)(double);

FAST_BEGIN
FAST_DECLARE(double, erf, (double x))
double FAST(erf)(double x) {
    const double size = __builtin_fabs(x);
    if (BELOW(size, 0.875)) {
        return LIKELY(AT_LEAST(size, 0x1p-28)) ? __builtin_fma(x, erf_ratio(x * x), x) : MUSL(erf)(x);
    }
    if (UNLIKELY(!(BELOW(size, 6)))) {
        return MUSL(erf)(x);
    }
    const struct sum rest = erfc_parts(size);
    const double high = 1 - rest.high;
    return __builtin_copysign(high + (1 - high - rest.high - rest.low), x);
}

FAST_DECLARE(double, erfc, (double x))
double FAST(erfc)(double x) {
    if (BELOW(x, 0.5) && ABOVE(x, -0.875)) {
        return LIKELY(AT_LEAST(__builtin_fabs(x), 0x1p-56)) ? 1 - __builtin_fma(x, erf_ratio(x * x), x)
                                                            : MUSL(erfc)(x);
    }
    /* Beyond, parts of results are below the normal ones. */
    if (UNLIKELY(!(ABOVE(x, -6) && BELOW(x, 25.5)))) {
        return MUSL(erfc)(x);
    }
    const struct sum tail = erfc_parts(__builtin_fabs(x));
    if (BELOW(x, 0)) {
        const double high = 2 - tail.high;
        return high + (2 - high - tail.high - tail.low);
    }
    return tail.high + tail.low;
}
FAST_END

DISPATCH(double, erf, (double x), (x))
DISPATCH(double, erfc, (double x), (x))
