/* CORE-MATH's, correctly rounded. */
#include "level.h"

FAST_BEGIN
#define cr_log10f FAST(log10f)
FAST_DECLARE(float, log10f, (float x))
#include "vendor/src/binary32/log10/log10f.c"
FAST_END

DISPATCH(float, log10f, (float x), (x))
