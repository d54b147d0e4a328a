#include "trig.h"

extern void MUSL(sincos)(double, double *, double *);

FAST_BEGIN
FAST_DECLARE(void, sincos, (double x, double *sine, double *cosine))
void FAST(sincos)(double x, double *sine, double *cosine) {
    struct angle angle;
    if (!angle_of(x, &angle)) {
        MUSL(sincos)(x, sine, cosine);
        return;
    }
    const double of_sine = sine_of(&angle), of_cosine = cosine_of(&angle);
    *sine = with_sign(angle.quarters & 1 ? of_cosine : of_sine, angle.quarters >> 1);
    *cosine = with_sign(angle.quarters & 1 ? of_sine : of_cosine, (angle.quarters + 1) >> 1);
}
FAST_END

DISPATCH(void, sincos, (double x, double *sine, double *cosine), (x, sine, cosine))
