#include "trig.h"

extern double MUSL(cos)(double);

FAST_BEGIN
FAST_DECLARE(double, cos, (double x))
double FAST(cos)(double x) {
    struct angle angle;
    if (!angle_of(x, &angle)) {
        return MUSL(cos)(x);
    }
    if (angle.quarters & 1) {
        return with_sign(sine_of(&angle), (angle.quarters + 1) >> 1);
    }
    return with_sign(cosine_of(&angle), (angle.quarters + 1) >> 1);
}
FAST_END

DISPATCH(double, cos, (double x), (x))
