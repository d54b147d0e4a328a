/* CORE-MATH's, correctly rounded. */
#include "level.h"

FAST_BEGIN
#define cr_cbrtf FAST(cbrtf)
FAST_DECLARE(float, cbrtf, (float x))
#include "vendor/src/binary32/cbrt/cbrtf.c"
FAST_END

DISPATCH(float, cbrtf, (float x), (x))
