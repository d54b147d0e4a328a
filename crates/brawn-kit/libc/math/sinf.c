#include "trigf.h"

FAST_BEGIN
/* CORE-MATH's, correctly rounded, for what is left. */
#define cr_sinf any_sinf
static float any_sinf(float x);
#include "vendor/src/binary32/sin/sinf.c"

FAST_DECLARE(float, sinf, (float x))
float FAST(sinf)(float x) {
    return has_anglef(x) ? sine_further(x, 0) : any_sinf(x);
}
FAST_END

DISPATCH(float, sinf, (float x), (x))
