/* CORE-MATH's, correctly rounded. */
#include "level.h"

FAST_BEGIN
#define cr_expm1 FAST(expm1)
FAST_DECLARE(double, expm1, (double x))
#include "vendor/src/binary64/expm1/expm1.c"
FAST_END

DISPATCH(double, expm1, (double x), (x))
