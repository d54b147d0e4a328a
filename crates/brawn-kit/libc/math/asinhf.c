#include "log.h"

extern float MUSL(asinhf)(float);

FAST_BEGIN
FAST_DECLARE(float, asinhf, (float x))
/* With doubles, so that the result is rounded once. */
float FAST(asinhf)(float x) {
    const float size = __builtin_fabsf(x);
    if (UNLIKELY(!(AT_LEAST(size, 0x1p-40f) && BELOW(size, __builtin_inff())))) {
        return MUSL(asinhf)(x);
    }
    const double wide = size;
    if (UNLIKELY(BELOW(size, 0x1p-12f))) {
        return (float)__builtin_copysign(__builtin_fma(wide * wide, wide * -0x1.5555555555555p-3, wide), x);
    }
    return (float)__builtin_copysign(log_of(wide + __builtin_sqrt(__builtin_fma(wide, wide, 1))), x);
}
FAST_END

DISPATCH(float, asinhf, (float x), (x))
