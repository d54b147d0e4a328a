/* CORE-MATH's, correctly rounded. */
#include "level.h"

FAST_BEGIN
#define cr_sinhf FAST(sinhf)
FAST_DECLARE(float, sinhf, (float x))
#include "vendor/src/binary32/sinh/sinhf.c"
FAST_END

DISPATCH(float, sinhf, (float x), (x))
