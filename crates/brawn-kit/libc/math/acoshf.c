#include "log.h"

extern float MUSL(acoshf)(float);

FAST_BEGIN
FAST_DECLARE(float, acoshf, (float x))
/* With doubles, so that the result is rounded once. */
float FAST(acoshf)(float x) {
    if (UNLIKELY(!(ABOVE(x, 1) && BELOW(x, __builtin_inff())))) {
        return MUSL(acoshf)(x);
    }
    const double wide = x;
    return (float)log_of(wide + __builtin_sqrt(__builtin_fma(wide, wide, -1)));
}
FAST_END

DISPATCH(float, acoshf, (float x), (x))
