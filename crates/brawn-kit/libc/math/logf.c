/* CORE-MATH's, correctly rounded. */
#include "level.h"

FAST_BEGIN
#define cr_logf FAST(logf)
FAST_DECLARE(float, logf, (float x))
#include "vendor/src/binary32/log/logf.c"
FAST_END

DISPATCH(float, logf, (float x), (x))
