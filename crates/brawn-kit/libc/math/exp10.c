/* CORE-MATH's, correctly rounded. */
#include "level.h"

FAST_BEGIN
#define cr_exp10 FAST(exp10)
FAST_DECLARE(double, exp10, (double x))
#include "vendor/src/binary64/exp10/exp10.c"
FAST_END

DISPATCH(double, exp10, (double x), (x))
WEAK_ALIAS(double, pow10, exp10, (double x));
