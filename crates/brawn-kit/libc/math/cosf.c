#include "trigf.h"

FAST_BEGIN
/* CORE-MATH's, correctly rounded, for what is left. */
#define cr_cosf any_cosf
static float any_cosf(float x);
#include "vendor/src/binary32/cos/cosf.c"

FAST_DECLARE(float, cosf, (float x))
float FAST(cosf)(float x) {
    struct anglef angle;
    return anglef(x, &angle, 1) ? sine_at(&angle, 1, 1) : any_cosf(x);
}
FAST_END

#if defined(__x86_64__)
extern float MUSL(cosf)(float);

static float cosf_without_fma(float x) {
    struct anglef angle;
    return anglef(x, &angle, 0) ? sine_at(&angle, 1, 0) : MUSL(cosf)(x);
}
#endif

DISPATCH_OR(float, cosf, (float x), (x), cosf_without_fma)
