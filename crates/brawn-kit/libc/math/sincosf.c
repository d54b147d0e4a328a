/* CORE-MATH's, correctly rounded. */
#include "level.h"

FAST_BEGIN
#define cr_sincosf FAST(sincosf)
FAST_DECLARE(void, sincosf, (float x, float *sine, float *cosine))
#include "vendor/src/binary32/sincos/sincosf.c"
FAST_END

DISPATCH(void, sincosf, (float x, float *sine, float *cosine), (x, sine, cosine))
