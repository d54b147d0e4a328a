/* CORE-MATH's, correctly rounded. */
#include "level.h"

FAST_BEGIN
#define cr_tanhf FAST(tanhf)
FAST_DECLARE(float, tanhf, (float x))
#include "vendor/src/binary32/tanh/tanhf.c"
FAST_END

DISPATCH(float, tanhf, (float x), (x))
