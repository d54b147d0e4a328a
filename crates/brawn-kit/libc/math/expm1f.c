/* CORE-MATH's, correctly rounded. */
#include "level.h"

FAST_BEGIN
#define cr_expm1f FAST(expm1f)
FAST_DECLARE(float, expm1f, (float x))
#include "vendor/src/binary32/expm1/expm1f.c"
FAST_END

DISPATCH(float, expm1f, (float x), (x))
