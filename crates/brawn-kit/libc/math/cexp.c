#include "trig.h"

extern double exp(double);
extern _Complex double MUSL(cexp)(_Complex double);

FAST_BEGIN
FAST_DECLARE_APART(_Complex double, cexp, (_Complex double z))
/* Sine and cosine at once. Where the exponential overflows or underflows, musl's scales it. */
_Complex double FAST(cexp)(_Complex double z) {
    const double x = __real__ z, y = __imag__ z;
    struct angle angle;
    if (!BELOW(__builtin_fabs(x), 700) || !angle_of(y, &angle)) {
        return MUSL(cexp)(z);
    }
    const double of_sine = sine_of(&angle), of_cosine = cosine_of(&angle), scale = exp(x);
    __real__ z = scale * with_sign(angle.quarters & 1 ? of_sine : of_cosine, (angle.quarters + 1) >> 1);
    __imag__ z = scale * with_sign(angle.quarters & 1 ? of_cosine : of_sine, angle.quarters >> 1);
    return z;
}
FAST_END

DISPATCH(_Complex double, cexp, (_Complex double z), (z))
