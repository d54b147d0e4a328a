/* CORE-MATH's, correctly rounded. */
#include "level.h"

FAST_BEGIN
#define cr_atanhf FAST(atanhf)
FAST_DECLARE(float, atanhf, (float x))
#include "vendor/src/binary32/atanh/atanhf.c"
FAST_END

DISPATCH(float, atanhf, (float x), (x))
