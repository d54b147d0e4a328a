#include "trig.h"

extern double MUSL(sin)(double);

FAST_BEGIN
FAST_DECLARE(double, sin, (double x))
double FAST(sin)(double x) {
    struct angle angle;
    if (!angle_of(x, &angle)) {
        return MUSL(sin)(x);
    }
    if (angle.quarters & 1) {
        return with_sign(cosine_of(&angle), angle.quarters >> 1);
    }
    return with_sign(sine_of(&angle), angle.quarters >> 1);
}
FAST_END

DISPATCH(double, sin, (double x), (x))
