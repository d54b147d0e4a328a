/* CORE-MATH's, correctly rounded. */
#include "level.h"

FAST_BEGIN
#define cr_sinh FAST(sinh)
FAST_DECLARE_APART(double, sinh, (double x))
#include "vendor/src/binary64/sinh/sinh.c"
FAST_END

DISPATCH(double, sinh, (double x), (x))
