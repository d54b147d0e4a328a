/* CORE-MATH's, correctly rounded. */
#include "level.h"

FAST_BEGIN
#define cr_exp2f FAST(exp2f)
FAST_DECLARE(float, exp2f, (float x))
#include "vendor/src/binary32/exp2/exp2f.c"
FAST_END

DISPATCH(float, exp2f, (float x), (x))
