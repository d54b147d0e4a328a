/* CORE-MATH's, correctly rounded. */
#include "level.h"

FAST_BEGIN
#define cr_expf FAST(expf)
FAST_DECLARE(float, expf, (float x))
#include "vendor/src/binary32/exp/expf.c"
FAST_END

DISPATCH(float, expf, (float x), (x))
