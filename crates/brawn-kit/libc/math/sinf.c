#include "trigf.h"

FAST_BEGIN
/* CORE-MATH's, correctly rounded, for what is left. */
#define cr_sinf any_sinf
static float any_sinf(float x);
#include "vendor/src/binary32/sin/sinf.c"

FAST_DECLARE(float, sinf, (float x))
float FAST(sinf)(float x) {
    struct anglef angle;
    return anglef(x, &angle, 1) ? sine_at(&angle, 0, 1) : any_sinf(x);
}
FAST_END

#if defined(__x86_64__)
extern float MUSL(sinf)(float);

static float sinf_without_fma(float x) {
    struct anglef angle;
    return anglef(x, &angle, 0) ? sine_at(&angle, 0, 0) : MUSL(sinf)(x);
}
#endif

DISPATCH_OR(float, sinf, (float x), (x), sinf_without_fma)
