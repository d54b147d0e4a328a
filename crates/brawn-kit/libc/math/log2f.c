/* CORE-MATH's, correctly rounded. */
#include "level.h"

FAST_BEGIN
#define cr_log2f FAST(log2f)
FAST_DECLARE(float, log2f, (float x))
#include "vendor/src/binary32/log2/log2f.c"
FAST_END

DISPATCH(float, log2f, (float x), (x))
