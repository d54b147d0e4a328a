/* CORE-MATH's, correctly rounded. */
#include "level.h"

FAST_BEGIN
#define cr_coshf FAST(coshf)
FAST_DECLARE(float, coshf, (float x))
#include "vendor/src/binary32/cosh/coshf.c"
FAST_END

DISPATCH(float, coshf, (float x), (x))
