/* CORE-MATH's, correctly rounded. */
#include "level.h"

FAST_BEGIN
#define cr_acosf FAST(acosf)
FAST_DECLARE(float, acosf, (float x))
#include "vendor/src/binary32/acos/acosf.c"
FAST_END

DISPATCH(float, acosf, (float x), (x))
