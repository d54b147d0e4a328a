#include "trigf.h"

FAST_BEGIN
/* CORE-MATH's, correctly rounded, for what is left. */
#define cr_cosf any_cosf
static float any_cosf(float x);
#include "vendor/src/binary32/cos/cosf.c"

FAST_DECLARE(float, cosf, (float x))
float FAST(cosf)(float x) {
    return has_anglef(x) ? sine_further(x, 1) : any_cosf(x);
}
FAST_END

DISPATCH(float, cosf, (float x), (x))
