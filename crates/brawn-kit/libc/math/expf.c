#include "exp.h"

extern float MUSL(expf)(float);

FAST_BEGIN
FAST_DECLARE(float, expf, (float x))
float FAST(expf)(float x) {
    if (UNLIKELY(!is_within(x, 512))) {
        return MUSL(expf)(x);
    }
    return exp_float(x, 0x1.71547652b82fep+7);
}
FAST_END

DISPATCH(float, expf, (float x), (x))
