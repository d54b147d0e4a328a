#include "log.h"

extern float MUSL(log1pf)(float);

FAST_BEGIN
FAST_DECLARE(float, log1pf, (float x))
/* With doubles, so that the result is rounded once. */
float FAST(log1pf)(float x) {
    const float size = __builtin_fabsf(x);
    if (UNLIKELY(!(ABOVE(x, -1) && AT_LEAST(size, 0x1p-24f) && BELOW(size, __builtin_inff())))) {
        return MUSL(log1pf)(x);
    }
    const double wide = x;
    if (UNLIKELY(BELOW(size, 0x1p-16f))) {
        return (float)__builtin_fma(wide * wide, __builtin_fma(wide, 0x1.5555555555555p-2, -0.5), wide);
    }
    return (float)log_of(1 + wide);
}
FAST_END

DISPATCH(float, log1pf, (float x), (x))
