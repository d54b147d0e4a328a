#include "exp.h"

extern float MUSL(exp2f)(float);

FAST_BEGIN
FAST_DECLARE(float, exp2f, (float x))
float FAST(exp2f)(float x) {
    if (UNLIKELY(!is_within(x, 512))) {
        return MUSL(exp2f)(x);
    }
    return exp_float(x, 128);
}
FAST_END

DISPATCH(float, exp2f, (float x), (x))
